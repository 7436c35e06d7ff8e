import { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import type { Assistant } from '../lib/consent.ts';
import { codeOf, failureKinds } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { parseJson } from '../lib/json-object.ts';

/** The failure of a command in its JSON output. */
const failureShape = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
  next: z.array(z.array(z.string())),
  exit: z.number(),
  details: z.unknown().optional(),
});

/** The failure of a command. */
export type ToolFailure = z.infer<typeof failureShape>;

/** The result of running a command. */
export interface Outcome {
  readonly exitCode: number;
  /** The objects that it printed. */
  readonly rows: readonly unknown[];
  /** True if it printed more than was kept in memory. */
  readonly isCut: boolean;
  /** The lines on stderr, without the failure. */
  readonly notes: readonly string[];
  /** Undefined if it succeeded. */
  readonly failure: ToolFailure | undefined;
}

/** Options of running a command. */
export interface RunToolOptions {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly assistant: Assistant;
  /** The number of rows to skip. */
  readonly skipped: number;
  run(args: readonly string[], io: Io): Promise<number>;
  /** Called with each row that is kept in `Outcome.rows`. */
  onRow(row: unknown): void;
}

/** The error codes of botctl and of the specification. Any other code is arbitrary text of the service. */
const knownCodes: ReadonlySet<string> = new Set([
  ...[...Object.keys(failureKinds).map(codeOf), 'DEVICE_NOT_CONNECTED'],
  ...['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL_ERROR'],
]);

/** The maximum characters of rows that are kept in memory; a page of the largest rows has less. */
const maxKept = 4_000_000;
const maxNotes = 20;

/** Runs a command line in this process, without a terminal and without input. Never throws. */
export async function runTool(args: readonly string[], options: RunToolOptions): Promise<Outcome> {
  const { io, signal, assistant, skipped, run, onRow } = options;
  const rows: unknown[] = [];
  const errors: string[] = [];
  let size = 0;
  let seen = 0;
  let isCut = false;
  const stdout = lineStream((line) => {
    seen += 1;
    if (seen <= skipped) return;
    isCut ||= size > maxKept;
    if (isCut) return;
    size += line.length;
    const row = parseJson(line);
    rows.push(row);
    onRow(row);
  });
  const stderr = lineStream((line) => {
    errors.push(line);
    // The failure is the last line.
    if (errors.length > maxNotes) errors.shift();
  });
  // The output format and the no-input setting of the environment are meant for people.
  const { BOTCTL_OUTPUT: _format, BOTCTL_NO_INPUT: _input, ...env } = io.env;
  const exitCode = await run(args, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...env, NO_COLOR: '1' },
    signal,
    urgent: io.urgent,
    assistant,
  });
  stdout.end();
  stderr.end();
  const failure = exitCode === 0 ? undefined : failureIn(errors, exitCode);
  const notes = errors.filter((line) => !line.startsWith('{"error"'));
  return { exitCode, rows, isCut, notes, failure };
}

function failureIn(lines: readonly string[], exit: number): ToolFailure {
  const last = lines.findLast((line) => line.startsWith('{"error"'));
  const found = z.object({ error: failureShape }).safeParse(parseJson(last ?? ''));
  if (found.success) {
    const { error } = found.data;
    return knownCodes.has(error.code) ? error : { ...error, code: 'REJECTED' };
  }
  return { code: 'UNEXPECTED', message: lines.join('\n'), hint: null, next: [], exit };
}

/** Returns a stream that calls a function with each line. `end` passes on the last line if it has no line end. */
function lineStream(onLine: (line: string) => void): { readonly stream: Writable; end(): void } {
  let rest = '';
  const decoder = new TextDecoder();
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
      done();
    },
  });
  const end = (): void => {
    if (rest.trim() !== '') onLine(rest);
    rest = '';
  };
  return { stream, end };
}
