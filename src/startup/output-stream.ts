import { fstatSync, writeSync } from 'node:fs';
import type { Output } from '../lib/io.ts';

/** What an output has that is a terminal, and no other one. */
const terminalMembers: ReadonlySet<string | symbol> = new Set(['isTTY', 'columns', 'rows']);

type Done = (error?: Error | null) => void;

/**
 * Returns an output of the process whose stream is opened when something needs it. Until then, a text for a pipe or a
 * file is written there directly: what Node loads for the stream of a pipe takes a twentieth of a start, and help or
 * the failure of a line that names no command is one text. What can't be written so is left to the stream, which fails
 * as it always does.
 * @param fd its file descriptor
 * @param open returns the stream; not called again once it has
 * @param mayWait false while something goes on beside: a text that is written directly waits for a slow reader
 */
export function outputStream(fd: number, open: () => Output, mayWait: () => boolean): Output {
  let opened: Output | undefined;
  const stream = (): Output => {
    opened ??= open();
    return opened;
  };
  let isTerminal: boolean | undefined;
  const isUnopened = (): boolean => {
    isTerminal ??= mayBeTerminal(fd);
    return opened === undefined && !isTerminal;
  };
  const write: Output['write'] = (
    chunk: string | Uint8Array,
    encoding: BufferEncoding | Done = 'utf8',
    done?: Done,
  ): boolean => {
    if (typeof encoding === 'function') return stream().write(chunk, encoding);
    if (done !== undefined || !isUnopened() || !mayWait()) return stream().write(chunk, encoding, done);
    const left = writeDirectly(fd, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    return left.length === 0 || stream().write(left);
  };
  // No trap for descriptors: a proxy of this one, as a redactor has, asks for one at each member that it gives.
  return new Proxy<Output>(Object.create(null), {
    get(_, name) {
      if (name === 'write') return write;
      if (terminalMembers.has(name) && isUnopened()) return undefined;
      // Not bound: below a redactor, what a method of the stream writes goes through the redactor, too.
      return Reflect.get(stream(), name);
    },
    set: (_, name, value) => Reflect.set(stream(), name, value),
    has: (_, name) => Reflect.has(stream(), name),
    defineProperty: (_, name, as) => Reflect.defineProperty(stream(), name, as),
    deleteProperty: (_, name) => Reflect.deleteProperty(stream(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(stream()),
  });
}

/** True as well for what can't be looked at: the stream copes with it, or says what it is. */
function mayBeTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Returns the bytes that could not be written. */
function writeDirectly(fd: number, bytes: Uint8Array): Uint8Array {
  let written = 0;
  try {
    for (let taken = -1; taken !== 0 && written < bytes.length; written += taken)
      taken = writeSync(fd, bytes, written);
  } catch {
    // The pipe is full and its writer doesn't wait, or its reader is gone.
  }
  return bytes.subarray(written);
}
