import type { Row } from '../../output/fields.ts';
import type { RenderContext } from '../../output/options.ts';
import type { Tone } from '../../terminal/colour.ts';
import { sanitise, sanitiseLines } from '../../terminal/sanitise.ts';
import { type Ruler, rulerFor, wrap, wrapRemark } from '../../terminal/width.ts';
import type { Verdict } from './check.ts';

/** The tone of each verdict. */
export const tones: Readonly<Record<Verdict, Tone>> = {
  ok: 'good',
  warning: 'warning',
  broken: 'bad',
  skipped: 'quiet',
};

const marks: Readonly<Record<Verdict, readonly [unicode: string, ascii: string]>> = {
  ok: ['✓', '+'],
  warning: ['!', '!'],
  broken: ['✗', 'x'],
  skipped: ['–', '-'],
};

/** Columns for the mark and the name of a check. */
const margin = 21;

/** On a terminal that is narrower than this, the finding stands below the name. */
const minWidth = 50;

/**
 * Draws a finding as people read it: a mark, the check, what was found and, below it, what to do. Nothing is cut,
 * since the remedy is there to be copied. What was learned has a long name, and how it is known.
 */
export async function drawFinding(
  row: Row,
  { columns, paint, unicode, redact }: RenderContext,
): Promise<string> {
  const verdict = verdictIn(row.verdict);
  // Masked before it is wrapped: of a secret in two lines the stream would see neither half.
  const safe = (value: unknown): string => redact(sanitiseLines(String(value ?? '')));
  const [found, remedy] = [safe(row.found), safe(row.remedy)];
  const evidence = row.how === undefined ? '' : `Specification: ${safe(row.specification)}. ${safe(row.how)}`;
  const ruler = await rulerFor([found, remedy, evidence].join('\n').split('\n'));
  const name = sanitise(String(row.check));
  const isBelow = columns < minWidth || evidence !== '';
  const indent = ' '.repeat(isBelow ? 2 : margin);
  const width = columns - indent.length;
  const arrow = unicode ? '→ ' : '> ';
  const quiet = (line: string): string => paint.tone('quiet', line);
  const [first = '', ...others] = [
    ...wrap(ruler, evidence === '' ? found : `${name}: ${found}`, width).map((line) =>
      verdict === 'skipped' && evidence === '' ? quiet(line) : line,
    ),
    ...(evidence === '' ? [] : wrap(ruler, evidence, width).map(quiet)),
    ...remedyLines(remedy, ruler, width - arrow.length).map(
      (line, index) => (index === 0 ? arrow : ' '.repeat(arrow.length)) + line,
    ),
  ];
  const mark = paint.tone(tones[verdict], marks[verdict][unicode ? 0 : 1]);
  const head = evidence !== '' ? first : isBelow ? name : `${name.padEnd(margin - 3)} ${first}`;
  const below = isBelow && evidence === '' ? [first, ...others] : others;
  return `${[`${mark} ${head}`, ...below.map((line) => indent + line)].join('\n')}\n`;
}

/**
 * A command begins after a colon, and ends before another sentence. A word of prose in its place
 * would be taken for one, so remedies have commands alone there.
 */
const command = /^(?<words>.*?:) (?<line>[a-z]+ .*?)(?:[.;] (?<rest>.*))?$/s;

/** A command stands on one line of its own where not everything fits one: who copies it must not copy a line break. */
function remedyLines(remedy: string, ruler: Ruler, columns: number): readonly string[] {
  if (remedy === '') return [];
  const isCommand = /^[a-z]/.test(remedy);
  if (isCommand || ruler.width(remedy) <= columns) return [remedy];
  const lines: string[] = [];
  let left = remedy;
  for (;;) {
    const { words = left, line, rest = '' } = command.exec(left)?.groups ?? {};
    lines.push(...wrapRemark(ruler, words, columns));
    if (line !== undefined) lines.push(line);
    if (rest === '') return lines;
    left = rest;
  }
}

/** Returns the verdict of a row. */
export function verdictIn(value: unknown): Verdict {
  return value === 'ok' || value === 'warning' || value === 'broken' ? value : 'skipped';
}
