import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import {
  addFault,
  behave,
  changeClock,
  exportSandbox,
  importSandbox,
  listFaults,
  readState,
  resetSandbox,
  seed,
  usePhone,
} from '../../src/sandbox/control/client.ts';
import { importFrom } from '../../src/sandbox/export/import-file.ts';
import { isDiskFull } from '../../src/sandbox/store/disk.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Store } from '../../src/sandbox/store/store.ts';
import { tables } from '../../src/sandbox/store/tables.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { isWhole } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { isLong, runs, someOf } from '../support/long.ts';
import { copyPreparedData } from '../support/prepared-data.ts';
import { type UsedSandbox, useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { fillEverything } from './fill-everything.ts';
import { createDocument, createTeam } from './samples.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);
const empty = useSandbox();
const emptyApi = createTestApi(empty);

let file = '';
beforeEach(() => {
  file = join(temporaryDirectory(), 'state.sandbox');
});

const save = async ({ control }: UsedSandbox = sandbox, path = file): Promise<string> => {
  await exportSandbox(control, { file: path, replace: true });
  return readFileSync(path, 'utf8');
};
const bringBack = ({ control }: UsedSandbox = sandbox, replace = true) =>
  importSandbox(control, { file, replace });

/** The lines of an export but for the head, which has times, the end, and the first key of a sandbox. */
const linesBut = (text: string, keyId: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .filter((line) => !line.includes(keyId));

/** An export with another text, whose end is right. */
function ended(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ lines: lines.length, sha256 })}\n`;
}

const filesOf = ({ files }: UsedSandbox) => readdirSync(files, { recursive: true }).sort();

/** Begins an upload, and returns what gives the status of its answer once the rest is sent. */
async function beginUpload(teamId: string): Promise<() => Promise<number | undefined>> {
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const upload = request(`${sandbox.baseUrl}/api/openapi/v1/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await api.token()}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
  });
  onTestFinished(() => void upload.destroy());
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="hours.txt"\r\n\r\n';
  upload.write(`${field('team_id', teamId)}${field('chars', '14')}${head}Opening `);
  await eventually(() => filesOf(sandbox).some((name) => String(name).endsWith('.part')));
  return async () => {
    upload.end('hours.\r\n--b--\r\n');
    const [response]: IncomingMessage[] = await once(upload, 'response');
    response?.resume();
    return response?.statusCode;
  };
}

describe('an upload in the middle', () => {
  it('is kept where an import brings its team back', async () => {
    const { id } = await createTeam(api);
    await save();
    const finish = await beginUpload(id);
    await bringBack();
    expect(await finish()).toBe(200);
    const [document] = (await api.ok('listDocuments')).data;
    expect(readFileSync(join(sandbox.files, document?.file_url ?? ''), 'utf8')).toBe('Opening hours.');
  });

  it('is refused where the sandbox was emptied, and leaves nothing behind', async () => {
    const { id } = await createTeam(api);
    const finish = await beginUpload(id);
    await resetSandbox(sandbox.control);
    expect(await finish()).toBe(400);
    await eventually(() => filesOf(sandbox).length === 0);
  });
});

