import { execFileSync } from 'node:child_process';
import { appendFileSync, fdatasync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/lib/errors.ts';
import type { RemarkText } from '../../src/lib/text/remark.ts';
import { type Intent, IntentLog } from '../../src/once/intent-log.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { importWithFs } from '../support/changed-fs.ts';
import { stealLock } from '../support/steal-lock.ts';

let directory: string;
beforeEach(() => {
  directory = join(temporaryDirectory(), 'journal');
});

const parse = (details: unknown): string | undefined => (typeof details === 'string' ? details : undefined);
const unwritable: string[] = [];
const onUnwritable = ({ message }: Failure): void => void unwritable.push(message);
const open = (): IntentLog<string> => IntentLog.open({ directory, parse, onUnwritable });
const atOnce = {
  busy: 'a is being sent',
  signal: new AbortController().signal,
  onWait: () => expect.unreachable(),
};
const files = (): readonly string[] => readdirSync(directory).filter((name) => name.endsWith('.ndjson'));

describe('a journal', () => {
  it('returns the intents without an outcome to the next run, for any order of begins and ends', async () => {
    const step = fc.tuple(fc.constantFrom('begin', 'end', 'close'), fc.nat(9));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        directory = join(temporaryDirectory(), 'journal');
        let journal = open();
        const left = new Map<string, Intent<string>>();
        for (const [at, [what, nth]] of steps.entries()) {
          const intent = [...left.values()][nth];
          if (what === 'begin') {
            const begun = await journal.begin(`item ${at}`, at);
            left.set(begun.key, begun);
          } else if (what === 'end' && intent) {
            journal.end(intent);
            left.delete(intent.key);
          } else if (what === 'close') {
            journal.close();
            journal = open();
            expect(journal.unresolved).toEqual([...left.values()]);
          }
        }
        journal.close();
        const last = open();
        expect(last.unresolved).toEqual([...left.values()]);
        for (const intent of last.unresolved) last.end(intent);
        last.close();
        expect(steps.some(([what]) => what === 'begin') ? files() : []).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('has an intent on disk before its request is sent', async () => {
    const synchronised: number[] = [];
    const done = (descriptor: number, tell: (error: null) => void): void => {
      synchronised.push(descriptor);
      tell(null);
    };
    const changes = { fdatasync: Object.assign(done, { __promisify__: fdatasync.__promisify__ }) };
    const { IntentLog: Fresh } = await importWithFs(changes, () => import('../../src/once/intent-log.ts'));
    const journal = Fresh.open({ directory, parse, onUnwritable });
    await journal.begin('a call', 1);
    expect(synchronised).toHaveLength(1);
    journal.close();
  });

  it('distinguishes active runs, and runs that ended since', async () => {
    const mine = open();
    mine.end(await mine.begin('mine', 1));
    expect(mine.hasOtherRuns(0)).toBe(false);
    const before = Date.now();
    const other = open();
    const intent = await other.begin('other', 1);
    expect(mine.hasOtherRuns(Infinity)).toBe(true);
    other.end(intent);
    other.close();
    expect(mine.hasOtherRuns(before)).toBe(true);
    expect(mine.hasOtherRuns(Infinity)).toBe(false);
    mine.close();
  });

  it('locks a key for other runs until it is released, and only that key', async () => {
    const [mine, other] = [open(), open()];
    const claim = await mine.claim('a', atOnce);
    (await other.claim('b', atOnce)).release();
    const told: RemarkText[] = [];
    const onWait = (words: RemarkText): void => {
      told.push(words);
      claim.release();
    };
    const second = await other.claim('a', { ...atOnce, onWait });
    expect([claim.hasWaited, second.hasWaited]).toEqual([false, true]);
    expect(told).toEqual([`a is being sent by process ${process.pid}; waiting until it has finished.`]);
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(['of its file', 'of a claim'])(
    'starts nothing more once its lock %s was taken over',
    async (which) => {
      const mine = open();
      await mine.begin('first', 1);
      const claim = await mine.claim('a', atOnce);
      const isClaim = (name: string): boolean => !name.includes('.ndjson.');
      const locks = readdirSync(directory).filter((name) => name.endsWith('.lock'));
      for (const name of locks)
        if (isClaim(name) === (which === 'of a claim')) stealLock(join(directory, name));
      await expect(mine.begin('second', 2)).rejects.toThrow('Another process has taken over the lock');
      expect(IntentLog.read({ directory, parse }).map(({ details }) => details)).toEqual(['first']);
      claim.release();
      mine.close();
    },
  );

  it('does not skip a file if something else occupies the path of its lock', async () => {
    const before = open();
    await before.begin('item', 1);
    before.close();
    const [file = ''] = files();
    mkdirSync(join(directory, `${file}.lock`));
    expect(open).toThrow(`${file}.lock should be a lock file of botctl`);
  });

  it('ignores the file of a run that is still active', async () => {
    const going = open();
    const intent = await going.begin('mine', 1);
    const other = open();
    expect(other.unresolved).toEqual([]);
    other.close();
    going.close();
    const next = open();
    expect(next.unresolved).toEqual([intent]);
    next.close();
  });

  it('returns what has no outcome, of active runs too, to a reader, and changes nothing', async () => {
    expect(IntentLog.read({ directory, parse })).toEqual([]);
    const going = open();
    const intent = await going.begin('mine', 1);
    const [file = ''] = files();
    appendFileSync(join(directory, file), '{"begin":{"key":"cu');
    const before = readFileSync(join(directory, file), 'utf8');
    expect(IntentLog.read({ directory, parse })).toEqual([intent]);
    expect(readFileSync(join(directory, file), 'utf8')).toBe(before);
    going.close();
  });

  it('skips a truncated line, and refuses a damaged one', async () => {
    const first = open();
    const intent = await first.begin('whole', 1);
    first.close();
    const [file = ''] = files();
    appendFileSync(join(directory, file), '{"begin":{"key":"cu');
    const second = open();
    expect(second.unresolved).toEqual([intent]);
    second.close();
    for (const line of ['{"begin":{"key":"cu\n', '{}\n', '{"begin":{"key":"a","at":1,"details":{}}}\n']) {
      writeFileSync(join(directory, file), line);
      expect(open, line).toThrow(/The journal .+\.ndjson can't be read: line 1 is not valid\./);
    }
    // Its lock was released: once the file is repaired, it can be read.
    writeFileSync(join(directory, file), '');
    expect(open().unresolved).toEqual([]);
  });

  it('recovers the intents of complete lines from a file truncated at any byte, and continues it', async () => {
    const run = open();
    const intents = await Promise.all(['one', 'two', 'three'].map((item) => run.begin(item, 1)));
    run.end(intents[0] ?? expect.unreachable());
    run.close();
    const [file = ''] = files();
    const whole = readFileSync(join(directory, file));
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const kept = whole.subarray(0, cut).toString('utf8');
      const lines = kept.split('\n').length - 1;
      const expected = [...intents.slice(lines > 3 ? 1 : 0, Math.min(lines, 3))];
      writeFileSync(join(directory, file), kept);
      expect(IntentLog.read({ directory, parse })).toEqual(expected);
      const next = open();
      expect(next.unresolved).toEqual(expected);
      for (const intent of expected.splice(0, 1)) next.end(intent);
      next.close();
      expect(IntentLog.read({ directory, parse })).toEqual(expected);
    }
  });

  it('continues the file of a run that crashed within a line', async () => {
    const first = open();
    const intents = await Promise.all(['one', 'two'].map((item) => first.begin(item, 1)));
    first.close();
    const [file = ''] = files();
    appendFileSync(join(directory, file), '{"begin":{"key":"cu');
    const second = open();
    for (const intent of intents.slice(0, 1)) second.end(intent);
    second.close();
    const third = open();
    expect(third.unresolved).toEqual(intents.slice(1));
    third.close();
  });

  it('does not block if the path is a pipe', () => {
    mkdirSync(directory);
    execFileSync('mkfifo', [join(directory, 'a.ndjson')]);
    expect(open).toThrow(/The journal a\.ndjson can't be read: .*pipe/);
  });

  it('reports once that nothing can be written, and continues', async () => {
    writeFileSync(directory, 'a file in its place');
    unwritable.length = 0;
    const journal = open();
    const intent = await journal.begin('item', 1);
    await Promise.all([journal.begin('other', 2), journal.begin('third', 3)]);
    expect(journal.isWritable).toBe(false);
    journal.end(intent);
    journal.close();
    expect(unwritable).toEqual([expect.stringMatching(/^Can't write to .+: ENOTDIR/)]);
  });
});
