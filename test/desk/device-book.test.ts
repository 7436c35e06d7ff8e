import fs, { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BookedDevice } from '../../src/desk/device-book.ts';
import { modeOf, temporaryDirectory, unwritableDirectory } from '../settings/support.ts';
import { importWithFs } from '../support/changed-fs.ts';
import { booksIn } from '../support/device-books.ts';

const service = 'https://api.example.com';
const seenAt = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';

/** Returns the devices without the times of their latest information. */
async function listed(
  book: ReturnType<typeof booksIn>,
  baseUrl: string,
): Promise<readonly Omit<BookedDevice, 'notedAt'>[]> {
  return (await book.list(baseUrl)).map(({ notedAt: _, ...device }) => device);
}

function fileIn(directory: string): string {
  return join(directory, 'devices.ndjson');
}

test('lists what was recorded, in the order of first sight', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  expect(await book.record(service, { id: 'b', name: 'Desk', teamId: 't', botId: 'o', seenAt })).toBe(true);
  expect(await book.record(service, { id: 'a', seenAt: later })).toBe(true);
  expect(await listed(booksIn(directory), service)).toEqual([
    { id: 'b', name: 'Desk', teamId: 't', botId: 'o', seenAt },
    { id: 'a', name: undefined, teamId: undefined, botId: undefined, seenAt: later },
  ]);
});

test('stores separate devices for each service', async () => {
  const book = booksIn(temporaryDirectory());
  await book.record(service, { id: 'a', seenAt });
  expect(await book.list('https://other.example.com')).toEqual([]);
});

test('completes a device that is recorded again, and keeps when it was first seen', async () => {
  const book = booksIn(temporaryDirectory());
  await book.record(service, { id: 'a', teamId: 't', seenAt });
  await book.record(service, { id: 'a', name: 'Desk', seenAt: later });
  expect(await listed(book, service)).toEqual([
    { id: 'a', name: 'Desk', teamId: 't', botId: undefined, seenAt },
  ]);
});

test('writes nothing for known facts', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  await book.record(service, { id: 'a', name: 'Desk', seenAt });
  const before = readFileSync(fileIn(directory), 'utf8');
  await book.record(service, { id: 'a', name: 'Desk', seenAt: later });
  await book.record(service, { id: 'a', seenAt: later });
  expect(readFileSync(fileIn(directory), 'utf8')).toBe(before);
});

test('is readable only for this user', async () => {
  const directory = join(temporaryDirectory(), 'data');
  await booksIn(directory).record(service, { id: 'a', seenAt });
  expect([modeOf(directory), modeOf(fileIn(directory))]).toEqual([0o700, 0o600]);
});

test('stores only the fields of a device, and never its token', async () => {
  const directory = temporaryDirectory();
  const device = { id: 'a', seenAt, token: 'device-token' };
  await booksIn(directory).record(service, device);
  expect(readFileSync(fileIn(directory), 'utf8')).not.toContain('device-token');
});

test('loses only the line that a crash cut off', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  await book.record(service, { id: 'a', seenAt });
  appendFileSync(fileIn(directory), '{"base_url":"https://api.exam');
  await book.record(service, { id: 'b', seenAt });
  expect((await book.list(service)).map(({ id }) => id)).toEqual(['a', 'b']);
});

test.each([
  '',
  'nonsense',
  '[]\nnull\n7\n{}\n',
  '{"base_url":"https://api.example.com","id":7,"seen_at":"x"}',
])('lists nothing for a file with %j, and accepts new devices', async (text) => {
  const directory = temporaryDirectory();
  writeFileSync(fileIn(directory), text);
  const book = booksIn(directory);
  expect(await listed(book, service)).toEqual([]);
  expect(await book.record(service, { id: 'a', seenAt })).toBe(true);
  expect(await book.list(service)).toHaveLength(1);
});

test('keeps all of many concurrent records', async () => {
  const directory = temporaryDirectory();
  const ids = Array.from({ length: 30 }, (_, index) => `d${index}`);
  await Promise.all(ids.map((id) => booksIn(directory).record(service, { id, seenAt })));
  expect(new Set((await booksIn(directory).list(service)).map(({ id }) => id))).toEqual(new Set(ids));
});

