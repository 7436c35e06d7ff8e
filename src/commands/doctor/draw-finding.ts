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

/** The width of the mark and the name of a check. */
const margin = 21;

/** On a narrower terminal, the finding is below the name. */
const minWidth = 50;

/**
 * Draws a finding for a terminal: a mark, the name of the check, the finding and, below it, the remedy. Nothing is cut,
 * since users copy the remedy. A learned choice has a long name, and a line about how it was learned.
 */
export async function drawFinding(
  row: Row,
  { columns, paint, unicode, redact }: RenderContext,
): Promise<string> {
  const verdict = verdictIn(row.verdict);
  // Secrets are masked before wrapping: the stream would not recognize a secret that is split across two lines.
  const safe = (value: unknown): string => redact(sanitiseLines(String(value ?? '')));
  const [name, found, remedy] = [sanitise(String(row.check)), safe(row.found), safe(row.remedy)];
  const isLearned = row.how !== undefined;
  const title = isLearned ? `${name}: ${found}` : name;
  const text = isLearned ? `Specification: ${safe(row.specification)}. ${safe(row.how)}` : found;
  const ruler = await rulerFor([title, text, remedy].join('\n').split('\n'));
  const isBelow = isLearned || columns < minWidth;
  const indent = ' '.repeat(isBelow ? 2 : margin);
  const width = columns - indent.length;
  const isQuiet = isLearned || verdict === 'skipped';
  const lines = wrap(ruler, text, width).map((line) => (isQuiet ? paint.tone('quiet', line) : line));
  const arrow = unicode ? '→ ' : '> ';
  const below = remedyLines(remedy, ruler, width - arrow.length).map(
    (line, at) => (at === 0 ? arrow : ' '.repeat(arrow.length)) + line,
  );
  const mark = paint.tone(tones[verdict], marks[verdict][unicode ? 0 : 1]);
  const head = isBelow
    ? wrap(ruler, title, width).join(`\n${indent}`)
    : `${title.padEnd(margin - 3)} ${lines.shift()}`;
  return `${[`${mark} ${head}`, ...[...lines, ...below].map((line) => indent + line)].join('\n')}\n`;
}

/**
 * Matches a command in a remedy: at the start or after a colon, until the next sentence. Prose in these places would be
 * taken for a command, so remedies have only commands there.
 */
const command = /(?:^|(?<=: ))([a-z]+ .*?)(?:[.;] |$)/;

/**
 * Puts a command on its own line if the remedy does not fit on one line, because a copied command must not contain a
 * line break.
 */
function remedyLines(remedy: string, ruler: Ruler, columns: number): readonly string[] {
  const lines = remedy
    .split('\n')
    .flatMap((line) =>
      ruler.width(line) <= columns
        ? [line]
        : line
            .split(command)
            .flatMap((part, at) => (at % 2 === 1 ? [part] : wrapRemark(ruler, part.trim(), columns))),
    );
  return lines.filter((line) => line !== '');
}

/** Returns the verdict of a row. */
export function verdictIn(value: unknown): Verdict {
  return value === 'ok' || value === 'warning' || value === 'broken' ? value : 'skipped';
}
