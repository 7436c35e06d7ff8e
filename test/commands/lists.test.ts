import { describe, expect, it } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { type Behaviour, listService, team } from './list-service.ts';

const names = (stdout: string): string[] => stdout.trimEnd().split('\n').filter(Boolean);
const list = ['teams', 'list', '--fields', 'name'];

/** Teams 1 to `count`; every third doesn't pay and is a café. */
function teams(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return number % 3 === 0 ? team(number, { name: `Café ${number}`, paying: false }) : team(number);
  });
}

describe('the rows of a list', () => {
  it('are the first fifty, and stderr says how to get the others', async () => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl(list, { env });
    expect(ran.exitCode).toBe(0);
    expect(names(ran.stdout)).toHaveLength(50);
    expect(ran.stderr).toContain('Showing 50 of 120 rows; --all shows every row');
    expect(queries).toHaveLength(1);
  });

  it('are all of them with --all, a hundred at a time, and nothing is said', async () => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl([...list, '--all'], { env });
    expect(names(ran.stdout)).toHaveLength(120);
    expect(ran.stderr).toBe('');
    expect(queries.map((query) => [query.get('page'), query.get('limit')])).toEqual([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('are as many as --limit says, over several pages', async () => {
    const { env } = await listService(teams(120));
    const ran = await botctl([...list, '--limit', '25', '--per-page', '10'], { env });
    expect(names(ran.stdout)).toHaveLength(25);
    expect(ran.stderr).toContain('Showing 25 of 120 rows');
  });

  it('are those of one page with --page', async () => {
    const { env, queries } = await listService(teams(25));
    const ran = await botctl([...list, '--page', '2', '--per-page', '10'], { env });
    expect(names(ran.stdout)[0]).toBe('Team 11');
    expect(names(ran.stdout)).toHaveLength(10);
    expect(ran.stderr).toContain('Page 2 of 3; --page 3 shows the next one');
    expect(queries).toHaveLength(1);
  });

  it('go on with --page 2 where a plain list ends', async () => {
    const { env } = await listService(teams(120));
    const plain = names((await botctl(list, { env })).stdout);
    const second = names((await botctl([...list, '--page', '2'], { env })).stdout);
    const all = names((await botctl([...list, '--all'], { env })).stdout);
    expect([...plain, ...second]).toEqual(all.slice(0, 100));
  });

  it('are none on a page past the last, which is no failure', async () => {
    const { env } = await listService(teams(25));
    const ran = await botctl(['teams', 'list', '--page', '9', '--per-page', '10', '-o', 'json'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\[\s*\]\n$/) });
    expect(ran.stderr).toContain('There is no page 9; the last one is 3.');
  });

  it('are as many as --per-page says where nothing else is given', async () => {
    const { env } = await listService(teams(25));
    const ran = await botctl([...list, '--per-page', '10'], { env });
    expect(names(ran.stdout)).toHaveLength(10);
    expect(ran.stderr).toContain('Showing 10 of 25 rows');
  });

  it('may be more where the service tells no totals', async () => {
    const { env } = await listService(teams(60), { tellsTotals: false });
    expect((await botctl(list, { env })).stderr).toContain(
      'Showing the first 50 rows; --all shows the others',
    );
    expect(names((await botctl([...list, '--all', '--per-page', '25'], { env })).stdout)).toHaveLength(60);
  });

  it.each([
    [['--per-page', '101'], '--per-page must be a whole number from 1 to 100, not "101".'],
    [['--per-page', '0'], '--per-page must be'],
    [['--page', '0'], '--page must be'],
    [['--limit', 'many'], '--limit must be'],
    [['--page', '2', '--all'], '--page and --all contradict each other.'],
    [['--limit', '2', '--all'], '--limit and --all contradict each other.'],
  ])('are refused with %j before anything is asked', async (options, message) => {
    const { env, queries } = await listService(teams(3));
    const ran = await botctl([...list, ...options], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(queries).toHaveLength(0);
  });
});

describe('a filter', () => {
  it('is left to a service that knows it', async () => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl([...list, '--name', 'café', '--no-paying', '--all'], { env });
    expect(names(ran.stdout)).toHaveLength(40);
    expect(ran.stderr).toBe('');
    expect(queries.map((query) => [query.get('name'), query.get('paying')])).toEqual([['café', 'false']]);
  });

  const careless: readonly (readonly [string, Behaviour])[] = [
    ['ignores', { knows: [] }],
    ['refuses', { knows: [], refusesUnknown: true }],
  ];

  it.each(careless)(
    'is applied here over all pages where the service %s it, and that is said once',
    async (verb, behaviour) => {
      const { env } = await listService(teams(120), behaviour);
      const ran = await botctl([...list, '--name', 'CAFE', '--all', '--per-page', '10'], { env });
      expect(ran.exitCode).toBe(0);
      expect(names(ran.stdout)).toHaveLength(40);
      expect(names(ran.stdout).every((name) => name.startsWith('Café'))).toBe(true);
      expect(ran.stderr.trimEnd().split('\n')).toEqual([
        expect.stringContaining(`The service ${verb} --name; botctl applies it here, over all pages.`),
      ]);
    },
  );

  it.each(careless)('that the service %s stops at the limit too', async (_verb, behaviour) => {
    const { env } = await listService(teams(120), behaviour);
    const ran = await botctl([...list, '--name', 'cafe', '--limit', '5'], { env });
    expect(names(ran.stdout)).toHaveLength(5);
    expect(ran.stderr).toContain('Showing the first 5 rows');
  });

  it.each(careless)('that the service %s refuses --page', async (_verb, behaviour) => {
    const { env } = await listService(teams(120), behaviour);
    const ran = await botctl([...list, '--name', 'cafe', '--page', '2'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--page');
  });

  it('of two is judged by itself', async () => {
    const { env } = await listService(teams(30), { knows: ['paying'] });
    const ran = await botctl([...list, '--name', 'cafe 12', '--no-paying', '--all'], { env });
    expect(names(ran.stdout)).toEqual(['Café 12']);
    expect(ran.stderr).toContain('ignores --name; botctl');
  });

  it('is not to blame where the service refuses the list without it too', async () => {
    const { env, queries } = await listService(teams(3), { refusesAll: true });
    const ran = await botctl([...list, '--name', 'cafe', '--page', '2'], { env });
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).not.toContain('--name');
    expect(queries).toHaveLength(2);
  });
});