test('keeps a refused send with its device until it is dropped, even if other facts are recorded', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  const refusal = { at: seenAt, because: 'The team is banned', connected: true, connection: '[]' };
  expect(await book.recordRefusal(service, 'a', refusal)).toBe(true);
  expect(await listed(book, service)).toEqual([]);
  for (const id of ['a', 'b']) {
    await book.record(service, { id, name: 'Desk', seenAt });
    await book.recordRefusal(service, id, refusal);
  }
  await book.record(service, { id: 'a', teamId: 't', seenAt: later });
  expect(await book.list(service)).toMatchObject([
    { id: 'a', name: 'Desk', teamId: 't', seenAt, refusal },
    { refusal },
  ]);
  await book.dropRefusals(service, ({ teamId }) => teamId === 't');
  expect(await book.list(service)).toMatchObject([
    { id: 'a', name: 'Desk', refusal: undefined },
    { refusal },
  ]);
  const lines = readFileSync(fileIn(directory), 'utf8');
  await book.dropRefusals(service, ({ teamId }) => teamId === 't');
  expect(readFileSync(fileIn(directory), 'utf8')).toBe(lines);
});

test('keeps the names of team and bot, and replaces them with their ids', async () => {
  const book = booksIn(temporaryDirectory());
  await book.record(service, {
    id: 'a',
    teamId: 't',
    teamName: 'Acme',
    botId: 'o',
    botName: 'Sales',
    seenAt,
  });
  await book.record(service, { id: 'a', botId: 'p', seenAt: later });
  expect(await listed(book, service)).toEqual([
    { id: 'a', teamId: 't', teamName: 'Acme', botId: 'p', botName: undefined, seenAt },
  ]);
});

test('keeps a device forgotten, with everything about it, until it is added again', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  await book.record(service, { id: 'a', name: 'Desk', teamId: 't', seenAt });
  await book.record(service, { id: 'b', seenAt });
  await book.record('https://other.example.com', { id: 'a', seenAt });
  expect(await book.forget(service, 'a', later)).toBe('forgotten');
  expect(await book.forget(service, 'a', later)).toBe('unknown');
  await book.record(service, { id: 'c', seenAt });
  const reopened = booksIn(directory);
  await reopened.recordSeen(service, { id: 'a', name: 'Desk', seenAt: '2030-01-01T00:00:00.000Z' });
  expect(await reopened.forgotten(service)).toEqual([{ id: 'a', forgottenAt: later }]);
  expect((await reopened.list(service)).map(({ id }) => id)).toEqual(['b', 'c']);
  expect(await reopened.list('https://other.example.com')).toHaveLength(1);
  await reopened.record(service, { id: 'a', seenAt: later });
  expect((await listed(reopened, service)).at(-1)).toEqual({ id: 'a', seenAt: later });
  expect(await reopened.forgotten(service)).toEqual([]);
  expect(await reopened.forget(service, 'a', seenAt), 'by a clock that is behind').toBe('forgotten');
  expect((await reopened.list(service)).map(({ id }) => id)).toEqual(['b', 'c']);
});

test('does not restore a forgotten device if another process records a sight later', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  await book.record(service, { id: 'a', name: 'Desk', seenAt });
  await book.forget(service, 'a', later);
  const sight = { origin: service, id: 'a', name: 'Desk', seen_at: '2030-01-01T00:00:00.000Z' };
  appendFileSync(fileIn(directory), `${JSON.stringify(sight)}\n`);
  expect(await listed(book, service)).toEqual([]);
  await book.recordRefusal(service, 'a', { at: seenAt, because: 'x', connected: true, connection: '[]' });
  expect(await listed(book, service)).toEqual([]);
});

