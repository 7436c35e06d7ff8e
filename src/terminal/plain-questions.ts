import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { type Choice, labelOf, matchingChoices } from './choice.ts';
import { sanitise } from './sanitise.ts';
import { canSuspend, suspend } from './suspend.ts';

/** The maximum number of listed choices; a part of the name reduces them. */
const maxListed = 50;

/**
 * Asks on one line, and reads the answer: for terminals that can't move the cursor, and for screen
 * readers. Writes no control sequence.
 * @throws Failure as `readLine`
 */
export async function askLine(
  io: Io,
  message: string,
  options: {
    readonly fallback?: string | undefined;
    validate?(answer: string): string | true | Promise<string | true>;
  } = {},
): Promise<string> {
  const { fallback, validate } = options;
  const shown = fallback === undefined ? '' : ` (${sanitise(fallback)})`;
  for (;;) {
    const answer = (await readLine(io, `${sanitise(message)}${shown} `)) || (fallback ?? '');
    const verdict = (await validate?.(answer)) ?? true;
    if (verdict === true) return answer;
    io.stderr.write(`${sanitise(verdict)}\n`);
  }
}

/**
 * Asks for a line without echo.
 * @param stop the action of Ctrl-Z
 * @throws Failure as `readLine`
 */
export async function askHidden(io: Io, message: string, stop: () => void): Promise<string> {
  return readLine(io, `${sanitise(message)} (not shown while you type) `, { stop });
}

/**
 * Asks y/N; any answer but yes means no. With the fallback true it asks Y/n, and an empty line means yes.
 * @throws Failure as `readLine`
 */
export async function askYes(io: Io, message: string, fallback = false): Promise<boolean> {
  const answer = await askLine(io, `${message} ${fallback ? '(Y/n)' : '(y/N)'}`);
  return answer.trim() === '' ? fallback : /^\s*y(es)?\s*$/i.test(answer);
}

/**
 * Lists choices with numbers, and asks for one of them by its number, its name or a part of its name. If a
 * part matches several, those are listed and asked for.
 * @throws Failure as `readLine`
 */
export async function askChoice<T>(io: Io, message: string, choices: readonly Choice<T>[]): Promise<T> {
  io.stderr.write(`${sanitise(message)}\n`);
  let listed = choices;
  list(io, listed);
  for (;;) {
    const answer = (await askLine(io, 'Number, name or part of the name:')).trim();
    const found = answer === '' ? [] : matchAnswer(listed, choices, answer);
    const [only, ...others] = found;
    if (only && others.length === 0) return only.value;
    if (only) {
      listed = found;
      list(io, listed);
    } else io.stderr.write(answer === '' ? 'Choose one of them.\n' : `No match for "${sanitise(answer)}".\n`);
  }
}

function list<T>(io: Io, choices: readonly Choice<T>[]): void {
  const lines = choices
    .slice(0, maxListed)
    .map(({ startOfId: _, description, ...choice }, index) =>
      sanitise(`${index + 1}. ${labelOf(choice)}${description === undefined ? '' : ` (${description})`}`),
    );
  const more = choices.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  io.stderr.write(lines.map((line) => `  ${line}\n`).join(''));
}

/** Returns the choices that match an answer: numbers refer to the last list, names to all choices. */
function matchAnswer<T>(
  listed: readonly Choice<T>[],
  all: readonly Choice<T>[],
  answer: string,
): readonly Choice<T>[] {
  const exact = all.filter((choice) => labelOf(choice) === answer);
  if (exact.length === 1) return exact;
  const numbered = /^\d+$/.test(answer) ? listed[Number(answer) - 1] : undefined;
  if (numbered) return [numbered];
  return matchingChoices(all, answer);
}

/**
 * Asks for one line of the keyboard, and reads it; further input is kept for the next question. A process that
 * was stopped asks again when it continues.
 * @param hidden a hidden line is read key by key, since the terminal would echo it otherwise; Ctrl-Z is then a key
 * @throws Failure `interrupted` at Ctrl-C, `declined` at the end of the input, or the reason of the signal
 */
function readLine(io: Io, question: string, hidden?: { readonly stop: () => void }): Promise<string> {
  const { stdin, stderr, signal } = io;
  const decoder = new StringDecoder('utf8');
  let resolve: (line: string) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<string>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  let line = '';
  let forgetStop: (() => void) | undefined;
  const onText = (chunk: string | Buffer): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    let at = 0;
    for (const key of text) {
      at += key.length;
      if (key === '\r' || key === '\n') {
        const rest = text.slice(at).replace(/^\n/, key === '\r' ? '' : '\n');
        stop();
        if (rest !== '') stdin.unshift(Buffer.from(rest));
        resolve(line);
        return;
      }
      if (key === '\x03' || key === '\x04') {
        if (key === '\x03') leave(new Failure('interrupted', 'Interrupted. Nothing was done.'));
        else onEnd();
        return;
      }
      if (key === '\x1a' && hidden && canSuspend) {
        giveBack();
        stderr.write('\n');
        forgetStop = suspend(hidden.stop, ask);
        return;
      }
      if (key === '\x7f' || key === '\b') line = [...line].slice(0, -1).join('');
      else if (key >= ' ') line += key;
    }
  };
  const onEnd = (): void => leave(new Failure('declined', 'No answer was given. Nothing was done.'));
  const onAbort = (): void => leave(signal.reason);
  const leave = (reason: unknown): void => {
    stop();
    // The question's line has no line break yet, and further output needs its own line.
    stderr.write('\n');
    reject(reason);
  };
  const ask = (): void => {
    line = '';
    if (hidden) stdin.setRawMode?.(true);
    stderr.write(question);
    stdin.resume();
  };
  const giveBack = (): void => {
    stdin.pause();
    if (hidden) stdin.setRawMode?.(false);
  };
  const stop = (): void => {
    stdin.off('data', onText).off('end', onEnd);
    signal.removeEventListener('abort', onAbort);
    if (!hidden) process.off('SIGCONT', ask);
    forgetStop?.();
    giveBack();
  };
  if (signal.aborted) return Promise.reject(signal.reason);
  stdin.on('data', onText).on('end', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  if (!hidden) process.on('SIGCONT', ask);
  ask();
  return hidden
    ? promise.then((typed) => {
        stderr.write('\n');
        return typed;
      })
    : promise;
}
