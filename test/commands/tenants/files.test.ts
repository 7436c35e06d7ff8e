// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of tenants' files are written so
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writableBot } from '../../../src/contract/bots.ts';
import { quotaNames, updateTeam } from '../../../src/contract/teams.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { stateText } from '../../../src/tenants/state-file.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';

function fileWith(text: string): string {
  const file = join(temporaryDirectory(), 'a.yaml');
  writeFileSync(file, text);
  return file;
}

describe('tenants init', () => {
  it('writes a valid example, and the schema that it references', async () => {
    const folder = join(temporaryDirectory(), 'customers');
    const made = await botctl(['tenants', 'init', folder, '-o', 'json']);
    expect(made).toMatchObject({ exitCode: 0 });
    expect(made.stderr).toContain(`botctl tenants validate ${folder}`);
    const files = ['aurora.yaml', 'aurora/front-desk.md', 'aurora/menu.txt', 'tenants.schema.json'];
    expect(JSON.parse(made.stdout)).toEqual(files.map((file) => ({ file: join(folder, file) })));
    expect(readFileSync(join(folder, 'aurora.yaml'), 'utf8').split('\n')[0]).toBe(
      '# yaml-language-server: $schema=tenants.schema.json',
    );
    const schema = await botctl(['tenants', 'schema']);
    expect(readFileSync(join(folder, 'tenants.schema.json'), 'utf8')).toBe(schema.stdout);
    const checked = await botctl(['tenants', 'validate', folder, '-o', 'json']);
    expect(checked).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('declares a team that no other example creates, so that an apply never adopts one of those', async () => {
    const folder = join(temporaryDirectory(), 'tenants');
    await botctl(['tenants', 'init', folder]);
    const [, name = ''] = /^ {4}name: (.*)$/m.exec(readFileSync(join(folder, 'aurora.yaml'), 'utf8')) ?? [];
    expect(name).not.toBe('');
    const topics = join(packageRoot(), 'src/cli/help/topics');
    const pages = readdirSync(topics);
    for (const page of [join(packageRoot(), 'README.md'), ...pages.map((one) => join(topics, one))])
      expect(readFileSync(page, 'utf8')).not.toMatch(new RegExp(`(create|--name|name:).*${name}`));
  });

  it('replaces no existing file, and then writes nothing', async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'aurora'));
    writeFileSync(join(folder, 'aurora', 'menu.txt'), 'mine');
    const refused = await botctl(['tenants', 'init', folder]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`${join(folder, 'aurora', 'menu.txt')} already exists.`);
    expect(readdirSync(folder)).toEqual(['aurora']);
  });

  it('creates no parent folder of the given one', async () => {
    const refused = await botctl(['tenants', 'init', join(temporaryDirectory(), 'a', 'b')]);
    expect(refused.exitCode).toBe(2);
  });
});

