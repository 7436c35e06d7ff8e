import { type Failure, failureCode } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { commandsIn, commandTextsIn, remarkText, type ServiceOptions } from '../lib/text/remark.ts';
import { colorLevel, loadPaint, type Paint, takesUnicode } from '../terminal/colour.ts';
import { sanitise, sanitiseLines } from '../terminal/sanitise.ts';
import { rulerFor, wrapRemark } from '../terminal/width.ts';
import { toJson } from './json.ts';
import { hasMembers } from './values.ts';

/** Options for printing a failure. */
export interface FailureStyle extends ServiceOptions {
  /** True to print one JSON line. */
  readonly json: boolean;
  /** True to print the trace too. */
  readonly debug: boolean;
  /** False with `--no-color`; true if not set. */
  readonly color?: boolean;
  /** Masks secrets in the text before it is wrapped; if not set, none are known. */
  redact?(text: string): string;
}

/** More lines than this would hide the important ones. */
const maxProblems = 50;
const maxDetails = 20;

/** The maximum characters of a line: a service may respond with a whole page. */
const maxLineLength = 2000;

/**
 * Prints a failure on stderr: what happened and what to do, or one JSON line with both. Without a terminal it has
 * written everything when it returns; otherwise await it.
 */
export async function renderFailure(
  failure: Failure,
  io: Pick<Io, 'stderr' | 'env'>,
  style: FailureStyle,
): Promise<void> {
  const { json, debug, color = true, redact = (text) => text } = style;
  const given = { ...style, unattended: io.stderr.isTTY !== true };
  const hint = failure.hint === undefined ? undefined : remarkText(failure.hint, given);
  const level = json ? 0 : colorLevel(io.stderr, io.env, color);
  const trace = debug ? traceOf(failure) : '';
  if (json) {
    io.stderr.write(trace + jsonLine(failure, hint, given));
    return;
  }
  const parts = partsOf(failure, hint, redact);
  // Without a terminal nothing is wrapped, and nothing has to be waited for.
  const ruler = io.stderr.isTTY ? await rulerFor(Object.values(parts).flat()) : undefined;
  const commands = commandTextsIn(failure.hint, given).map((line) => redact(sanitiseLines(line)));
  const wrap = (line: string): readonly string[] =>
    ruler ? wrapRemark(ruler, line, (io.stderr.columns || 80) - indent.length, commands) : [line];
  const paint = level === 0 ? undefined : await loadPaint(level);
  // A user who said no has done nothing wrong.
  const isMarked = failure.kind !== 'declined';
  io.stderr.write(
    trace + failureText(parts, wrap, isMarked ? markFor(takesUnicode(io.env), paint) : '', paint),
  );
}

/**
 * Returns the last line on stderr if failures are printed as JSON. A member that doesn't apply is null. `next` has the
 * command lines that can be run unchanged, and `details` is present only if there are any.
 */
function jsonLine(failure: Failure, hint: string | undefined, given: ServiceOptions): string {
  const { message, status = null, exitCode, details } = failure;
  const next = [...commandsIn(failure.hint), ...failure.next].flatMap((line) => {
    const argv = line.argv(given);
    return argv === undefined ? [] : [argv];
  });
  const error = { code: failureCode(failure), message, hint: hint ?? null, next, status, exit: exitCode };
  const hasDetails = details !== undefined && details !== null;
  return `${toJson({ error: hasDetails ? { ...error, details } : error })}\n`;
}

/** The lines of a failure, safe to show. */
interface Parts {
  readonly problems: readonly string[];
  readonly facts: readonly string[];
  readonly hints: readonly string[];
}

function partsOf(
  { kind, message, details }: Failure,
  hint: string | undefined,
  redact: (text: string) => string,
): Parts {
  const problems = linesOf(redact(message)).filter((line) => line.trim() !== '');
  return {
    problems: limitLines(problems, maxProblems),
    // If the result can't be written, the ids of the changed objects appear only here.
    facts: limitLines(
      factsOf(details, '').map(redact),
      kind === 'outputFailed' ? Number.POSITIVE_INFINITY : maxDetails,
    ),
    hints: hint ? linesOf(redact(hint)) : [],
  };
}

/** The indentation below the mark that a failure begins with. */
const indent = '  ';

/** Returns the text of a failure. Several problems are a list, each with its mark; continuation lines are indented. */
function failureText(
  { problems, facts, hints }: Parts,
  wrap: (line: string) => readonly string[],
  mark: string,
  paint: Paint | undefined,
): string {
  const quiet = (text: string): string => paint?.tone('quiet', text) ?? text;
  // A line that continues a problem is already indented: it lists the objects of the problem.
  const lines = [
    ...problems.flatMap((line, index) =>
      wrap(line).map((part, at) => (at > 0 || (index > 0 && part.startsWith(' ')) ? indent : mark) + part),
    ),
    ...facts.flatMap(wrap).map((line) => quiet(indent + line)),
    ...hints.flatMap(wrap).map((line) => indent + line),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the mark that a failure begins with. */
function markFor(unicode: boolean, paint: Paint | undefined): string {
  const mark = unicode ? '✗' : 'x';
  return `${paint?.tone('bad', mark) ?? mark} `;
}

function linesOf(text: string): readonly string[] {
  return sanitiseLines(text).split('\n');
}

function limitLines(lines: readonly string[], most: number): readonly string[] {
  const short = lines.slice(0, most).map(shortenLine);
  return lines.length > most ? [...short, `and ${lines.length - most} more`] : short;
}

function shortenLine(line: string): string {
  // The cut may halve a character; sanitising changes nothing else in a text that is already safe.
  return line.length > maxLineLength ? `${sanitise(line.slice(0, maxLineLength))} ...` : line;
}

/** Returns the service's `details`, of any shape, with one fact per line. */
function factsOf(value: unknown, label: string): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => factsOf(one, label));
  if (!hasMembers(value)) return [sanitise(label === '' ? String(value) : `${label}: ${String(value)}`)];
  const members = Object.entries(value);
  // Deeper members become one line of JSON.
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
