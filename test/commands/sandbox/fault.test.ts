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
  it('adds, lists with what was met, and clears', async () => {
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
    expect(added.stderr).toContain(`✓ Added fault ${id}.`);
    expect(added.stderr).toContain(`End it: botctl sandbox fault clear ${id} --data ${sandbox.data}`);

    await botctl(['teams', 'list'], { env: sandbox.env });
    const failed = await botctl(['teams', 'list', '--retries', '0'], { env: sandbox.env });
    expect(failed.exitCode).toBe(8);
    expect(await json('list')).toEqual([{ id, ...words, seen: 2, met: 1 }]);

    const cleared = await run('clear', id);
    expect(cleared.stdout).toBe('cleared\t1\n');
    expect(cleared.stderr).toContain('Removed 1 fault.');
    expect(await json('list')).toEqual([]);
  });

  it('clears all, and says that there is none', async () => {
    await run('add', 'POST', '/teams', '--reset', 'after');
    await run('add', '* /**', '--delay', '1ms');
    expect(await json('clear')).toEqual({ cleared: 2 });
    const none = await botctl(['sandbox', 'fault', 'list', '--data', sandbox.data], { terminal: true });
    expect(none.stderr).toContain('No faults.');
    expect(none.stderr).toContain('botctl sandbox fault add listTeams');
  });

  it.each([
    [['--status', '429', '--retry-after', 'date'], 'status 429 RATE_LIMITED, retry-after date'],
    [['--status', '429', '--retry-after', 'none'], 'status 429 RATE_LIMITED'],
    [['--status', '400', '--code', 'ODD'], 'status 400 ODD'],
    [['--delay', '3s'], 'delay 3s'],
    [['--delay', '3s', '--truncate'], 'delay 3s, truncate'],
    [['--reset', 'before'], 'reset before'],
  ])('says what %j does', async (options, effect) => {
    expect(await json('add', 'listTeams', ...options)).toMatchObject({ effect });
  });

  it('answers with a file', async () => {
    const file = join(temporaryDirectory(), 'page.html');
    writeFileSync(file, '<h1>Sorry</h1>');
    expect(await json('add', 'listTeams', '--body', file, '--status', '502')).toMatchObject({
      effect: 'body of 14 bytes, type text/html, status 502',
    });
    const raw = await botctl(['api', 'GET', '/api/openapi/v1/teams', '--retries', '0'], { env: sandbox.env });
    expect(raw.exitCode).toBe(8);
    expect(raw.stderr).toContain('502');
  });

  it.each([
    [['listTeam', '--status', '429'], 'Did you mean listTeams?'],
    [['DELETE', '/teams/*', '--status', '429'], 'The API has no call DELETE /teams/*.'],
    [['listTeams'], 'The fault does nothing.'],
    [['listTeams', '--status', '200'], 'needs a --body'],
    [['listTeams', '--status', '700'], '--status'],
    [['listTeams', '--status', '429', '--truncate'], 'exclude each other'],
    [['listTeams', '--reset', 'midway'], 'before, after'],
    [['listTeams', '--delay', '3s', '--code', 'X'], '--code is only for'],
    [['listTeams', '--delay', '3s', '--retry-after', '2'], '--retry-after is only for'],
    [['listTeams', '--delay', '3s', '--type', 'text/html'], '--type is only for'],
    [['listTeams', '--delay', '3s', '--seed', '1'], '--seed is only for'],
    [['listTeams', '--delay', '0s'], 'greater than 0'],
    [['listTeams', '--delay', '25d'], '--delay must be 24d at most'],
    [['listTeams', '--status', '500', '--code', 'Ñ'], '--code must be up to 200 characters of ASCII'],
    [['listTeams', '--truncate', '--rate', '1.5'], 'from 0 to 1'],
    [['listTeams', '--truncate', '--rate', '0'], 'greater than 0'],
    [['listTeams', '--truncate', '--times', '0'], 'at least 1'],
    [['listTeams', '--status', '429', '--retry-after', 'soon'], 'date or none'],
    [['listTeams', '--body', '/nowhere/page.html'], 'no such file'],
    [['listTeams', '--body', '/dev/null', '--type', 'a\nb'], 'type'],
    [[], 'target'],
  ])('refuses %j', async (args, words) => {
    const ran = await run('add', ...args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain(words);
    expect(await json('list')).toEqual([]);
  });

  it('knows no fault of another id', async () => {
    const ran = await run('clear', '77');
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('no fault 77');
    expect(ran.stderr).toContain('botctl sandbox fault list');
  });
});
