import type { Io, Output } from '../lib/io.ts';
import type { Redactor, StreamOptions } from './redactor.ts';
import { watchSecrets } from './secret.ts';

/** The streams of one command with its known secrets masked. */
export interface RedactedIo {
  readonly io: Io;
  /** Stops learning secrets, and writes the text that was held back because it might have started a secret. */
  end(): void;
}

/**
 * After this delay, in milliseconds, a prompt that waits for its answer shows its last characters too, even if they may
 * start a secret.
 */
const promptDelayMs = 30;

/** The functions that end the buffering of the running commands. */
const keeping = new Set<() => void>();
let isListening = false;

/**
 * When the process exits, nothing can follow the written text, so nothing needs to be held back. The listeners are
 * registered with the first command, so they run before others that still write at exit, such as a screen that restores
 * the terminal. There is only one of each, since many commands may run at once.
 */
function listenForEnd(): void {
  if (isListening) return;
  isListening = true;
  const stopAll = (): void => {
    for (const stop of keeping) stop();
  };
  process.on('exit', stopAll);
  process.on('uncaughtExceptionMonitor', stopAll);
}

/**
 * Wraps both output streams of a command in a redactor, so that everything written passes through it. The redactor
 * learns every `Secret` created until `end` is called.
 */
export function redactedIo(io: Io, redactor: Redactor): RedactedIo {
  const forget = watchSecrets((value) => redactor.learn(value));
  let stdout: RedactedOutput | undefined;
  let stderr: RedactedOutput | undefined;
  const stopKeeping = (): void => {
    stdout?.stopBuffering();
    stderr?.stopBuffering();
  };
  keeping.add(stopKeeping);
  listenForEnd();
  return {
    io: {
      get stdin() {
        return io.stdin;
      },
      get stdout() {
        stdout ??= redactedOutput(io.stdout, redactor, { isResult: true });
        return stdout.output;
      },
      get stderr() {
        stderr ??= redactedOutput(io.stderr, redactor, { isPrompt: io.stderr.isTTY === true });
        return stderr.output;
      },
      env: io.env,
      isStep: io.isStep,
      screenNote: io.screenNote,
      assistant: io.assistant,
      get signal() {
        return io.signal;
      },
      get urgent() {
        return io.urgent;
      },
      deferWriteErrors: () => io.deferWriteErrors?.(),
    },
    end() {
      keeping.delete(stopKeeping);
      forget();
      stdout?.flush();
      stderr?.flush();
    },
  };
}

/**
 * Returns whether a chunk ends with a terminal escape sequence. Its last letter may start a secret like any other, but
 * holding it back would garble the output of the other stream to the same terminal.
 */
function endsWithSequence(chunk: string | Uint8Array): boolean {
  return typeof chunk === 'string' && /\x1b\[[\d;?]*[A-Za-z]$/.test(chunk);
}

interface RedactedOutput {
  readonly output: Output;
  flush(): void;
  /** Writes each chunk at once from now on, masked separately. */
  stopBuffering(): void;
}

type Write = Output['write'];

interface OutputOptions extends StreamOptions {
  /** True if this stream shows prompts, which the user must read before they are complete lines. */
  readonly isPrompt?: boolean;
}

/**
 * Returns an output that forwards everything to another one, including a terminal's size and methods, and masks the
 * written text. `write` returns the result of the target, so backpressure works as usual.
 */
function redactedOutput(target: Output, redactor: Redactor, use: OutputOptions): RedactedOutput {
  const stream = redactor.stream(use);
  let keeps = true;
  let showing: NodeJS.Timeout | undefined;
  // The chunks of a text arrive together. If none follows within the delay, the text is a prompt that waits for an
  // answer.
  const showSoon = (): void => {
    if (!use.isPrompt) return;
    showing ??= setTimeout(() => give(stream.show()), promptDelayMs).unref();
    showing.refresh();
  };
  const give = (text: string): void => {
    if (text !== '' && !target.destroyed && !target.writableEnded) target.write(text);
  };
  // The spinner replaces this function with its own while it runs, and removes it again.
  let write: Write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done;
    // Without secrets, bytes are passed on unchanged.
    if (redactor.isEmpty) return target.write(chunk, 'utf8', callback);
    if (!use.isResult || !redactor.isResultRevealed) {
      showSoon();
      const shown = stream.write(chunk);
      const more = keeps ? (endsWithSequence(chunk) ? stream.show() : '') : stream.flush();
      return target.write(shown + more, 'utf8', callback);
    }
    const kept = stream.flush();
    if (kept !== '') target.write(kept);
    return target.write(chunk, 'utf8', callback);
  };
  const output = new Proxy(target, {
    get: (_, name) => (name === 'write' ? write : Reflect.get(target, name, target)),
    set(_, name, value) {
      if (name === 'write') write = value;
      else return Reflect.set(target, name, value, target);
      return true;
    },
  });
  const flush = (): void => {
    clearTimeout(showing);
    give(stream.flush());
  };
  return {
    output,
    flush,
    stopBuffering() {
      keeps = false;
      flush();
    },
  };
}
