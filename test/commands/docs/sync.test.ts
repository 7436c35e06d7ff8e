import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Ledger } from '../../../src/documents/sync/ledger.ts';
import { processView } from '../../../src/lib/running-process.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answer } from '../../support/answer.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { scaledClock, withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let team: string;
let home: string;
let folder: string;
beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  home = temporaryDirectory();
  folder = join(temporaryDirectory(), 'handbook');
  mkdirSync(folder);
});

const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const writeAll = (...paths: readonly string[]): void => {
  for (const path of paths) write(path, path);
};
const ledgerFile = (): string => join(dirname(folder), '.botctl-docs.json');
const ledger = (): string => readFileSync(ledgerFile(), 'utf8');

const rowSchema = z.looseObject({
  path: z.nullable(z.string()),
  change: z.string(),
  outcome: z.string(),
  id: z.nullable(z.string()),
});

interface Synced {
  readonly exitCode: number;
  readonly stderr: string;
  /** The result of each file: `new uploaded`. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly rows: readonly z.infer<typeof rowSchema>[];
}

async function sync(options: readonly string[] = [], more: RunOptions = {}): Promise<Synced> {
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
  const line = ['docs', 'sync', folder, '--team', team, '-o', 'json', ...options];
  const { exitCode, stdout, stderr } = await botctl(line, { ...more, env });
  const rows = stdout === '' ? [] : z.parse(z.array(rowSchema), JSON.parse(stdout));
  const outcomes = rows.map(({ path, change, outcome }) => [path, `${change} ${outcome}`] as const);
  return { exitCode, stderr, rows, outcomes: Object.fromEntries(outcomes) };
}

/** Returns the document id of a file, because rows come in any order. */
const idOf = ({ rows }: Pick<Synced, 'rows'>, path: string | null) =>
  rows.find((row) => row.path === path)?.id;

interface Listed {
  readonly id: unknown;
  readonly name: string;
}

async function documents(): Promise<readonly Listed[]> {
  const { stdout } = await botctl(['docs', 'list', '--team', team, '-o', 'json'], { env: sandbox.env });
  return JSON.parse(stdout);
}

/** Returns the names of the team's documents. */
async function stored(): Promise<readonly string[]> {
  return (await documents()).map(({ name }) => name).toSorted();
}

/** Returns a function that lists the writes of the syncs from now on. */
async function writesFromNow(): Promise<() => Promise<readonly string[]>> {
  const seen = await requestsFromNow(sandbox);
  return async () =>
    (await seen()).filter(({ method }) => method !== 'GET').flatMap(({ operation }) => operation ?? []);
}

const retired = expect.stringMatching(/^menu\.txt \(until \d{4}-\d\d-\d\d\)$/);

describe('docs sync', () => {
  it('uploads new files once, and then only reads the list', async () => {
    write('menu.txt', 'soup');
    write('wines/red.md', 'merlot');
    const first = await sync();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.outcomes).toEqual({ 'menu.txt': 'new uploaded', 'wines/red.md': 'new uploaded' });
    expect(await stored()).toEqual(['menu.txt', 'red.md']);
    const text = ledger();
    const seen = await requestsFromNow(sandbox);
    const second = await sync();
    expect(second).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'unchanged unchanged' } });
    expect((await seen()).map(({ operation }) => operation)).toEqual(['listDocuments']);
    expect(ledger()).toBe(text);
  });

  it('uploads a changed file, and renames its earlier document', async () => {
    write('menu.txt', 'soup');
    const [before] = (await sync()).rows;
    for (const text of ['soup and fish', 'soup and bread']) {
      write('menu.txt', text);
      const ran = await sync();
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.outcomes).toEqual({ 'menu.txt': 'changed uploaded' });
    }
    expect(await stored()).toEqual([
      'menu.txt',
      retired,
      expect.stringMatching(/^menu\.txt \(until \d{4}-\d\d-\d\d\)( 2)?$/),
    ]);
    expect(new Set(await stored()).size).toBe(3);
    expect(ledger()).toContain(String(before?.id));
  });

  it('reuses the earlier document of a file that has its earlier content again, and uploads nothing', async () => {
    const bot = await service.createBot(team, 'Front desk');
    const ids: unknown[] = [];
    for (const text of ['soup', 'fish', 'bread']) {
      write('menu.txt', text);
      ids.push(idOf(await sync(['--attach', bot]), 'menu.txt'));
    }
    write('menu.txt', 'soup');
    expect(await sync(['--check'])).toMatchObject({
      exitCode: 11,
      outcomes: { 'menu.txt': 'renamed would rename' },
    });
    const writes = await writesFromNow();
    const ran = await sync(['--attach', bot]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'renamed renamed' } });
    expect(idOf(ran, 'menu.txt')).toBe(ids[0]);
    // The renamed document, the bot, and the replaced document.
    expect(await writes()).toEqual(['updateDocument', 'updateBot', 'updateDocument']);
    expect(await stored()).toEqual([
      'menu.txt',
      retired,
      expect.stringMatching(/^menu\.txt \(until .+\)( 2)?$/),
    ]);
    expect((await service.bot(bot)).documents).toMatchObject([{ document_id: ids[0] }]);
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0 });
    write('menu.txt', 'fish');
    expect(idOf(await sync(), 'menu.txt')).toBe(ids[1]);
    expect(new Set(await stored()).size).toBe(3);
  });

  it('keeps the name of an earlier document that another user renamed meanwhile', async () => {
    write('menu.txt', 'soup');
    const id = idOf(await sync(), 'menu.txt') ?? '';
    const listed = answer(await documents(), { page: 1, limit: 100, total: 1, totalPages: 1 });
    await service.call('PATCH', `/documents/${id}`, { name: 'winter.txt' });
    await callControl(sandbox.control, '/fault/add', { target: 'listDocuments', effect: listed, times: 1 });
    write('menu.txt', 'fish');
    const writes = await writesFromNow();
    const ran = await sync();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'changed uploaded' } });
    expect(await writes()).toEqual(['createDocument']);
    expect(await stored()).toEqual(['menu.txt', 'winter.txt']);
  });

  it('renames the document of a file that was renamed, even if another file is at its old path', async () => {
    write('a.txt', 'one');
    write('b.txt', 'two');
    write('c.txt', 'three');
    const first = await sync();
    renameSync(join(folder, 'b.txt'), join(folder, 'd.txt'));
    renameSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    mkdirSync(join(folder, 'sub'));
    renameSync(join(folder, 'c.txt'), join(folder, 'sub', 'c.txt'));
    const writes = await writesFromNow();
    const ran = await sync();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.rows.map(({ path, change, id }) => [path, change, id])).toEqual([
      ['b.txt', 'renamed', idOf(first, 'a.txt')],
      ['d.txt', 'renamed', idOf(first, 'b.txt')],
      ['sub/c.txt', 'renamed', idOf(first, 'c.txt')],
    ]);
    expect(await writes()).toEqual(['updateDocument', 'updateDocument']);
    expect(await stored()).toEqual(['b.txt', 'c.txt', 'd.txt']);
    expect((await sync()).outcomes['d.txt']).toBe('unchanged unchanged');
  });

  it('uploads nothing for a file that was saved again with the same text', async () => {
    write('notes.txt', 'one\ntwo\n');
    await sync();
    write('notes.txt', 'one\r\ntwo\r\n');
    const writes = await writesFromNow();
    expect(await sync()).toMatchObject({ exitCode: 0, outcomes: { 'notes.txt': 'same text noted' } });
    expect(await writes()).toEqual([]);
    expect((await sync()).outcomes).toEqual({ 'notes.txt': 'unchanged unchanged' });
  });

  it('names what is refused on every run, and tries it again once it has other bytes', async () => {
    write('menu.txt', 'soup');
    write('scan.pdf', 'no PDF');
    write('table.csv', 'a,b');
    for (const change of ['new uploaded', 'unchanged unchanged']) {
      const ran = await sync();
      expect(ran.exitCode).toBe(10);
      expect(ran.outcomes).toEqual({
        'menu.txt': change,
        'scan.pdf': 'refused refused',
        'table.csv': 'refused refused',
      });
      expect(ran.rows).toContainEqual(expect.objectContaining({ path: 'scan.pdf', reason: 'mismatch' }));
    }
    expect(ledger()).not.toContain(folder);
    write('scan.pdf', '');
    expect((await sync()).rows).toContainEqual(
      expect.objectContaining({ path: 'scan.pdf', reason: 'empty' }),
    );
    const mended = await sync(['--exclude', 'scan.pdf', '--as-text', '*.csv']);
    expect(mended.exitCode, mended.stderr).toBe(0);
    expect(await stored()).toEqual(['menu.txt', 'table.csv']);
  });

  it('keeps the document of a file whose new content is refused', async () => {
    write('menu.txt', 'soup');
    const [row] = (await sync()).rows;
    write('menu.txt', '\0\0\0');
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 10, rows: [{ outcome: 'refused', reason: 'not-text' }] });
    write('menu.txt', 'soup');
    expect((await sync()).rows).toMatchObject([{ change: 'unchanged', id: row?.id }]);
  });

  it('names the files that are refused, and a remedy for each, with --check and in the plan', async () => {
    write('menu.txt', 'soup');
    write('prices.csv', 'soup;4');
    const ran = await sync(['--check', '--exclude', 'menu.txt']);
    expect(ran).toMatchObject({ exitCode: 10 });
    expect(ran.stderr).toContain('refused: unsupported 1 (prices.csv).');
    expect(ran.stderr).toContain('prices.csv: To treat it as text, add: --as-text');
    const planned = await sync(['--check']);
    expect(planned).toMatchObject({ exitCode: 11 });
    expect(planned.stderr).toContain('Refused: 1 file: unsupported 1 (prices.csv).');
  });

  it('keeps the document of a deleted file, and reuses it when the file is back', async () => {
    write('menu.txt', 'soup');
    write('wines.txt', 'merlot');
    const first = await sync();
    rmSync(join(folder, 'menu.txt'));
    expect(await sync()).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'removed left' } });
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'removed left' } });
    write('lunch.txt', 'soup');
    const writes = await writesFromNow();
    const back = await sync();
    expect(back.exitCode, back.stderr).toBe(0);
    expect(back.rows).toContainEqual(
      expect.objectContaining({ path: 'lunch.txt', id: idOf(first, 'menu.txt') }),
    );
    expect(await writes()).toEqual(['updateDocument']);
    expect(await stored()).toEqual(['lunch.txt', 'wines.txt']);
  });

  it('asks the user once before it uploads, and not if there is nothing to do', async () => {
    write('a.txt', 'one');
    write('b.txt', 'two');
    const asked = { terminal: true, piped: true } as const;
    const no = await sync([], { ...asked, answers: { 'Sync ': 'n' } });
    expect(no).toMatchObject({ exitCode: 3, rows: [] });
    expect(await stored()).toEqual([]);
    const yes = await sync([], { ...asked, answers: { 'Sync ': 'y' } });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(await sync([], asked)).toMatchObject({ exitCode: 0 });
    write('a.txt', 'another one');
    renameSync(join(folder, 'b.txt'), join(folder, 'c.txt'));
    const all = await sync(['--yes'], asked);
    expect(all.exitCode, all.stderr).toBe(0);
  });

  it('uploads no more than --max-new, or than 50 without a terminal', async () => {
    for (let index = 0; index < 51; index += 1) write(`${index}.txt`, `${index}`);
    const many = await sync(['--yes']);
    expect(many).toMatchObject({ exitCode: 2, rows: [] });
    expect(many.stderr).toContain('--max-new 51');
    expect(await sync(['--include', '1.txt', '--max-new', '0'])).toMatchObject({ exitCode: 2 });
    expect(await stored()).toEqual([]);
    expect(await sync(['--include', '1.txt', '--max-new', '1'])).toMatchObject({ exitCode: 0 });
  });

  it('warns of a document with the name of a new file that is not in the ledger', async () => {
    write('menu.txt', 'soup');
    const id = idOf(await sync(), 'menu.txt');
    rmSync(ledgerFile());
    write('menu.txt', 'soup and fish');
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'new uploaded' } });
    expect(ran.stderr).toContain(`menu.txt (${id})`);
  });

  it('reports the differences with --check, and changes nothing', async () => {
    write('a.txt', 'one');
    write('b.txt', 'two');
    const fresh = await sync(['--check']);
    expect(fresh).toMatchObject({ exitCode: 11, outcomes: { 'a.txt': 'new would upload' } });
    expect(() => ledger()).toThrow('ENOENT');
    await sync();
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0 });
    const text = ledger();
    write('a.txt', 'another one');
    renameSync(join(folder, 'b.txt'), join(folder, 'c.txt'));
    const writes = await writesFromNow();
    const ran = await sync(['--check']);
    expect(ran).toMatchObject({
      exitCode: 11,
      outcomes: { 'a.txt': 'changed would upload', 'c.txt': 'renamed would rename' },
    });
    expect(await writes()).toEqual([]);
    expect(ledger()).toBe(text);
  });

  it('renames a document back that was renamed in the team', async () => {
    write('menu.txt', 'soup');
    const first = await sync();
    const id = idOf(first, 'menu.txt') ?? '';
    await service.call('PATCH', `/documents/${id}`, { name: 'lunch.txt' });
    const check = await sync(['--check']);
    expect(check).toMatchObject({ exitCode: 11, outcomes: { 'menu.txt': 'renamed would rename' } });
    expect(await sync()).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'renamed renamed' } });
    expect(await stored()).toEqual(['menu.txt']);
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0 });
  });

  it('renames an earlier document that a killed run had not yet renamed', async () => {
    write('menu.txt', 'soup');
    const id = idOf(await sync(), 'menu.txt');
    write('menu.txt', 'fish');
    await sync();
    await service.call('PATCH', `/documents/${id}`, { name: 'menu.txt' });
    writeFileSync(ledgerFile(), ledger().replace('"name":"menu.txt"', '"name":"menu.txt of before"'));
    expect(await sync()).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'unchanged unchanged' } });
    expect(await stored()).toEqual(['menu.txt', retired]);
    expect(ledger()).toContain('"name":"menu.txt","sha256"');
  });

  it('renames an earlier document on the next run if its rename failed, and --check reports it until then', async () => {
    write('menu.txt', 'soup');
    const id = idOf(await sync(), 'menu.txt');
    write('menu.txt', 'fish soup');
    const effect = { kind: 'status', status: 400 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'updateDocument', effect, times: 1 });
    const ran = await sync();
    expect(ran.exitCode).toBe(10);
    const check = await sync(['--check']);
    expect(check).toMatchObject({ exitCode: 11, outcomes: { 'menu.txt': 'unchanged unchanged' } });
    expect(check.stderr).toContain(`menu.txt (${id})`);
    expect(await sync()).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual(['menu.txt', retired]);
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0 });
  });

  it('matches existing documents to the files of a folder without a ledger', async () => {
    write('menu.txt', 'soup');
    write('wines.txt', 'merlot');
    const { rows } = await sync();
    rmSync(ledgerFile());
    write('wines.txt', 'rioja!');
    const writes = await writesFromNow();
    expect(await sync(['--check'])).toMatchObject({ exitCode: 0 });
    const ran = await sync();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.outcomes).toEqual({ 'menu.txt': 'new already there', 'wines.txt': 'new already there' });
    for (const { path, id } of rows) expect(idOf(ran, path)).toBe(id);
    expect(await writes()).toEqual([]);
  });

  it('matches an existing document in any composition of its accents', async () => {
    const name = 'caf\u00e9.txt';
    write(name, 'soup');
    const id = idOf(await sync(), name);
    await service.call('PATCH', `/documents/${id}`, { name: name.normalize('NFD') });
    rmSync(ledgerFile());
    const writes = await writesFromNow();
    const ran = await sync();
    expect(ran.outcomes).toEqual({ [name]: 'new already there' });
    expect(idOf(ran, name)).toBe(id);
    expect((await sync()).outcomes).toEqual({ [name]: 'unchanged unchanged' });
    expect(await writes()).toEqual([]);
  });

  it('uploads nothing if several documents may be that of a file', async () => {
    write('menu.txt', 'soup');
    write('wines.txt', 'merlot');
    const line = ['docs', 'upload', join(folder, 'menu.txt'), '--team', team, '--allow', 'duplicate'];
    for (const _ of [1, 2]) await botctl(line, { env: sandbox.env });
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(await stored()).toEqual(['menu.txt', 'menu.txt']);
  });

  it('uploads deleted documents again, but not those that are only listed late', async () => {
    write('menu.txt', 'soup');
    await sync();
    const none = { success: true, data: [], meta: { page: 1, limit: 100, total: 0, totalPages: 1 } };
    const bytes = Buffer.from(JSON.stringify(none)).toString('base64');
    const effect = { kind: 'body', bytes, type: 'application/json', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'listDocuments', effect });
    const late = await sync();
    expect(late.outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
    const gone = Buffer.from(
      JSON.stringify({ success: false, error: { code: 'NOT_FOUND', message: 'none' } }),
    );
    const missing = {
      kind: 'body',
      bytes: gone.toString('base64'),
      type: 'application/json',
      status: 404,
    } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'getDocument', effect: missing });
    const ran = await sync();
    await callControl(sandbox.control, '/fault/clear', {});
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.outcomes).toEqual({ 'menu.txt': 'changed uploaded' });
  });

  it('changes nothing if the journal of earlier runs is not readable', async () => {
    writeAll('menu.txt', 'wines.txt');
    await sync();
    const uploads = join(home, 'data', 'uploads');
    const [place = ''] = readdirSync(uploads);
    writeFileSync(join(uploads, place, 'other.ndjson'), 'no line of a journal\n');
    renameSync(join(folder, 'wines.txt'), join(folder, 'drinks.txt'));
    write('menu.txt', 'stew');
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(ran.stderr).toContain('other.ndjson');
    expect(await stored()).toEqual(['menu.txt', 'wines.txt']);
  });

  it('does not take an excluded file for a removed one, in any composition of its accents', async () => {
    write(join('cafe\u0301', 'men\u00fa.txt'), 'soup');
    write('wines.txt', 'merlot');
    await sync();
    const ran = await sync(['--exclude', 'men*']);
    expect(ran.outcomes).toEqual({ 'wines.txt': 'unchanged unchanged' });
  });

  /** Leaves an upload with an unknown outcome: its response is lost, and the look-up fails. */
  const cutOff = async (): Promise<void> => {
    const lost = { kind: 'reset', when: 'after' } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect: lost, times: 1 });
    const unlisted = { kind: 'status', status: 500 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'listDocuments', effect: unlisted, after: 1 });
    await sync(['--retries', '0']);
    await callControl(sandbox.control, '/fault/clear', {});
    expect(await stored()).toEqual(['menu.txt']);
  };

  const edits = [
    ['of other figures', 'soup of the day'],
    ['of the same figures', 'fish'],
  ];
  it.each(edits)(
    'treats the upload of a killed run as an earlier document if the file was edited since: %s',
    async (_, text) => {
      write('menu.txt', 'soup');
      await cutOff();
      const [orphan] = await documents();
      write('menu.txt', text);
      const next = await sync([], { clock: withoutWaiting() });
      expect(next.exitCode, next.stderr).toBe(0);
      const names = new Map((await documents()).map(({ id, name }) => [id, name]));
      expect(names.get(idOf(next, 'menu.txt'))).toBe('menu.txt');
      expect(names.get(orphan?.id)).toMatch(/^menu\.txt \(until /);
      expect(names.size).toBe(2);
      expect((await sync()).outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
    },
  );

  it('treats the upload of a killed run as the content at that time, not as later content', async () => {
    write('menu.txt', 'soup');
    write('wines.txt', 'merlot');
    const lost = { kind: 'reset', when: 'after' } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect: lost, times: 1 });
    const unlisted = { kind: 'status', status: 500 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'listDocuments', effect: unlisted, after: 1 });
    const cut = await sync(['--retries', '0', '--concurrency', '1']);
    expect(cut.outcomes).toEqual({ 'menu.txt': 'new unknown', 'wines.txt': 'new uploaded' });
    await callControl(sandbox.control, '/fault/clear', {});
    const found = await sync();
    expect(found.outcomes).toMatchObject({ 'menu.txt': 'new already there' });
    write('menu.txt', 'fish');
    const changed = await sync();
    expect(changed.outcomes).toMatchObject({ 'menu.txt': 'changed uploaded' });
    expect(idOf(changed, 'menu.txt')).not.toBe(idOf(found, 'menu.txt'));
    expect(await stored()).toHaveLength(3);
  });

  it('stops after three uploads failed in the same way', async () => {
    writeAll('a.txt', 'b.txt', 'c.txt', 'd.txt');
    const effect = { kind: 'status', status: 429, retry_after: 0 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect });
    const writes = await writesFromNow();
    const ran = await sync(['--concurrency', '1', '--retries', '0']);
    await callControl(sandbox.control, '/fault/clear', {});
    expect(ran.exitCode).not.toBe(0);
    expect((await writes()).filter((name) => name === 'createDocument')).toHaveLength(3);
  });

  it('keeps the documents of several teams apart in one ledger', async () => {
    write('menu.txt', 'soup');
    await sync();
    const other = await service.team('Borealis');
    const ran = await sync(['--team', other]);
    expect(ran.outcomes).toEqual({ 'menu.txt': 'new uploaded' });
    expect(ledger().match(/"path":"menu.txt"/g)).toHaveLength(2);
    for (const one of [team, other])
      expect((await sync(['--team', one])).outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
  });

  it('neither takes nor renames the document of another folder in the same ledger', async () => {
    const other = join(dirname(folder), 'leaflets');
    mkdirSync(other);
    write('menu.txt', 'soup');
    writeFileSync(join(other, 'menu.txt'), 'soup');
    const first = await sync();
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    const syncOther = () => botctl(['docs', 'sync', other, '--team', team], { env });
    expect(await syncOther()).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual(['menu.txt', 'menu.txt']);
    writeFileSync(join(other, 'menu.txt'), 'fish');
    expect(await syncOther()).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual(['menu.txt', 'menu.txt', retired]);
    const { rows, exitCode } = await sync();
    expect({ rows, exitCode }).toMatchObject({
      exitCode: 0,
      rows: [{ outcome: 'unchanged', id: idOf(first, 'menu.txt') }],
    });
  });

  it('continues after a failed upload, and the next run uploads the rest', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) write(name, name);
    const effect = { kind: 'status', status: 400 } as const;
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect,
      after: 1,
      times: 1,
    });
    const ran = await sync(['--concurrency', '1']);
    expect(ran.exitCode).toBe(10);
    expect(ran.outcomes).toMatchObject({
      'a.txt': 'new uploaded',
      'b.txt': 'new failed',
      'c.txt': 'new uploaded',
    });
    const writes = await writesFromNow();
    expect(await sync()).toMatchObject({ exitCode: 0, outcomes: { 'b.txt': 'new uploaded' } });
    expect(await writes()).toEqual(['createDocument']);
  });
});