test('keeps a device that an earlier version forgot and saw again', async () => {
  const directory = temporaryDirectory();
  const lines = [
    { origin: service, id: 'a', name: 'Desk', seen_at: seenAt },
    { origin: service, id: 'a', forgotten_at: later },
    { origin: service, id: 'a', name: 'Front', seen_at: '2026-03-01T00:00:00.000Z' },
    { origin: service, id: 'b', seen_at: seenAt },
    { origin: service, id: 'b', forgotten_at: later },
  ];
  writeFileSync(fileIn(directory), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const book = booksIn(directory);
  expect(await book.list(service)).toMatchObject([{ id: 'a', name: 'Front' }]);
  await book.recordSeen(service, { id: 'b', seenAt: '2026-03-01T00:00:00.000Z' });
  expect(await book.forgotten(service)).toEqual([{ id: 'b', forgottenAt: later }]);
});

test('compacts the file without losing anything relevant', async () => {
  const directory = temporaryDirectory();
  const book = booksIn(directory);
  const elsewhere = 'https://other.example.com';
  await book.record(elsewhere, { id: 'e', name: 'Elsewhere', seenAt });
  appendFileSync(
    fileIn(directory),
    `${JSON.stringify({ origin: service, id: 'a', seen_at: seenAt, colour: 'red' })}\n`,
  );
  const now = new Date().toISOString();
  for (const [id, at] of [
    ['recent', now],
    ['old', '2020-01-01T00:00:00.000Z'],
  ] as const) {
    await book.record(service, { id, seenAt: '2019-01-01T00:00:00.000Z' });
    await book.forget(service, id, at);
  }
  for (let turn = 0; turn < 300; turn += 1) {
    await book.record(service, { id: 'a', name: `Desk ${turn}`, seenAt: later });
    if (turn === 100) await book.record(service, { id: 'b', name: 'Gone', seenAt });
    if (turn === 101) await book.forget(service, 'b', now);
  }
  expect((await book.forgotten(service)).map(({ id }) => id)).toEqual(['recent', 'b']);
  const text = readFileSync(fileIn(directory), 'utf8');
  expect(text.split('\n').length).toBeLessThan(205);
  expect(text).toContain('"colour":"red"');
  expect(await listed(book, service)).toEqual([{ id: 'a', name: 'Desk 299', seenAt }]);
  expect(await listed(book, elsewhere)).toEqual([{ id: 'e', name: 'Elsewhere', seenAt }]);
  expect(modeOf(fileIn(directory))).toBe(0o600);
});

test('reports if it could not be written', async () => {
  const book = booksIn(unwritableDirectory());
  expect(await book.record(service, { id: 'a', seenAt })).toBe(false);
  expect(await book.forget(service, 'a', later)).toBe('unwritable');
  expect(await listed(book, service)).toEqual([]);
});

test('lists the sum of all records, for any names', async () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const device = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c'),
      name: word,
      teamId: word,
      botId: word,
      seenAt: fc.constant(seenAt),
    },
    { requiredKeys: ['id', 'seenAt'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(device, { maxLength: 8 }), async (devices) => {
      const book = booksIn(temporaryDirectory());
      const expected = new Map<string, BookedDevice>();
      for (const one of devices) {
        await book.record(service, one);
        expected.set(one.id, {
          name: undefined,
          teamId: undefined,
          botId: undefined,
          ...expected.get(one.id),
          ...one,
        });
      }
      expect(await listed(book, service)).toEqual([...expected.values()]);
    }),
    { numRuns: 30 },
  );
});

test('a create is on disk before its request', async () => {
  const directory = temporaryDirectory();
  const { fdatasync } = fs;
  const onDisk: string[] = [];
  const seen = (descriptor: number, done: fs.NoParamCallback): void => {
    onDisk.push(readFileSync(fileIn(directory), 'utf8'));
    fdatasync(descriptor, done);
  };
  const changes = { fdatasync: Object.assign(seen, { __promisify__: fdatasync.__promisify__ }) };
  const load = () => import('../../src/desk/device-book.ts');
  const fresh = await importWithFs(changes, load);
  await fresh
    .createDeviceBook(fresh.fileLog(directory), service)
    .intend({ name: 'Desk', teamId: 't', at: seenAt }, false);
  expect(onDisk).toEqual([expect.stringContaining('Desk')]);
});
