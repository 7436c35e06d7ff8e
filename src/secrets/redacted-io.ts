import type { Io, Output } from '../lib/io.ts';
import type { Redactor, StreamOptions } from './redactor.ts';
import { watchSecrets } from './secret.ts';

/** The streams of one command line, without the secrets that it knows. */
export interface RedactedIo {
  readonly io: Io;
  /** Learns no more secrets, and writes what was kept because it might have been the beginning of one. */
  end(): void;
}

/** After this time a question that waits for its answer shows its last letters too, even if they may begin a secret. */
const promptDelayMs = 30;

/**
 * Puts a redactor between a command line and both of its streams: whatever is written, by whomever, is
 * looked at here. The redactor learns every `Secret` that is made until the end.
 */
export function redactedIo(io: Io, redactor: Redactor): RedactedIo {
  const forget = watchSecrets((value) => redactor.learn(value));
  let stdout: RedactedOutput | undefined;
  let stderr: RedactedOutput | undefined;
  // Once the process ends, what is written has no sequel to wait for. This hears of it before those who
  // still write then, such as a screen that gives the terminal back, since it has listened for longer.
  const stopKeeping = (): void => {
    stdout?.stopBuffering();
    stderr?.stopBuffering();
  };
  process.on('exit', stopKeeping);
  process.on('uncaughtExceptionMonitor', stopKeeping);
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
      get signal() {
        return io.signal;
      },
      get urgent() {
        return io.urgent;
      },
      deferWriteErrors: () => io.deferWriteErrors?.(),
    },
    end() {
      process.off('exit', stopKeeping);
      process.off('uncaughtExceptionMonitor', stopKeeping);
      forget();
      stdout?.flush();
      stderr?.flush();
    },
  };
}

/**
 * True if a piece ends with a sequence for the terminal. Its last letter may begin a secret like any other,
 * but kept back it would spoil what the other stream writes meanwhile on the same terminal.
 */
function endsWithSequence(chunk: string | Uint8Array): boolean {
  return typeof chunk === 'string' && /\x1b\[[\d;?]*[A-Za-z]$/.test(chunk);
}

interface RedactedOutput {
  readonly output: Output;
  flush(): void;
  /** From now on everything goes out as it is written, each piece looked at for itself. */
  stopBuffering(): void;
}

type Write = Output['write'];

interface OutputOptions extends StreamOptions {
  /** True if a person is asked here, and has to read what doesn't end yet. */
  readonly isPrompt?: boolean;
}

/**
 * An output that is another one in every way, a terminal's size and methods included, but for what is
 * written. What `write` answers is the other one's answer, so waiting for room is waiting for the reader.
 */
function redactedOutput(target: Output, redactor: Redactor, use: OutputOptions): RedactedOutput {
  const stream = redactor.stream(use);
  let keeps = true;
  let showing: NodeJS.Timeout | undefined;
  // The pieces of a text come at once; what doesn't go on by then is a question that waits for its answer.
  const showSoon = (): void => {
    if (!use.isPrompt) return;
    showing ??= setTimeout(() => give(stream.show()), promptDelayMs).unref();
    showing.refresh();
  };
  const give = (text: string): void => {
    if (text !== '' && !target.destroyed && !target.writableEnded) target.write(text);
  };
  // The spinner puts a function of its own in the place of this one while it turns, and takes it away again.
  let write: Write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done;
    // Bytes stay bytes as long as there is nothing to look for.
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
