import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable, whyNotWritten } from '../../lib/files/file-failure.ts';
import { makePrivateDirectory, removeLeftBehind, replacePrivateFile } from '../../lib/files/private-file.ts';
import { isObject, parseJson, textOf } from '../../lib/json-object.ts';
import { oneForm } from '../../lib/number-forms.ts';
import { originOf } from '../../settings/base-url.ts';
import { readIfThere } from '../../settings/files.ts';
import type { OptOut, OptOuts } from '../opt-outs.ts';
import { inTurn } from './in-turn.ts';

/** The opt-outs of one service, as they stand on the disk. */
export interface OptOutFile extends OptOuts {
  /** Returns the test at once, for who has the turn of something else. */
  testNow(): (digits: string) => boolean;
}

const fileName = 'optouts.ndjson';

/** Returns what gives the opt-outs of a service as `createOptOuts` does, the same ones each time: their lines are read once. */
export function optOutFiles(data: string, signal: AbortSignal): (baseUrl: string) => OptOutFile {
  const files = new Map<string, OptOutFile>();
  return (baseUrl) => {
    const origin = originOf(baseUrl);
    const file = files.get(origin) ?? createOptOuts(data, origin, signal);
    files.set(origin, file);
    return file;
  };
}

/**
 * The opt-outs of a service, in a file of lines: one for each number that was added or removed.
 * @param data the directory of botctl's data
 * @param signal ends the waiting for another process that writes it
 */
export function createOptOuts(data: string, baseUrl: string, signal: AbortSignal): OptOutFile {
  const origin = originOf(baseUrl);
  const path = join(data, fileName);
  const readText = (): string => {
    try {
      return readIfThere(placeOf(path)) ?? '';
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  let last: { readonly text: string; readonly known: ReadonlyMap<string, OptOut> } | undefined;
  // A campaign looks before each message: the file is read each time, and its lines only where they are others.
  const read = (): ReadonlyMap<string, OptOut> => {
    const text = readText();
    if (text !== last?.text) last = { text, known: optOutsIn(text, origin, path) };
    return last.known;
  };
  // A line that is written in part would be a damaged one: all of the file is written, or nothing.
  const append = (place: string, text: string, lines: readonly object[]): void => {
    if (lines.length === 0) return;
    const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    removeLeftBehind(place);
    replacePrivateFile(
      place,
      start + lines.map((line) => `${JSON.stringify({ origin, ...line })}\n`).join(''),
    );
  };
  const write = async (linesFor: (text: string) => readonly object[]): Promise<void> => {
    try {
      makePrivateDirectory(data);
      const place = placeOf(path);
      await inTurn(place, 'the opt-outs', signal, () => {
        const text = readText();
        append(place, text, linesFor(text));
      });
    } catch (error) {
      const why = whyNotWritten(error instanceof Failure ? error.cause : error);
      if (why === undefined) throw error;
      throw new Failure(
        'outputFailed',
        `The opt-outs in ${path} can't be written: ${why}. Nothing was changed.`,
        {
          hint: 'Check the permissions of that directory, and the room on its disk.',
          cause: error,
        },
      );
    }
  };
  const testNow = () => {
    const known = read();
    return (digits: string) => known.has(oneForm(digits));
  };
  return {
    async *list() {
      yield [...read().values()];
    },
    async among(numbers) {
      const known = read();
      return new Set(numbers.filter((digits) => known.has(oneForm(digits))));
    },
    testNow,
    find: async (digits) => read().get(oneForm(digits)),
    async add(numbers) {
      let added: readonly OptOut[] = [];
      await write((text) => {
        const known = new Set(optOutsIn(text, origin, path).keys());
        added = numbers.filter(({ number }) => {
          const isNew = !known.has(oneForm(number));
          known.add(oneForm(number));
          return isNew;
        });
        return added;
      });
      return added;
    },
    async remove(digits, at) {
      let removed: OptOut | undefined;
      await write((text) => {
        removed = optOutsIn(text, origin, path).get(oneForm(digits));
        return removed ? [{ number: removed.number, removed_at: at }] : [];
      });
      return removed;
    },
  };
}

/**
 * Returns where the file is, which may be a link to one that several machines have.
 * @throws Failure `invalidInput` for a link that leads nowhere: that nobody opted out is not known then
 */
function placeOf(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch {
    throw inputFailure(
      [`The opt-outs in ${path} can't be read: it is a link that leads nowhere.`],
      'Numbers may be missing, so that nothing is sent. See that the place it leads to is there.',
    );
  }
}

/** Returns the opt-outs of a service by the one form of their numbers. */
function optOutsIn(text: string, origin: string, path: string): ReadonlyMap<string, OptOut> {
  const known = new Map<string, OptOut>();
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const line = parseJson(written);
    const found = isObject(line) ? lineOf(line) : undefined;
    if (!found) {
      throw inputFailure(
        [`${path} can't be read: line ${index + 1} is no opt-out.`],
        'A number may be missing there, so that nothing is sent. Mend that line, or take the file back from a backup.',
      );
    }
    const { number, added_at, note } = found;
    if (found.origin !== origin) continue;
    if (added_at === undefined) known.delete(oneForm(number));
    else known.set(oneForm(number), { number, added_at, note });
  }
  return known;
}

/** Returns what a line says, or undefined where it doesn't say that a number was added, or that it was removed. */
function lineOf(line: Readonly<Record<string, unknown>>) {
  const origin = textOf(line.origin);
  const number = textOf(line.number);
  const [added_at, removed_at] = [textOf(line.added_at), textOf(line.removed_at)];
  const saysOne = (added_at === undefined) !== (removed_at === undefined);
  if (origin === undefined || number === undefined || !/^\d{7,15}$/.test(number) || !saysOne)
    return undefined;
  return { origin, number, added_at, note: textOf(line.note) };
}

/** True for a link; false also where nothing is there, below what is no directory either. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false;
    throw unreadable(path, error);
  }
}