describe('an import that is broken off', () => {
  /** Everything that a store holds. */
  async function contents({ db, files }: Store): Promise<unknown> {
    const rows = await Promise.all(
      tables.map((table) => sql`select * from ${sql.table(table)} order by 1`.execute(db)),
    );
    return [rows.map((result) => result.rows), readdirSync(files, { recursive: true }).sort()];
  }

  const plenty = () => Number.POSITIVE_INFINITY;
  let home = '';
  let store: Store;
  let freeSpace = plenty;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'botctl-import-'));
    copyPreparedData(inject('sharedHome'), join(home, 'data'));
    store = await openStore(join(home, 'data'), { freeSpace: () => freeSpace() });
  });
  afterAll(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Puts other things into the store than the export has. Returns what imports that. */
  async function fillStore() {
    await seed(sandbox.control, { teams: 1, bots: 1, documents: 1 });
    await save();
    const other = join(temporaryDirectory(), 'other.sandbox');
    await seed(sandbox.control, { teams: 1, bots: 2, documents: 2 });
    await save(sandbox, other);
    const firstKey = {
      key_id: 'key_first',
      secret_hash: Buffer.alloc(32),
      name: 'First key',
      scope: 'global',
      is_active: true,
      created_at: new Date(0),
    };
    const bringIn = (path: string, signal: AbortSignal) =>
      importFrom({ store, firstKey, sharesEmails: false }, { file: path, replace: true }, signal);
    await bringIn(other, new AbortController().signal);
    return bringIn;
  }

  /** Tries with each `every`-th number from 1 on until it succeeds. Returns how often it failed. */
  async function untilItSucceeds(attempt: (number: number) => Promise<boolean>, every = 1): Promise<number> {
    let failures = 0;
    while (!(await attempt(1 + failures * every))) failures += 1;
    return failures;
  }

  /** A signal that comes at the look at it of this number. */
  function comingAt(number: number): AbortSignal {
    const abort = new AbortController();
    const { signal } = abort;
    let looks = 0;
    signal.throwIfAborted = () => {
      looks += 1;
      if (looks >= number) throw new Failure('interrupted', 'Interrupted.');
    };
    return signal;
  }

  it('by whoever waits for it changes nothing, however far it has come', async () => {
    const bringIn = await fillStore();
    const before = await contents(store);
    const failures = await untilItSucceeds(async (number) => {
      const failed: unknown = await bringIn(file, comingAt(number)).catch((error: unknown) => error);
      if (Array.isArray(failed)) return true;
      expect(failed).toMatchObject({ kind: 'interrupted' });
      expect(await contents(store)).toEqual(before);
      return false;
    });
    expect(failures).toBeGreaterThan(2);
    expect(await contents(store)).not.toEqual(before);
  });

  it('by a full disk changes nothing, however far it has come', async () => {
    const bringIn = await fillStore();
    const before = await contents(store);
    const failures = await untilItSucceeds(
      async (number) => {
        let left = number - 1;
        freeSpace = () => {
          left -= 1;
          return left < 0 ? 0 : Number.POSITIVE_INFINITY;
        };
        const failed: unknown = await bringIn(file, new AbortController().signal).catch(
          (error: unknown) => error,
        );
        freeSpace = plenty;
        if (Array.isArray(failed)) return true;
        expect(isDiskFull(failed), String(failed)).toBe(true);
        expect(await contents(store)).toEqual(before);
        return false;
      },
      isLong ? 1 : 3,
    );
    expect(failures).toBeGreaterThan(2);
    expect(await contents(store)).not.toEqual(before);
  });
});

