import { type Failure, failureCode } from '../errors.ts';
import type { Io } from '../io.ts';
import { colorLevel, loadPaint, type Paint, takesUnicode } from './colour.ts';
import { toJson } from './json.ts';
import { sanitise, sanitiseLines } from './sanitise.ts';
import { isObject } from './values.ts';

/** How a failure is told. */
export interface FailureStyle {
  /** As one JSON line, for `-o json`. */
  readonly json: boolean;
  /** With the trace. */
  readonly debug: boolean;
  /** False with `--no-color`; true where not given. */
  readonly color?: boolean;
}

/** More lines than this hide what matters. */
const mostProblems = 50;
const mostDetails = 20;

/** Characters of a line; nobody reads further, and a service may answer with a whole page. */
const longestLine = 2000;

/**
 * Tells a failure on stderr: what happened and what to do, or one JSON line with both. Without colour it
 * has written everything when it returns; otherwise await it.
 */
export async function renderFailure(
  failure: Failure,
  io: Pick<Io, 'stderr' | 'env'>,
  { json, debug, color = true }: FailureStyle,
): Promise<void> {
  const level = json ? 0 : colorLevel(io.stderr, io.env, color);
  const text = (paint?: Paint): string =>
    json ? jsonLine(failure) : failureText(failure, takesUnicode(io.env), paint);
  const trace = debug ? traceOf(failure) : '';
  io.stderr.write(trace + (level === 0 ? text() : text(await loadPaint(level))));
}

/**
 * The last line on stderr with `-o json`. A member that doesn't apply is null; `details` are there only
 * where there are any.
 */
function jsonLine(failure: Failure): string {
  const { message, hint = null, status = null, exitCode, details } = failure;
  const error = { code: failureCode(failure), message, hint, status, exit: exitCode };
  const hasDetails = details !== undefined && details !== null;
  return `${toJson({ error: hasDetails ? { ...error, details } : error })}\n`;
}

function failureText(failure: Failure, unicode: boolean, paint: Paint | undefined): string {
  const mark = unicode ? '✗' : 'x';
  const red = (text: string): string => paint?.tone('bad', text) ?? text;
  const quiet = (text: string): string => paint?.tone('quiet', text) ?? text;
  const problems = linesOf(failure.message).filter((line) => line.trim() !== '');
  const lines = [
    ...someOf(problems, mostProblems).map((line) => `${red(mark)} ${line}`),
    ...someOf(factsOf(failure.details, ''), mostDetails).map((line) => quiet(`  ${line}`)),
    ...(failure.hint ? linesOf(failure.hint).map((line) => `  ${line}`) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(text: string): readonly string[] {
  return sanitiseLines(text).split('\n');
}

function someOf(lines: readonly string[], most: number): readonly string[] {
  const short = lines.slice(0, most).map(shortened);
  return lines.length > most ? [...short, `and ${lines.length - most} more`] : short;
}

function shortened(line: string): string {
  // The cut may halve a character; what is safe already stays as it is otherwise.
  return line.length > longestLine ? `${sanitise(line.slice(0, longestLine))} ...` : line;
}

/** The service's `details`, whatever they are, one fact a line. */
function factsOf(value: unknown, label: string): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => factsOf(one, label));
  if (!isObject(value)) return [sanitise(label === '' ? String(value) : `${label}: ${String(value)}`)];
  const members = Object.entries(value);
  // Deeper than this nobody reads; JSON says it in one line.
  if (label.split('.').length > 3) return [sanitise(`${label}: ${toJson(value)}`)];
  return members.flatMap(([name, inner]) => factsOf(inner, label === '' ? name : `${label}.${name}`));
}

function traceOf(failure: Failure): string {
  const traces: string[] = [];
  for (let error: unknown = failure; error instanceof Error && traces.length < 10; error = error.cause) {
    traces.push(sanitiseLines(error.stack ?? error.message));
  }
  return `${traces.join('\nCaused by: ')}\n`;
}