describe('a file that was synced before', () => {
  it('is uploaded if it was changed and its mtime restored', async () => {
    write('menu.txt', 'soup');
    await sync();
    const { atime, mtime } = statSync(join(folder, 'menu.txt'));
    write('menu.txt', 'fish');
    utimesSync(join(folder, 'menu.txt'), atime, mtime);
    expect((await sync(['--check'])).outcomes).toEqual({ 'menu.txt': 'changed would upload' });
  });

  it('is refused again for the same reason', async () => {
    write('menu.txt', '');
    write('wines.pdf', 'no pdf');
    const first = await sync();
    expect(await sync()).toMatchObject({ exitCode: 10, outcomes: first.outcomes });
  });
});

describe('the options of a sync', () => {
  it('apply to the next syncs until others are given', async () => {
    writeAll('sub/menu.txt', 'menu.txt', 'table.csv', 'draft.txt');
    const options = ['--name-by', 'path', '--as-text', '*.csv', '--exclude', 'draft*'];
    const first = await sync(options);
    expect(first.exitCode, first.stderr).toBe(0);
    const names = ['menu.txt', 'sub/menu.txt', 'table.csv'];
    expect(await stored()).toEqual(names);
    const text = ledger();
    const writes = await writesFromNow();
    for (const more of [[], ['--check'], options]) {
      const again = await sync(more);
      expect(again.exitCode, again.stderr).toBe(0);
      expect(new Set(Object.values(again.outcomes))).toEqual(new Set(['unchanged unchanged']));
    }
    expect(await writes()).toEqual([]);
    expect(ledger()).toBe(text);
    const all = await sync(['--include', '*']);
    expect(all).toMatchObject({ exitCode: 0, outcomes: { 'draft.txt': 'new uploaded' } });
    expect(await stored()).toEqual(['draft.txt', ...names]);
    rmSync(join(folder, 'sub'), { recursive: true });
    expect(await sync(['--name-by', 'name', '--check'])).toMatchObject({ exitCode: 11 });
    const last = await sync();
    expect(last.outcomes).toEqual({
      ...{ 'draft.txt': 'unchanged unchanged', 'menu.txt': 'unchanged unchanged' },
      ...{ 'sub/menu.txt': 'removed left', 'table.csv': 'unchanged unchanged' },
    });
  });

  it('are stored for each team, and not by --check', async () => {
    writeAll('a.txt', 'b.txt');
    expect(await sync(['--include', 'a*', '--check'])).toMatchObject({ exitCode: 11 });
    expect((await sync()).outcomes).toEqual({ 'a.txt': 'new uploaded', 'b.txt': 'new uploaded' });
    await sync(['--include', 'a*']);
    expect((await sync()).outcomes).toEqual({ 'a.txt': 'unchanged unchanged' });
    const other = await service.team('Borealis');
    expect(Object.keys((await sync(['--team', other])).outcomes).toSorted()).toEqual(['a.txt', 'b.txt']);
  });
});