describe('an import', () => {
  it('makes an empty sandbox hold what the exported one held, files and clock as well', async () => {
    await fillEverything(sandbox, api);
    const saved = await save();
    const state = await readState(sandbox.control);
    await behave(empty.control, { ignore_paging: true });
    const imported = await bringBack(empty, false);
    const { teams, bots, documents, devices, messages, now, frozen } = state;
    expect(imported).toMatchObject({ teams, bots, documents, devices, messages, now, frozen });
    expect(imported.gone_keys).toEqual([]);
    const again = await save(empty, `${file}.again`);
    expect(linesBut(again, empty.keyId)).toEqual(linesBut(saved, 'none'));
    expect(filesOf(empty)).toEqual(filesOf(sandbox));
    expect(await behave(empty.control, {})).toMatchObject({ ignore_paging: true });
    // Further messages are numbered behind the ones that came.
    const [, paired = ''] = /"id":"([^"]+)"[^\n]*"logged_in":true/.exec(saved) ?? [];
    await usePhone(empty.control, 'online', paired);
    const body = { device_id: paired, destination_number: '5511999990000', message: 'again' };
    await emptyApi.ok('sendMessage', { body });
    // Keys of both are valid.
    await emptyApi.token();
    await emptyApi.token({ key_id: sandbox.keyId, key_secret: sandbox.keySecret.reveal() });
  });

  it('brings a saved state back with --replace; faults, behaviour and later files are gone', async () => {
    await fillEverything(sandbox, api);
    const saved = await save();
    const files = filesOf(sandbox);
    await changeClock(sandbox.control, { action: 'resume' });
    await changeClock(sandbox.control, { action: 'advance', milliseconds: 86_400_000 });
    const later = await createTeam(api);
    await createDocument(api, later.id);
    const { data: key } = await api.ok('createKey', { body: { name: 'later' } });
    await addFault(sandbox.control, { target: 'listTeams', effect: { kind: 'status', status: 500 } });
    await behave(sandbox.control, { ignore_filters: true });
    const imported = await bringBack();
    expect(imported).toMatchObject({ frozen: true, gone_keys: [key.key_id] });
    const withoutHead = (text: string) => text.split('\n').slice(1, -2);
    expect(withoutHead(await save(sandbox, `${file}.again`))).toEqual(withoutHead(saved));
    expect(filesOf(sandbox)).toEqual(files);
    expect(await listFaults(sandbox.control)).toEqual([]);
    expect(await behave(sandbox.control, {})).toMatchObject({ ignore_filters: false });
    await resetSandbox(sandbox.control);
    expect(await bringBack(sandbox, false)).toMatchObject({ frozen: true });
    expect(withoutHead(await save(sandbox, `${file}.again`))).toEqual(withoutHead(saved));
  });

  it('leaves the first key valid, with its tokens, although the saved state says otherwise', async () => {
    const token = await api.token();
    const text = await save();
    const lines = text.trimEnd().split('\n').slice(0, -1);
    const off = lines.map((line) => line.replace('"is_active":true', '"is_active":false'));
    expect(off).not.toEqual(lines);
    writeFileSync(file, ended(off));
    await bringBack();
    expect((await api.send('GET', '/api/openapi/v1/teams', { token })).status).toBe(200);
    await api.token();
  });

  it('is refused without --replace where there is more than the first key', async () => {
    await save(empty);
    await createTeam(api);
    await expect(bringBack(sandbox, false)).rejects.toMatchObject({
      kind: 'invalidInput',
      message: 'The sandbox holds teams already. Nothing was imported.',
    });
    expect((await api.ok('listTeams')).data).toHaveLength(1);
    await bringBack();
    await api.ok('createKey', { body: { name: 'ci' } });
    await expect(bringBack(sandbox, false)).rejects.toMatchObject({
      message: 'The sandbox holds keys already. Nothing was imported.',
    });
  });

  it('of a file with any byte changed, or cut off anywhere, changes nothing', async () => {
    await seed(sandbox.control, { teams: 1, bots: 1, documents: 1 });
    const whole = Buffer.from(await save());
    const before = await save(empty, `${file}.empty`);
    const damaged = fc.oneof(
      fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        return bytes;
      }),
      fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
      fc.string({ minLength: 1 }).map((more) => Buffer.concat([whole, Buffer.from(more)])),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        writeFileSync(file, bytes);
        await expect(bringBack(empty)).rejects.toMatchObject({
          kind: 'invalidInput',
          message: expect.stringContaining('Nothing was imported.'),
        });
      }),
      { numRuns: runs(40) },
    );
    expect(linesBut(await save(empty, `${file}.empty`), 'none')).toEqual(linesBut(before, 'none'));
    expect(filesOf(empty)).toEqual([]);
  });

  const wrong: readonly (readonly [string, (lines: string[]) => string[], string])[] = [
    [
      'another version',
      ([head = '', ...rest]) => [head.replace('"version":1', '"version":2'), ...rest],
      'version 2',
    ],
    [
      'a later schema',
      ([head = '', ...rest]) => [head.replace('"schema":"', '"schema":"9'), ...rest],
      'newer botctl',
    ],
    [
      'a row twice',
      (lines) => lines.flatMap((line) => (line.includes('"teams"') ? [line, line] : [line])),
      'is there already',
    ],
    [
      'a member that is not known',
      (lines) => lines.map((line) => line.replace('"paying"', '"pays"')),
      'pays: is not known',
    ],
    [
      'a path that leads elsewhere',
      (lines) => lines.map((line) => line.replace('"file-', '"../file-')),
      'provider_id',
    ],
    [
      'a bot of no team',
      (lines) => lines.filter((line) => !/"table":"(teams|users)"/.test(line)),
      'foreign key',
    ],
    ['no file for a document', (lines) => lines.filter((line) => !line.startsWith('{"file"')), ''],
    ['half a file', (lines) => lines.map((line) => line.replace(/("data":").{8}/, '$1')), ''],
    ['tables in another order', ([head = '', ...rest]) => [head, ...rest.toReversed()], ''],
    [
      'a text that no database keeps',
      (lines) => lines.map((line) => line.replace('"plan_name":"', '"plan_name":"\\u0000')),
      'plan_name',
    ],
  ];
  it.each(someOf(wrong, 2, 0, isWhole))(
    'of an export with %s, whose end is right, changes nothing',
    async (_, edited, words) => {
      await seed(sandbox.control, { teams: 1, bots: 1, documents: 1 });
      const lines = (await save()).trimEnd().split('\n').slice(0, -1);
      writeFileSync(file, ended(edited(lines)));
      await expect(bringBack(empty)).rejects.toMatchObject({
        kind: 'invalidInput',
        message: expect.stringMatching(new RegExp(`^[^\\n]*${words}[^\\n]*Nothing was imported\\.$`)),
      });
      expect(await readState(empty.control)).toMatchObject({ teams: 0, bots: 0, documents: 0 });
      expect(filesOf(empty).filter((name) => String(name).includes('.'))).toEqual([]);
    },
  );

  it('says what is wrong with what is no export', async () => {
    for (const text of ['', '\n', 'a,b\n1,2\n', '{}\n', '[1]\n', '{"format":"botctl-sandbox"']) {
      writeFileSync(file, text);
      await expect(bringBack()).rejects.toMatchObject({
        message: `${file} is no export of a sandbox. Nothing was imported.`,
      });
    }
    await save();
    truncateSync(file, readFileSync(file).length - 1);
    await expect(bringBack()).rejects.toMatchObject({
      message: `${file} is cut short. Nothing was imported.`,
    });
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'held'));
    await expect(importSandbox(sandbox.control, { file: directory, replace: true })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: `${directory} is a directory.`,
    });
    await expect(
      importSandbox(sandbox.control, { file: join(directory, 'none'), replace: true }),
    ).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining('there is no such file'),
    });
  });

  it('of teams that share an e-mail address needs a sandbox that allows that', async () => {
    await behave(sandbox.control, { shared_emails: true });
    const user = { name: 'Ana', email: 'ana@acme.example', phone: '+5511999990000' };
    for (const name of ['One', 'Two'])
      await api.ok('createTeam', { body: { user, team: { name, plan_name: 'pro' } } });
    await save();
    await resetSandbox(sandbox.control);
    for (const replace of [true, false]) {
      await expect(bringBack(sandbox, replace)).rejects.toMatchObject({
        kind: 'invalidInput',
        message: expect.stringContaining('share the e-mail address'),
      });
    }
    await behave(sandbox.control, { shared_emails: true });
    await expect(bringBack(sandbox, true)).rejects.toMatchObject({ kind: 'invalidInput' });
    expect(await bringBack(sandbox, false)).toMatchObject({ teams: 2 });
  });
});
