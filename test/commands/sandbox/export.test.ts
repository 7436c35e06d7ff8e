import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeviceBook } from '../../../src/settings/device-book.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { createTeam } from '../../sandbox/samples.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);
const service = openDirect(sandbox);

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  botctl(['sandbox', ...args, '--data', sandbox.data], options);

describe('sandbox export', () => {
  it('says what it wrote', async () => {
    await createTeam(api);
    const file = join(temporaryDirectory(), 'a state');
    const ran = await run(['export', file, '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: `✓ Exported the sandbox to ${file}.\n` });
    expect(JSON.parse(ran.stdout)).toEqual({
      file,
      bytes: readFileSync(file).length,
      ...{ teams: 1, bots: 0, documents: 0, devices: 0, messages: 0 },
    });
  });

  it('asks before it replaces a file', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'state');
    writeFileSync(file, 'mine');
    const unasked = await run(['export', file]);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    const question = `${file} exists. Replace it with the export?`;
    const no = await run(['export', file], {
      terminal: { columns: 200, rows: 40 },
      answers: { [question]: 'n' },
    });
    expect(no.exitCode).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await run(['export', file, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toContain('botctl-sandbox');
    expect(readdirSync(directory)).toEqual(['state']);
  });

  it('writes to a new file or a regular one, and nowhere else', async () => {
    const directory = join(temporaryDirectory(), 'held');
    mkdirSync(directory);
    const onDirectory = await run(['export', directory]);
    expect(onDirectory).toMatchObject({ exitCode: 2, stdout: '' });
    expect(onDirectory.stderr).toContain(`${directory} is a directory.`);
    const nowhere = await run(['export', join(directory, 'missing', 'state')]);
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
    expect(nowhere.stderr).toContain('its directory does not exist');
  });
});

describe('sandbox import', () => {
  it('brings back what was exported, after a question that names what goes', async () => {
    const file = join(temporaryDirectory(), 'state. Really?.sandbox');
    await createTeam(api, { name: 'Aurora Coffee' });
    await run(['export', file]);
    await createTeam(api, { name: 'Later' });
    const unasked = await run(['import', file, '--replace']);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    const loss = `The sandbox at ${sandbox.baseUrl} loses all that it holds: 2 teams.`;
    // What would be asked is for somebody who can answer.
    expect(unasked.stderr).toContain(`✗ Not confirmed: ${loss}\n`);
    expect(unasked.stderr).toContain('--yes');
    const question = `${loss} Put ${file} in its place?`;
    const terminal = { columns: 200, rows: 40 };
    const no = await run(['import', file, '--replace'], { terminal, answers: { [question]: 'n' } });
    expect(no.exitCode).toBe(3);
    expect((await api.ok('listTeams')).data).toHaveLength(2);
    const ran = await run(['import', file, '--replace', '--yes', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: `✓ Imported ${file}.\n` });
    expect(JSON.parse(ran.stdout)).toMatchObject({ base_url: sandbox.baseUrl, teams: 1 });
    expect((await api.ok('listTeams')).data).toMatchObject([{ name: 'Aurora Coffee' }]);
  });

  it('says that the device book still has devices that the export has not', async () => {
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const file = join(temporaryDirectory(), 'state');
    const team = await service.team('Aurora Coffee');
    const bot = await service.createBot(team, 'Front desk');
    const exported = await service.device(team, bot, 'Reception');
    await run(['export', file]);
    const later = await service.device(team, bot, 'Counter');
    const book = createDeviceBook(findPaths(env).data);
    for (const id of [exported, later, 'no id at all'])
      await book.record(sandbox.baseUrl, { id, name: id, seenAt: '2026-01-01T00:00:00Z' });
    const ran = await run(['import', file, '--replace', '--yes'], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('The device book still has 2 devices of it from before');
    expect(ran.stderr).toContain('botctl device forget --gone');
    await book.forget(sandbox.baseUrl, 'no id at all', '2026-01-02T00:00:00Z');
    await book.forget(sandbox.baseUrl, later, '2026-01-02T00:00:00Z');
    const again = await run(['import', file, '--replace', '--yes'], { env });
    expect(again).toMatchObject({ exitCode: 0, stderr: `✓ Imported ${file}.\n` });
  });

  it('names the line for a sandbox that holds something', async () => {
    const file = join(temporaryDirectory(), 'state');
    await createTeam(api);
    await run(['export', file]);
    const ran = await run(['import', file]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('The sandbox holds teams already. Nothing was imported.');
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `botctl sandbox import ${file} --replace --data ${sandbox.data}`,
    );
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, -2)],
    ['is damaged, or was edited (line 1', (text: string) => text.replace('"frozen":false', '"frozen":0')],
    [
      'is an export of version 9; this botctl reads version 1.',
      (text: string) => text.replace('"version":1', '"version":9'),
    ],
    ['is no export of a sandbox.', () => 'id,name\n'],
  ])('says that a file %s', async (words, edited) => {
    const file = join(temporaryDirectory(), 'state');
    await run(['export', file]);
    writeFileSync(file, edited(readFileSync(file, 'utf8')));
    const ran = await run(['import', file]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(ran.stderr).toContain('Nothing was imported.');
  });

  it.skipIf(process.platform === 'win32')('never waits for a pipe', async () => {
    const file = join(temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [file]);
    const ran = await run(['import', file]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`${file} is not a regular file.`);
  });
});
