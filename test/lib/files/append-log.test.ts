import { execFileSync } from 'node:child_process';
import fs, {
  appendFileSync,
  existsSync,
  fdatasync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  type writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AppendLog, changeLog, logLines, logText } from '../../../src/lib/files/append-log.ts';
import { changeFs, importWithFs } from '../../support/changed-fs.ts';
import { holdTime } from '../../support/hold-time.ts';
import { acquiredLock, stealLock } from '../../support/steal-lock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const original = fs.writeSync;
const modeOf = (path: string): number => statSync(path).mode & 0o777;

let file: string;
beforeEach(() => {
  file = join(temporaryDirectory(), 'log.ndjson');
});

const valuesIn = (text: string): readonly unknown[] => [...logLines(text)].map(({ value }) => value);
const stored = (): readonly unknown[] => valuesIn(readFileSync(file, 'utf8'));
const record = fc.record({ name: fc.string({ unit: 'grapheme' }), nth: fc.nat() });

describe('an append log', () => {
  it('loses only the record that a crash cut off, at any byte', () => {
    const records = fc.array(record, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(records, record, fc.nat(), fc.boolean(), (before, next, anyCut, cutsTail) => {
        const bytes = Buffer.from(logText(before));
        const cut = anyCut % (bytes.length + 1);
        writeFileSync(file, bytes.subarray(0, cut));
        const log = AppendLog.open(file);
        if (cutsTail) log.cutTornLine();
        log.append(next);
        log.close();
        const ends = before.map((_, index) => Buffer.byteLength(logText(before.slice(0, index + 1))));
        // A record without its line end is complete, unless the torn line is cut.
        const whole = before.filter((_, index) => cut >= (ends[index] ?? 0) - (cutsTail ? 0 : 1));
        expect(stored().filter((value) => value !== undefined)).toEqual([...whole, next]);
        if (cutsTail) expect(readFileSync(file, 'utf8')).toBe(logText([...whole, next]));
      }),
    );
  });

  it('returns what was appended, by line numbers', () => {
    const log = AppendLog.open(file, 'new');
    log.append({ a: 1 }, { a: '\n' });
    appendFileSync(file, '\n{"torn');
    expect([...logLines(log.read())]).toEqual([
      { number: 1, value: { a: 1 } },
      { number: 2, value: { a: '\n' } },
      { number: 4, value: undefined },
    ]);
    expect([...logLines(log.read(), (line) => line.includes('1'))]).toEqual([{ number: 1, value: { a: 1 } }]);
    log.close();
    expect(modeOf(file)).toBe(0o600);
    expect(() => log.append({})).toThrow('closed');
  });

  it.each([
    ['new', 'EEXIST'],
    ['existing', 'ENOENT'],
  ] as const)('opened as %s fails with %s otherwise', (mode, code) => {
    if (mode === 'new') writeFileSync(file, '');
    expect(() => AppendLog.open(file, mode)).toThrow(code);
  });

  it.runIf(process.platform === 'linux')('opens only a regular file, and does not block on a pipe', () => {
    const pipe = join(temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [path, why] of [
      [pipe, 'a pipe'],
      ['/dev/null', 'a device'],
      [temporaryDirectory(), 'EISDIR'],
    ] as const) {
      symlinkSync(path, file);
      expect(() => AppendLog.open(file), why).toThrow(why);
      rmSync(file);
    }
  });

  it('appends a record as a whole or not at all if the disk accepts only a part of it', () => {
    const log = AppendLog.open(file);
    log.append({ name: 'before' });
    changeFs({ writeSync: shortWrite(5) });
    expect(() => log.append({ name: 'during' }, { name: 'too' })).toThrow('ENOSPC');
    expect(readFileSync(file, 'utf8')).toBe(logText([{ name: 'before' }]));
    log.close();
  });

  it('does not remove what another process appended meanwhile', () => {
    const log = AppendLog.open(file);
    changeFs({ writeSync: shortWrite(5, () => appendFileSync(file, '\n{"name":"other"}\n')) });
    expect(() => log.append({ name: 'during' })).toThrow('ENOSPC');
    expect(stored()).toEqual([undefined, { name: 'other' }]);
    log.close();
  });

  it('shares one wait for the disk among concurrent callers', async () => {
    let count = 0;
    const counted = (_: number, done: (error: null) => void): void => {
      count += 1;
      setImmediate(() => done(null));
    };
    const changes = { fdatasync: Object.assign(counted, { __promisify__: fdatasync.__promisify__ }) };
    const load = () => import('../../../src/lib/files/append-log.ts');
    const { AppendLog: Fresh } = await importWithFs(changes, load);
    const log = Fresh.open(file);
    const waits = Array.from({ length: 20 }, (_, nth) => {
      log.append({ nth });
      return log.flush();
    });
    await Promise.all(waits);
    expect(count).toBe(1);
    log.close();
  });
});

describe('a change of a log', () => {
  it('loses no record of several writers that also compact it', async () => {
    const records = Array.from({ length: 40 }, (_, nth) => ({ nth }));
    const compact = (text: string): string => logText(valuesIn(text).toReversed());
    await Promise.all(records.map((one) => changeLog(file, undefined, { records: () => [one], compact })));
    const byNumber = (one: unknown, other: unknown): number =>
      Number(JSON.stringify(one) > JSON.stringify(other)) - 0.5;
    expect(stored().toSorted(byNumber)).toEqual([...records].toSorted(byNumber));
    expect(modeOf(file)).toBe(0o600);
  });

  it('appends without the lock if another process keeps it, and then compacts nothing', async () => {
    holdTime();
    const other = acquiredLock(`${file}.lock`);
    const changed = changeLog(file, undefined, {
      records: () => [{ nth: 1 }],
      compact: () => expect.unreachable(),
    });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await changed).toBe(true);
    expect(stored()).toEqual([{ nth: 1 }]);
    other.release();
  });

  it('compacts nothing once another process has taken over its lock', async () => {
    const compact = (): string => {
      stealLock(`${file}.lock`);
      appendFileSync(file, logText([{ nth: 2 }]));
      return '';
    };
    expect(await changeLog(file, undefined, { records: () => [{ nth: 1 }], compact })).toBe(true);
    expect(stored()).toEqual([{ nth: 1 }, { nth: 2 }]);
    rmSync(`${file}.lock`);
    await expect(changeLog(file, undefined, { compact })).rejects.toThrow('has taken over the lock');
    expect(stored()).toEqual([{ nth: 1 }, { nth: 2 }, { nth: 2 }]);
  });

  it('creates no file for an empty change, and reports errors of the file system', async () => {
    expect(await changeLog(file, undefined, { records: () => [] })).toBe(true);
    expect(existsSync(file)).toBe(false);
    mkdirSync(file);
    expect(await changeLog(file, undefined, { records: () => [{}] })).toBe(false);
  });
});

/** Writes a few bytes, then fails as on a full disk. */
function shortWrite(length: number, meanwhile = (): void => undefined): typeof writeSync {
  let hasRoom = true;
  return (descriptor: number, bytes: string | NodeJS.ArrayBufferView) => {
    if (!hasRoom || !Buffer.isBuffer(bytes)) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    hasRoom = false;
    const written = original(descriptor, bytes, 0, length);
    meanwhile();
    return written;
  };
}
