import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { exportSandbox } from '../../src/sandbox/control/client.ts';
import { migrations } from '../../src/sandbox/store/migrations.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { fillEverything, long } from './fill-everything.ts';
import { createDocument, createTeam } from './samples.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

const newFile = (): string => join(temporaryDirectory(), 'state.sandbox');

async function exported(file = newFile()): Promise<string> {
  await exportSandbox(sandbox.control, { file, replace: false });
  return readFileSync(file, 'utf8');
}

const anyLine = z.looseObject({ table: z.optional(z.string()), row: z.optional(z.unknown()) });

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => z.parse(anyLine, JSON.parse(line)));

const rowsOf = (text: string, table: string) =>
  linesOf(text).flatMap((line) => (line.table === table ? [line.row] : []));

describe('an export', () => {
  it('has rows of every table, the files of documents, and an end that says what is before it', async () => {
    await fillEverything(sandbox, api);
    const text = await exported();
    const [head, ...rest] = linesOf(text);
    expect(head).toEqual({
      format: 'botctl-sandbox',
      version: 1,
      schema: migrations.last,
      exported_at: expect.any(String),
      clock: { now: expect.any(String), frozen: true },
    });
    expect([...new Set(rest.flatMap(({ table }) => table ?? []))]).toEqual([
      'api_keys',
      'teams',
      'users',
      'documents',
      'bots',
      'bot_documents',
      'devices',
      'messages',
      'state',
    ]);
    const before = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1);
    expect(rest.at(-1)).toEqual({
      lines: before.split('\n').length - 1,
      sha256: createHash('sha256').update(before).digest('hex'),
    });
    expect(rowsOf(text, 'messages')).toMatchObject([{ message: 'Olá 👋\nsecond line' }]);
    const [uploaded] = rowsOf(text, 'documents').filter((row) => JSON.stringify(row).includes('long.txt'));
    const { id } = z.parse(z.looseObject({ id: z.string() }), uploaded);
    const pieces = rest.filter((line) => line['file'] === id).map((line) => String(line['data']));
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).equals(long)).toBe(true);
  });

  it('has keys by their hashes, and no secret', async () => {
    const { data } = await api.ok('createKey', { body: { name: 'ci' } });
    const text = await exported();
    expect(rowsOf(text, 'api_keys')).toHaveLength(2);
    expect(text).not.toContain(data.key_secret);
    expect(text).not.toContain(sandbox.keySecret.reveal());
  });

  it('is the same file each time but for the time that it was made at', async () => {
    await fillEverything(sandbox, api);
    const made = async () => linesOf(await exported()).slice(1, -1);
    expect(await made()).toEqual(await made());
  });

  it('is for its owner alone, and leaves nothing beside it', async () => {
    const directory = temporaryDirectory();
    await exported(join(directory, 'state.sandbox'));
    expect(statSync(join(directory, 'state.sandbox')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['state.sandbox']);
  });

  it('replaces no file unless it is told to', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    await expect(exported(file)).rejects.toMatchObject({
      kind: 'invalidInput',
      message: `${file} is there already. Nothing was written.`,
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await exportSandbox(sandbox.control, { file, replace: true });
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"format":"botctl-sandbox"/);
  });

  it('is not written where the file of a document is gone', async () => {
    const team = await createTeam(api);
    const document = await createDocument(api, team.id);
    rmSync(join(sandbox.files, document.file_url));
    const directory = temporaryDirectory();
    await expect(exported(join(directory, 'state.sandbox'))).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining(`The file of the document hours.txt (${document.id}) is not there`),
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('says why a place can not be written to', async () => {
    const file = join(temporaryDirectory(), 'missing', 'state.sandbox');
    await expect(exported(file)).rejects.toMatchObject({
      kind: 'invalidInput',
      message: `Can't write ${file}: its directory does not exist.`,
    });
  });
});
