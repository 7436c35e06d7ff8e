import { fenced } from '../../output/markdown.ts';
import { sanitise, sanitiseLines } from '../../terminal/sanitise.ts';
import type { Difference } from '../kinds/kind.ts';
import { diffOf } from './draw.ts';
import { isDone, type PlanRow } from './rows.ts';
import { isShort, operationText, sectionsOf, shownFields, totalsText, valueText } from './sections.ts';

/** Limit in bytes of UTF-8: GitHub accepts comments of 65,536 characters. */
const maxBytes = 60_000;

const plainPaint = { tone: (_: unknown, text: string) => text, heading: (text: string) => text };

/**
 * Returns a plan for a pull request: the totals and the risks first, then each object with its changes. Objects beyond the limit
 * are omitted and counted.
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

/** Joins as many blocks as fit, and a line that counts the omitted ones. */
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

/** Escapes text from outside for Markdown, so that it contains no link, mention or heading. */
function inMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!]/g, (found) => `\\${found}`).replaceAll('@', '@\u200b');
}

function codeSpan(text: string): string {
  return text.includes('`') ? inMarkdown(text) : `\`${text}\``;
}