describe('docs sync with a service that shows sizes in another unit than bytes', () => {
  const lost = { kind: 'reset', when: 'after' } as const;
  // The last size distinguishes kB from KiB, and each of them shows the rounding.
  const texts = [1501, 2001, 100_001].map((size) => 'x'.repeat(size));
  const writeLong = (): void => {
    for (const [index, text] of texts.entries()) write(`${index}.txt`, text);
  };

  it('settles a lost answer by the unit of earlier answers, which the ledger stores', async () => {
    sandbox.behave({ size_unit: 'kB' });
    writeLong();
    const first = await sync();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(ledger()).toMatch(/"sizes":\[\[\d+,\d+\]/);
    write('0.txt', texts.join(' '));
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect: lost, times: 1 });
    const writes = await writesFromNow();
    const ran = await sync();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.outcomes['0.txt']).toBe('changed uploaded');
    expect(await writes()).toEqual(['createDocument', 'updateDocument']);
  });

  it('leaves a lost answer unknown if no answer has shown the unit', async () => {
    sandbox.behave({ size_unit: 'kB' });
    writeLong();
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect: lost, times: 1 });
    const ran = await sync(['--include', '0.txt'], { clock: withoutWaiting() });
    expect(ran).toMatchObject({ exitCode: 12, rows: [{ outcome: 'unknown' }] });
    expect(await stored()).toEqual(['0.txt']);
    // The answers to the other uploads show the unit.
    const others = await sync(['--exclude', '0.txt']);
    expect(others.exitCode, others.stderr).toBe(0);
    const all = await sync(['--include', '*']);
    expect(all).toMatchObject({ exitCode: 0, outcomes: { '0.txt': 'new already there' } });
    expect(await stored()).toEqual(['0.txt', '1.txt', '2.txt']);
  });

  it('matches documents by their characters if no size is shown, and uploads nothing if neither is', async () => {
    sandbox.behave({ rename: [{ from: 'size', to: 'weight' }] });
    write('menu.txt', 'soup');
    write('wines.txt', 'riesling');
    await sync();
    rmSync(ledgerFile());
    write('wines.txt', 'merlot');
    expect((await sync()).outcomes).toEqual({
      'menu.txt': 'new already there',
      'wines.txt': 'new uploaded',
    });
    rmSync(ledgerFile());
    sandbox.behave({ rename: [{ from: 'chars', to: 'length' }] });
    const before = await stored();
    expect(await sync()).toMatchObject({ exitCode: 2, rows: [] });
    expect(await stored()).toEqual(before);
  });
});

