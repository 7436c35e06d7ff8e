import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Extractor, type ExtractorParts, type FileToRead } from '../../src/documents/count/extract.ts';
import { madeDocx, paragraph } from '../documents/count/made-docx.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';

const never = new AbortController().signal;
const document: FileToRead = { path: 'any.pdf', kind: 'pdf' };

const extractors: Extractor[] = [];
afterEach(async () => {
  await Promise.all(extractors.splice(0).map((extractor) => extractor.close()));
});

/** Returns an extractor whose process answers requests with this code. */
function scripted(body: string, parts: Omit<ExtractorParts, 'file'> = {}): Extractor {
  const file = join(temporaryDirectory(), 'process.cjs');
  writeFileSync(
    file,
    `let count = 0;
    const say = (reply) => process.send(reply);
    process.on('disconnect', () => process.exit());
    process.on('message', (request) => { count += 1; const { id, path } = request; ${body} });`,
  );
  const extractor = new Extractor({ ...parts, file });
  extractors.push(extractor);
  return extractor;
}

/** Returns an extractor whose process writes its id to a file at the start of each request, and then runs this code. */
function noting(body: string) {
  const notes = join(temporaryDirectory(), 'notes');
  const note = `require('node:fs').appendFileSync(${JSON.stringify(notes)}, process.pid + '\\n');`;
  const begun = (): readonly number[] =>
    existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(0, -1).map(Number) : [];
  return { extractor: scripted(`${note} ${body}`), begun };
}

/** Answers with the id of the process, so that a test can identify it. */
const countedByProcess = `say({ id, kind: 'counted', chars: process.pid });`;

/** Returns the reason of a refusal. */
function reasonOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => 'counted',
    (error: unknown) => (error instanceof Error && 'reason' in error ? error.reason : error),
  );
}

describe('the process that reads documents', () => {
  it('returns the characters in total and per page', async () => {
    const extractor = scripted(`say({ id, kind: 'counted', chars: 12, pages: [5, 0, 6] });`);
    expect(await extractor.extract(document, never)).toEqual({ chars: 12, pages: [5, 0, 6] });
  });

  it('reads one document at a time, and is reused while it is healthy', async () => {
    const extractor = scripted(
      `if (globalThis.busy) process.exit(1);
      globalThis.busy = true;
      setImmediate(() => { globalThis.busy = false; ${countedByProcess} });`,
    );
    const counts = await Promise.all([1, 2, 3].map(() => extractor.extract(document, never)));
    expect(new Set(counts.map(({ chars }) => chars)).size).toBe(1);
  });

  it('is reused after a refusal', async () => {
    const extractor = scripted(
      `if (path === 'locked.pdf') say({ id, kind: 'refused', reason: 'encrypted' }); else { ${countedByProcess} }`,
    );
    const { chars: first } = await extractor.extract(document, never);
    expect(await reasonOf(extractor.extract({ ...document, path: 'locked.pdf' }, never))).toBe('encrypted');
    expect(await extractor.extract(document, never)).toMatchObject({ chars: first });
  });

  it('reports a file that was deleted meanwhile', async () => {
    const extractor = scripted(`say({ id, kind: 'unreadable', code: 'ENOENT' });`);
    await expect(extractor.extract(document, never)).rejects.toThrow(
      "Can't read any.pdf: there is no such file.",
    );
  });
});

describe('a process that fails is replaced, and its file is refused, if it', () => {
  const odd = [
    ['ends', 'process.exit(0);', 'corrupt'],
    ['throws', `throw new Error('odd');`, 'corrupt'],
    ['throws what is no error', `throw undefined;`, 'corrupt'],
    ['rejects and nobody looks', `Promise.reject(new Error('odd'));`, 'corrupt'],
    ['answers with nonsense', `say('done');`, 'corrupt'],
    ['answers with a number that is none', `say({ id, kind: 'counted', chars: NaN });`, 'corrupt'],
    ['answers with less than nothing', `say({ id, kind: 'counted', chars: -1 });`, 'corrupt'],
    ['answers with a reason that is none', `say({ id, kind: 'refused', reason: 'odd' });`, 'corrupt'],
    [
      'is ended from outside, as where no memory is left',
      `process.kill(process.pid, 'SIGKILL');`,
      'too-large',
    ],
  ] as const;
  it.each(odd)('%s', async (_, act, reason) => {
    const extractor = scripted(`if (path === 'odd.pdf') { ${act} } else { ${countedByProcess} }`);
    const { chars: first } = await extractor.extract(document, never);
    expect(await reasonOf(extractor.extract({ ...document, path: 'odd.pdf' }, never))).toBe(reason);
    expect((await extractor.extract(document, never)).chars).not.toBe(first);
  });

  it.each([
    ['never answers', ''],
    ['works without end', 'for (;;);'],
  ])('%s', async (_, act) => {
    // The timer starts with the request, however long its start takes here.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { extractor, begun } = noting(act);
    const outcome = reasonOf(extractor.extract(document, never));
    await eventually(() => begun().length === 1);
    vi.advanceTimersByTime(60_000);
    expect(await outcome).toBe('timed-out');
  });

  it('a repeated reply is not assigned to the next file', async () => {
    const extractor = scripted(
      `for (let times = 0; times < 3; times += 1) say({ id, kind: 'counted', chars: count });`,
    );
    for (const chars of [1, 2, 3]) expect(await extractor.extract(document, never)).toMatchObject({ chars });
  });
});

describe('Ctrl-C', () => {
  it('ends the process, and queued files are not started', async () => {
    const { extractor, begun } = noting('for (;;);');
    const pressed = new AbortController();
    const outcomes = [1, 2].map(() => reasonOf(extractor.extract(document, pressed.signal)));
    const interrupted = new Error('interrupted');
    const [pid = 0] = await eventually(() => (begun().length > 0 ? begun() : undefined));
    pressed.abort(interrupted);
    expect(await Promise.all(outcomes)).toEqual([interrupted, interrupted]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(begun()).toEqual([pid]);
  });
});

describe('the process of the built program', () => {
  it('returns one digest for documents of the same text', async () => {
    const extractor = new Extractor();
    extractors.push(extractor);
    const digestOf = async (body: string): Promise<unknown> => {
      const path = join(temporaryDirectory(), 'menu.docx');
      writeFileSync(path, madeDocx(body));
      return (await extractor.extract({ path, kind: 'docx', digested: true }, never)).digest;
    };
    const digest = await digestOf(paragraph('Soup of the day'));
    expect(digest).toMatch(/^[\da-f]{64}$/);
    expect(await digestOf(`${paragraph('Soup  of the day')}<w:p/>`)).toBe(digest);
    expect(await digestOf(paragraph('Soup of a day'))).not.toBe(digest);
  });

  it('is killed before a file exceeds its memory limit, even in a busy loop', async () => {
    // The process uses more than a byte before it reads the file.
    const extractor = new Extractor({ limits: { memory: 1 } });
    extractors.push(extractor);
    expect(await reasonOf(extractor.extract(document, never))).toBe('too-large');
  });

  it('names a missing file', async () => {
    const extractor = new Extractor();
    extractors.push(extractor);
    await expect(extractor.extract(document, never)).rejects.toThrow(
      "Can't read any.pdf: there is no such file.",
    );
  });
});