describe('tenants validate', () => {
  it('reports everything that the files alone rule out', async () => {
    const folder = temporaryDirectory();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const rows = async () => {
      const { stdout } = await botctl(['tenants', 'validate', folder, '-o', 'json']);
      const found: readonly { readonly line: number; readonly problem: string }[] = JSON.parse(stdout);
      return found.map(({ line, problem }) => `${line}: ${problem.replaceAll(`${folder}/`, '')}`);
    };
    write('empty.txt', ' \n');
    write('logo.png', 'hello');
    write('menu.txt', 'soup');
    mkdirSync(join(folder, 'more'));
    write('more/menu.txt', 'stew');
    const twins = `version: 1
tenants:
  aurora:
    name: Coffee
    quotas: { documents: 1, bots: 0, characters: 7 }
    documents:
      empty: { file: empty.txt }
      logo: { file: logo.png }
      menu: { file: menu.txt }
      other: { folder: more }
    bots: { front: { name: Front } }
  borealis: { name: Coffee }
`;
    write('a.yaml', twins);
    expect(await rows()).toEqual([
      expect.stringMatching(/^7: .*empty.txt/),
      expect.stringMatching(/^8: .*logo.png/),
      expect.stringMatching(/^5: .*bots/),
      expect.stringMatching(/^5: .*documents/),
      expect.stringMatching(/^5: .*characters/),
      expect.stringMatching(/^9: aurora\/documents\/menu, aurora\/documents\/other\/menu.txt/),
      expect.stringMatching(/^12: borealis/),
    ]);
    const entries = new Map([['borealis', { id: '7d1c3a52-1f0e-4a5e-9d5c-0d6a3e9b1f10', applied: {} }]]);
    write('tenants.lock.json', stateText({ origin: 'https://api.example', entries }));
    write('a.yaml', twins.replace(/ {4}quotas(.|\n)*bots:.*\n/, ''));
    const fine = await botctl(['tenants', 'validate', folder]);
    expect(fine).toMatchObject({ exitCode: 0, stdout: '' });
    // Only the service can tell whether that team exists.
    expect(fine.stderr).toMatch(/needs administrator and plan_name, .*: aurora\./);
  });

  it('prints each mistake with its location as JSON, and exits with code 2', async () => {
    const file = fileWith('version: 1\ntenants:\n  aurora: { nam: Aurora }\n');
    const { exitCode, stdout, stderr } = await botctl(['tenants', 'validate', file, '-o', 'json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual([
      { file, line: 3, column: 11, field: 'aurora.name', problem: expect.any(String) },
      { file, line: 3, column: 13, field: 'aurora.nam', problem: expect.stringContaining('mean name') },
    ]);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'INVALID_INPUT', next: [['botctl', 'help', 'tenants']] },
    });
  });

  it('reads variables from the command line, from a file, and from the rows of a table', async () => {
    const folder = temporaryDirectory();
    const path = (name: string): string => join(folder, name);
    writeFileSync(
      path('many.yaml'),
      'version: 1\ntenants:\n  ${var:key}: { name: "${var:name} ${var:stage}", plan_name: "${var:plan}" }\n',
    );
    writeFileSync(path('many.csv'), 'key,name\na,Aurora\nb,Borealis\n');
    writeFileSync(path('prod.yaml'), 'plan: pro\nstage: old\n');
    const checked = await botctl([
      ...['tenants', 'validate', path('many.yaml'), '--each', path('many.csv')],
      ...['--vars', path('prod.yaml'), '--var', 'stage=prod'],
    ]);
    expect(checked).toMatchObject({ exitCode: 0, stdout: '' });
    expect(checked.stderr).toContain('2 tenants');
  });

  it('exits with code 2 if there are no files, and names the command that creates some', async () => {
    const empty = temporaryDirectory();
    for (const path of [join(empty, 'gone'), empty])
      expect(await botctl(['tenants', 'validate', path])).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await botctl(['tenants', 'validate', empty])).stderr).toContain('botctl tenants init');
  });
});

describe('tenants schema', () => {
  it('has every field of the API, and those of the files', async () => {
    const { stdout } = await botctl(['tenants', 'schema']);
    const at = (...path: readonly string[]): unknown =>
      path.reduce<unknown>((value, step) => {
        const member = typeof value === 'object' && value !== null ? Object.entries(value) : [];
        return member.find(([name]) => name === step)?.[1];
      }, JSON.parse(stdout));
    const names = (value: unknown): readonly string[] => Object.keys(Object(value)).sort();
    const tenant = ['properties', 'tenants', 'additionalProperties', 'properties'];
    const own = ['administrator', 'bots', 'devices', 'documents'];
    expect(names(at(...tenant))).toEqual([...Object.keys(updateTeam.body.shape), ...own].sort());
    expect(names(at(...tenant, 'quotas', 'properties'))).toEqual([...quotaNames].sort());
    const bot = names(at(...tenant, 'bots', 'additionalProperties', 'properties'));
    const elsewhere = ['document_ids', 'team_id'];
    const written = Object.keys(writableBot.shape).filter((name) => !elsewhere.includes(name));
    expect(bot).toEqual([...written, 'documents', 'instructions_file'].sort());
    // A variable may replace a value that is not a string.
    expect(JSON.stringify(at(...tenant, 'paying'))).toContain('{"type":"string","pattern":"\\\\$\\\\{"}');
  });
});
