import type { Redactor, StreamUse } from './client/redact.ts';
import type { Io, Output } from './io.ts';
import { watchSecrets } from './secret.ts';

/** The streams of one command line, without the secrets that it knows. */
export interface RedactedIo {
  readonly io: Io;
  /** Learns no more secrets, and writes what was kept because it might have been the beginning of one. */
  end(): void;
}

/** A terminal is shown the beginning of what may be a secret up to this many characters. */
const leastKeptOnTerminal = 8;

/**
 * Puts a redactor between a command line and both of its streams: whatever is written, by whomever, is
 * looked at here. The redactor learns every `Secret` that is made until the end.
 */
export function redactedIo(io: Io, redactor: Redactor): RedactedIo {
  const forget = watchSecrets((value) => redactor.learn(value));
  let stdout: RedactedOutput | undefined;
  let stderr: RedactedOutput | undefined;
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
        stderr ??= redactedOutput(io.stderr, redactor, {});
        return stderr.output;
      },
      env: io.env,
      signal: io.signal,
    },
    end() {
      forget();
      stdout?.flush();
      stderr?.flush();
    },
  };
}

interface RedactedOutput {
  readonly output: Output;
  flush(): void;
}

type Write = Output['write'];

/**
 * An output that is another one in every way, a terminal's size and methods included, but for what is
 * written. What `write` answers is the other one's answer, so whoever waits for room waits for the reader.
 */
function redactedOutput(target: Output, redactor: Redactor, use: StreamUse): RedactedOutput {
  const leastKept = target.isTTY ? leastKeptOnTerminal : 1;
  const stream = redactor.stream({ ...use, leastKept });
  // The spinner puts a function of its own in the place of this one while it turns, and takes it away again.
  let write: Write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done;
    // Bytes stay bytes as long as there is nothing to look for.
    const shown = redactor.knowsNothing ? chunk : stream.write(chunk);
    return target.write(shown, 'utf8', callback);
  };
  const output = new Proxy(target, {
    get: (_, name) => (name === 'write' ? write : Reflect.get(target, name, target)),
    set(_, name, value) {
      if (name === 'write') write = value;
      else return Reflect.set(target, name, value, target);
      return true;
    },
  });
  return {
    output,
    flush() {
      const kept = stream.flush();
      if (kept !== '' && !target.destroyed && !target.writableEnded) target.write(kept);
    },
  };
}
