import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

const run = (...args: readonly string[]): Promise<Ran> =>
  botctl(['sandbox', 'fault', ...args, '--data', sandbox.data]);
const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await run(...args, '-o', 'json')).stdout);

describe('sandbox fault', () => {
  it('is added, listed with the number of its requests, and cleared', async () => {
    const added = await run(
      'add',
      'listTeams',
      '--status',
      '500',
      '--times',
      '1',
      '--after',
      '1',
      '-o',
      'json',
    );
    expect(added.exitCode).toBe(0);
    const { id, ...fault } = JSON.parse(added.stdout);
    const words = { target: 'listTeams', effect: 'status 500 INTERNAL_ERROR', when: 'after 1, times 1' };
    expect(fault).toEqual({ ...words, seen: 0, met: 0 });
    expect(added.stderr).toContain(`botctl sandbox fault clear ${id} --data ${sandbox.data}`);

    await botctl(['teams', 'list'], { env: sandbox.env });
    const failed = await botctl(['teams', 'list', '--retries', '0'], { env: sandbox.env });
    expect(failed.exitCode).toBe(8);
    expect(await json('list')).toEqual([{ id, ...words, seen: 2, met: 1 }]);

    const cleared = await run('clear', id);
    expect(cleared.stdout).toBe('cleared\t1\n');
    expect(await json('list')).toEqual([]);
  });

  it('is cleared with all others', async () => {
    await run('add', 'POST', '/teams', '--reset', 'after');
    await run('add', '* /**', '--delay', '1ms');
    expect(await json('clear')).toEqual({ cleared: 2 });
  });

  it.each([
    [['--status', '429', '--retry-after', 'date'], 'status 429 RATE_LIMITED, retry-after date'],
    [['--status', '400', '--code', 'ODD'], 'status 400 ODD'],
    [['--delay', '3s', '--truncate'], 'delay 3s, truncate'],
    [['--reset', 'before'], 'reset before'],
  ])('accepts %j', async (options, effect) => {
    expect(await json('add', 'listTeams', ...options)).toMatchObject({ effect });
  });

  it('responds with the content of a file', async () => {
    const file = join(temporaryDirectory(), 'page.html');
    writeFileSync(file, '<h1>Sorry</h1>');
    expect(await json('add', 'listTeams', '--body', file, '--status', '502')).toMatchObject({
      effect: 'body of 14 bytes, type text/html, status 502',
    });
    const raw = await botctl(['api', 'GET', '/api/openapi/v1/teams', '--retries', '0'], { env: sandbox.env });
    expect(raw.exitCode).toBe(8);
  });

  it.each([
    [['listTeam', '--status', '429'], 'listTeams?'],
    [['DELETE', '/teams/*', '--status', '429'], 'DELETE /teams/*'],
    [['listTeams'], 'nothing'],
    [['listTeams', '--status', '200'], '--body'],
    [['listTeams', '--status', '700'], '--status'],
    [['listTeams', '--status', '429', '--truncate'], '--truncate'],
    [['listTeams', '--delay', '3s', '--code', 'X'], '--code'],
    [['listTeams', '--delay', '3s', '--seed', '1'], '--seed'],
    [['listTeams', '--delay', '25d'], '--delay'],
    [['listTeams', '--status', '500', '--code', 'Ñ'], '--code'],
    [['listTeams', '--truncate', '--rate', '1.5'], '--rate'],
    [['listTeams', '--truncate', '--times', '0'], '--times'],
    [['listTeams', '--body', '/nowhere/page.html'], '/nowhere/page.html'],
    [['listTeams', '--body', '/dev/null', '--type', 'a\nb'], '--type'],
  ])('is refused with exit code 2, naming the cause: %j', async (args, words) => {
    const ran = await run('add', ...args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(await json('list')).toEqual([]);
  });

  it('is not found by another id', async () => {
    expect(await run('clear', '77')).toMatchObject({ exitCode: 5 });
  });
});