describe('docs sync --attach', () => {
  const documentsOf = async (bot: string) => {
    const { documents } = z.parse(
      z.looseObject({ documents: z.array(z.looseObject({ document_id: z.string() })) }),
      await service.bot(bot),
    );
    return documents.map(({ document_id }) => document_id);
  };
  let bot: string;
  let foreign: string;
  beforeEach(async () => {
    foreign = await service.document(team, 'foreign.txt');
    bot = await service.createBot(team, 'Front desk');
    await service.call('PATCH', `/bots/${bot}`, { document_ids: [foreign] });
    write('a.txt', 'one');
    write('b.txt', 'two');
  });

  it('attaches documents and their replacements, and keeps what others attached', async () => {
    const first = await sync(['--attach', 'Front desk']);
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.rows.at(-1)).toMatchObject({ bot, outcome: 'attached', attached: 2, detached: 0 });
    const [a, b] = [idOf(first, 'a.txt'), idOf(first, 'b.txt')];
    expect(await documentsOf(bot)).toEqual([foreign, a, b]);
    const other = await service.document(team, 'other.txt');
    await service.call('PATCH', `/bots/${bot}`, { document_ids: [a, other, b, foreign] });
    write('a.txt', 'another one');
    const second = await sync(['--attach', bot, '--attach', 'Front desk']);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(await documentsOf(bot)).toEqual([idOf(second, 'a.txt'), other, b, foreign]);
  });

  it('detaches removed files only with --detach-removed', async () => {
    const first = await sync(['--attach', bot]);
    rmSync(join(folder, 'a.txt'));
    expect(await sync(['--attach', bot])).toMatchObject({ exitCode: 0 });
    expect(await documentsOf(bot)).toContain(idOf(first, 'a.txt'));
    expect(await sync(['--attach', bot, '--detach-removed', '--check'])).toMatchObject({ exitCode: 11 });
    expect(await sync(['--attach', bot, '--detach-removed'])).toMatchObject({ exitCode: 0 });
    expect(await documentsOf(bot)).toEqual([foreign, idOf(first, 'b.txt')]);
    expect(await sync(['--detach-removed'])).toMatchObject({ exitCode: 2 });
  });

  it('does not change a published bot unless that is allowed', async () => {
    await service.publish(bot);
    const waiting = await sync(['--attach', bot, '--yes']);
    expect(waiting).toMatchObject({ exitCode: 10 });
    expect(waiting.rows.map(({ outcome }) => outcome)).toEqual(['uploaded', 'uploaded', 'waits']);
    expect(waiting.stderr).toContain('--allow unpublish');
    expect(await service.bot(bot)).toMatchObject({ published: true });
    expect(await sync(['--attach', bot, '--check'])).toMatchObject({ exitCode: 11 });
    const ran = await sync(['--attach', bot, '--allow', 'unpublish']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await documentsOf(bot)).toHaveLength(3);
    await service.publish(bot);
    expect(await sync(['--attach', bot])).toMatchObject({ exitCode: 0 });
    expect(await service.bot(bot)).toMatchObject({ published: true });
  });

  it('does not change a bot that may be published', async () => {
    const { published: _, ...shown } = await service.bot(bot);
    const bytes = Buffer.from(JSON.stringify({ success: true, data: shown })).toString('base64');
    const effect = { kind: 'body', bytes, type: 'application/json', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'getBot', effect });
    const ran = await sync(['--attach', bot, '--yes']);
    expect(ran).toMatchObject({ exitCode: 10 });
    expect(ran.rows.at(-1)).toMatchObject({ outcome: 'waits' });
    expect(await documentsOf(bot)).toEqual([foreign]);
  });

  it('renames an earlier document only once no bot has it', async () => {
    await sync(['--attach', bot]);
    await service.publish(bot);
    write('a.txt', 'another one');
    const waiting = await sync(['--attach', bot]);
    expect(waiting).toMatchObject({ exitCode: 10 });
    expect(await stored()).toEqual(['a.txt', 'a.txt', 'b.txt', 'foreign.txt']);
    const writes = await writesFromNow();
    const ran = await sync(['--attach', bot, '--allow', 'unpublish']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await writes()).toEqual(['updateBot', 'updateDocument']);
    const until = expect.stringMatching(/^a\.txt \(until /);
    expect(await stored()).toEqual(['a.txt', until, 'b.txt', 'foreign.txt']);
    expect(await sync(['--attach', bot, '--check'])).toMatchObject({ exitCode: 0 });
  });

  it('asks the user before it unpublishes a bot', async () => {
    await service.publish(bot);
    const question = 'Front desk is published.';
    const no = await sync(['--attach', bot], { terminal: true, piped: true, answers: { [question]: 'n' } });
    expect(no).toMatchObject({ exitCode: 3, rows: [] });
    expect(await stored()).toEqual(['foreign.txt']);
    const yes = await sync(['--attach', bot], { terminal: true, piped: true, answers: { [question]: 'y' } });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(await documentsOf(bot)).toHaveLength(3);
  });

  it('reports a failure if the service did not attach what was sent', async () => {
    const { data } = { data: await service.bot(bot) };
    const bytes = Buffer.from(JSON.stringify({ success: true, data })).toString('base64');
    const effect = { kind: 'body', bytes, type: 'application/json', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'updateBot', effect });
    const ran = await sync(['--attach', bot]);
    expect(ran).toMatchObject({ exitCode: 10 });
    expect(ran.rows.at(-1)).toMatchObject({ bot, outcome: 'failed' });
  });

  it('attaches only the chosen files, and replaces the earlier document of another', async () => {
    const first = await sync();
    const chosen = await sync(['--attach', bot, '--include', 'a*']);
    expect(chosen.rows.at(-1)).toMatchObject({ bot, attached: 1, detached: 0 });
    expect(await documentsOf(bot)).toEqual([foreign, idOf(first, 'a.txt')]);
    expect(await sync(['--attach', bot, '--exclude', 'b*', '--check'])).toMatchObject({ exitCode: 0 });
    write('a.txt', 'another one');
    const second = await sync();
    expect(await sync(['--attach', bot, '--exclude', 'a*'])).toMatchObject({ exitCode: 0 });
    expect(await documentsOf(bot)).toEqual([foreign, idOf(second, 'a.txt'), idOf(first, 'b.txt')]);
  });

  it('reports the bots that still have an earlier document', async () => {
    await sync(['--attach', bot]);
    await service.createBot(team, 'Back office');
    write('a.txt', 'another one');
    const ran = await sync();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.rows.at(-1)).toMatchObject({ bot, name: 'Front desk', change: 'bot', outcome: 'outdated' });
    expect(ran.rows.filter(({ change }) => change === 'bot')).toHaveLength(1);
    expect(ran.stderr).toContain(`--attach ${bot}`);
    write('a.txt', 'a third one');
    expect((await sync(['--attach', bot])).rows.at(-1)).toMatchObject({ bot, outcome: 'attached' });
  });

  it('reads the bot if the answer to its change was lost', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'updateBot',
      effect: { kind: 'reset', when: 'after' },
      times: 9,
    });
    const lost = await sync(['--attach', bot], { clock: scaledClock(20) });
    expect(lost.exitCode, lost.stderr).toBe(0);
    expect(lost.rows.at(-1)).toMatchObject({ bot, outcome: 'attached', attached: 2 });
    await callControl(sandbox.control, '/fault/clear', {});
    write('a.txt', 'another one');
    await callControl(sandbox.control, '/fault/add', {
      target: 'updateBot',
      effect: { kind: 'reset', when: 'before' },
      times: 9,
    });
    const none = await sync(['--attach', bot], { clock: scaledClock(20) });
    await callControl(sandbox.control, '/fault/clear', {});
    expect(none.exitCode).toBe(10);
    expect(none.rows.at(-1)).toMatchObject({ bot, outcome: 'failed' });
  });

  it('refuses a missing bot, or one of another team, before any upload', async () => {
    expect(await sync(['--attach', 'Nobody'])).toMatchObject({ exitCode: 5, rows: [] });
    const other = await service.createBot(await service.team('Borealis'), 'Elsewhere');
    const ran = await sync(['--attach', other]);
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(await stored()).toEqual(['foreign.txt']);
  });

  it('refuses more than the team has room for, before any upload', async () => {
    const team_quotas = { bots: 5, accounts: 5, characters: 1000, documents: 2, members: 5, credits: 5 };
    await service.call('PATCH', `/teams/${team}`, { quotas: team_quotas });
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 6, rows: [] });
    expect(await stored()).toEqual(['foreign.txt']);
  });
});

