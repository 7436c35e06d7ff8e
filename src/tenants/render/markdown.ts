import { fenced } from '../../output/markdown.ts';
import { sanitise, sanitiseLines } from '../../terminal/sanitise.ts';
import type { Difference } from '../kinds/kind.ts';
import { diffOf } from './draw.ts';
import { isDone, type PlanRow } from './rows.ts';
import { isShort, operationText, sectionsOf, shownFields, totalsText, valueText } from './sections.ts';

/** Bytes of the whole, in UTF-8: GitHub takes comments of 65,536 characters. */
const maxBytes = 60_000;

const plainPaint = { tone: (_: unknown, text: string) => text, heading: (text: string) => text };

/**
 * Returns a plan for a pull request: the totals and the risks first, then each object with what changes. What has no room is
 * left out in whole objects, and counted.
 * @param redact masks secrets
 */
export function planMarkdown(rows: readonly PlanRow[], redact: (text: string) => string): string {
  const safe = (text: string): string => inMarkdown(redact(sanitise(text)));
  const sections = sectionsOf(rows).map(({ title, lines }) =>
    [
      `**${title}**\n`,
      ...lines.map(({ address, says }) => `- ${codeSpan(redact(sanitise(address)))} ${safe(says)}`),
    ].join('\n'),
  );
  const operations = rows
    .filter(isDone)
    .map((row) =>
      [
        `#### ${safe(operationText(row))} ${codeSpan(redact(sanitise(row.address)))}`,
        ...fieldsBlock(row, redact),
      ].join('\n\n'),
    );
  return joinWithinLimit(`### Tenants: ${totalsText(rows)}`, [...sections, ...operations]);
}

/** Joins blocks while there is room for them, and for a line that counts those that are left out. */
function joinWithinLimit(head: string, blocks: readonly string[]): string {
  const size = (text: string): number => Buffer.byteLength(text) + 2;
  const left = (count: number): string =>
    `_${count} more ${count === 1 ? 'part does' : 'parts do'} not fit here._`;
  const total = [head, ...blocks].reduce((sum, block) => sum + size(block), 0);
  if (total <= maxBytes) return `${[head, ...blocks].join('\n\n')}\n`;
  let room = maxBytes - size(head) - size(left(blocks.length));
  const kept = blocks.filter((block) => {
    if (size(block) > room) return false;
    room -= size(block);
    return true;
  });
  return `${[head, ...kept, left(blocks.length - kept.length)].join('\n\n')}\n`;
}

function fieldsBlock(row: PlanRow, redact: (text: string) => string): readonly string[] {
  const { isNew, fields } = shownFields(row);
  if (fields.length === 0) return [];
  const lines = fields.map((difference) => redact(isNew ? newLine(difference) : changedLines(difference)));
  return [fenced(lines.join('\n'), 'diff')];
}

function newLine({ field, to }: Difference): string {
  return sanitise(`+ ${field}: ${valueText(to)}`);
}

function changedLines(difference: Difference): string {
  const { field, from, to } = difference;
  if (isShort(from) && isShort(to)) {
    const before = from === null ? [] : [`- ${field}: ${valueText(from)}`];
    return [...before, `+ ${field}: ${valueText(to)}`].map(sanitise).join('\n');
  }
  return diffOf(difference, sanitiseLines, plainPaint);
}

/** Returns text of other people as plain text of Markdown: nothing in it is a link, a mention or a heading. */
function inMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!]/g, (found) => `\\${found}`).replaceAll('@', '@\u200b');
}

function codeSpan(text: string): string {
  return text.includes('`') ? inMarkdown(text) : `\`${text}\``;
}
