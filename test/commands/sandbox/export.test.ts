import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApi } from '../../sandbox/api.ts';
import { createTeam } from '../../sandbox/samples.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

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