describe('docs sync with input that it refuses', () => {
  it.each([
    ['a folder that is not there', () => rmSync(folder, { recursive: true }), 'there is no such file'],
    ['nothing to sync', () => write('.hidden.txt', 'x'), 'No files to sync in'],
    ['two files of one document name', () => writeAll('a/menu.txt', 'b/menu.txt', 'wine.md'), 'menu.txt'],
    [
      'names that differ in how their accents are composed',
      () => writeAll('a/caf\u00e9.txt', 'b/cafe\u0301.txt'),
      'caf\u00e9.txt',
    ],
    [
      'a ledger of something else',
      () => writeFileSync(ledgerFile(), '{}'),
      "can't be read: it is not a ledger.",
    ],
    [
      'a ledger of later times',
      () => writeFileSync(ledgerFile(), '{"version":9}'),
      'a newer botctl wrote it',
    ],
  ])('refuses %s, and sends nothing', async (_, arrange, message) => {
    if (!message.startsWith('No files')) write('menu.md', 'soup');
    arrange();
    const writes = await writesFromNow();
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(ran.stderr).toContain(message);
    expect(await writes()).toEqual([]);
  });

  it('reports a bad ledger, and then colliding names', async () => {
    write('a/menu.txt', 'a');
    write('b/menu.txt', 'b');
    writeFileSync(ledgerFile(), '{}');
    const refuses = async (fact: string): Promise<void> => {
      const ran = await sync();
      expect(ran).toMatchObject({ exitCode: 2, rows: [] });
      expect(JSON.parse(ran.stderr).error).toMatchObject({ code: 'INVALID_INPUT' });
      expect(ran.stderr).toContain(fact);
      expect(await stored()).toEqual([]);
    };
    await refuses(ledgerFile());
    rmSync(ledgerFile());
    await refuses('menu.txt');
    expect(await sync(['--name-by', 'path'])).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual(['a/menu.txt', 'b/menu.txt']);
  });

  it('exits with code 5 if the team is missing', async () => {
    write('menu.txt', 'soup');
    for (const options of [[], ['--check']])
      expect(await sync(['--team', 'Nobody', ...options])).toMatchObject({ exitCode: 5, rows: [] });
    expect(await stored()).toEqual([]);
  });

  it('uploads nothing if the ledger can be locked but not replaced', async () => {
    write('menu.txt', 'soup');
    // The file system accepts the name of its lock, but not the longer name of its temporary file.
    const path = join(dirname(folder), 'l'.repeat(249));
    const ran = await sync(['--ledger', path]);
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(ran.stderr).toContain(`Can't write ${path}: `);
    expect(await stored()).toEqual([]);
  });

  it('uploads nothing twice after a long ledger could not be written at the end', async () => {
    const others = Ledger.read(ledgerFile(), dirname(folder), { origin: sandbox.baseUrl, team: 'another' });
    for (let number = 0; number < 400; number += 1) others.put({ path: `${number}`, at: '' });
    others.save();
    const before = ledger();
    writeAll('bread.txt', 'menu.txt');
    const harm = (text: string): void => {
      if (text.includes('Uploaded bread.txt')) writeFileSync(ledgerFile(), '');
    };
    const ran = await sync(['--concurrency', '1'], { onError: harm });
    expect(ran).toMatchObject({
      exitCode: 10,
      outcomes: { 'bread.txt': 'new uploaded', 'menu.txt': 'new uploaded' },
    });
    writeFileSync(ledgerFile(), before);
    const again = await sync();
    expect(again).toMatchObject({
      exitCode: 0,
      outcomes: { 'bread.txt': 'new already there', 'menu.txt': 'new already there' },
    });
    expect(await stored()).toEqual(['bread.txt', 'menu.txt']);
    expect(
      readdirSync(join(home, 'data', 'uploads'), { recursive: true }).filter((name) =>
        `${name}`.endsWith('.ndjson'),
      ),
    ).toEqual([]);
  });

  it('puts the ledger into the folder if that is the root of a repository', async () => {
    write('menu.txt', 'soup');
    mkdirSync(join(folder, '.git'));
    const own = join(folder, '.botctl-docs.json');
    const first = await sync();
    expect(first).toMatchObject({ exitCode: 0, outcomes: { 'menu.txt': 'new uploaded' } });
    expect(first.stderr).toContain(own);
    expect(readFileSync(own, 'utf8')).toContain('"folder":"."');
    const second = await sync();
    expect(second.outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
  });

  it('recognizes a folder by every path that leads to it', async () => {
    write('menu.txt', 'soup');
    const real = folder;
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(dirname(folder), link);
    folder = join(link, 'handbook');
    expect((await sync()).outcomes).toEqual({ 'menu.txt': 'new uploaded' });
    symlinkSync(real, join(link, '..', 'again'));
    for (const path of [real, folder, join(link, '..', 'again')]) {
      folder = path;
      expect((await sync()).outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
    }
    folder = join(link, 'handbook');
    // Neither the ledger in the folder nor its lock is a file to sync, on the first run too.
    const options = ['--ledger', join(link, 'handbook', 'ledger.txt')];
    expect((await sync(options)).outcomes).toEqual({ 'menu.txt': 'new already there' });
    folder = real;
    expect((await sync(options)).outcomes).toEqual({ 'menu.txt': 'unchanged unchanged' });
  });

  it('refuses to sync while another process uses the ledger, but still checks', async () => {
    write('menu.txt', 'soup');
    writeFileSync(
      `${ledgerFile()}.lock`,
      JSON.stringify({ identity: 'other', pid: process.ppid, view: processView(), details: {} }),
    );
    const ran = await sync();
    expect(ran).toMatchObject({ exitCode: 2, rows: [] });
    expect(ran.stderr).toContain(`process ${process.ppid}`);
    expect(await sync(['--check'])).toMatchObject({
      exitCode: 11,
      outcomes: { 'menu.txt': 'new would upload' },
    });
    expect(await stored()).toEqual([]);
  });
});
