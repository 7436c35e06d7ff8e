import { groupedNumber } from '../lib/text/numbers.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { rulerFor } from '../terminal/width.ts';
import type { Fields, Row } from './fields.ts';
import type { FormatOptions, PresentOptions, RenderContext } from './options.ts';
import type { OutputShape } from './shape.ts';

/** A member before an update and after it; `from` is undefined if unknown. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Returns the row to print for an update.
 * @param whole the object after the update
 * @param changed the members that the update changed
 */
export function updateRow(
  { io, options }: { readonly io: Pick<PresentOptions['io'], 'stdout'>; readonly options: FormatOptions },
  whole: Row,
  changed: readonly FieldChange[],
): Row {
  const isAsked = options.output !== undefined || options.fields !== undefined;
  return isAsked || io.stdout.isTTY !== true ? whole : { changed };
}

/** Draws the changes of an update. */
export async function drawChanges(
  all: readonly FieldChange[],
  { unicode, paint, redact }: RenderContext,
): Promise<string> {
  const labels = all.map(({ field }) => sanitise(field));
  const ruler = await rulerFor(labels);
  const widest = Math.max(0, ...labels.map((label) => ruler.width(label)));
  const arrow = unicode ? '→' : '->';
  return all
    .map(({ from, to }, index) => {
      const before = isUnknown(from) ? '' : `${valueText(from)} `;
      const label = paint.tone('quiet', (labels[index] ?? '').padEnd(widest));
      return `${label}  ${redact(sanitise(`${before}${arrow} ${valueText(to)}${listChangeText(from, to)}`))}\n`;
    })
    .join('');
}

/** Returns the numbers of added and removed entries of a list in words, if there are both. */
function listChangeText(from: unknown, to: unknown): string {
  if (!Array.isArray(from) || !Array.isArray(to)) return '';
  const texts = (list: readonly unknown[]) => list.map((entry) => JSON.stringify(entry));
  const [before, after] = [texts(from), texts(to)];
  const added = after.filter((entry) => !before.includes(entry)).length;
  const removed = before.filter((entry) => !after.includes(entry)).length;
  return added > 0 && removed > 0 ? ` (${added} added, ${removed} removed)` : '';
}

function isUnknown(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A longer text is shown by its length: its content is in the file, or shown with `-o`. */
const maxTextLength = 40;

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return groupedNumber(value);
  if (Array.isArray(value)) return String(value.length);
  if (typeof value !== 'string') return isUnknown(value) ? 'none' : 'changed';
  if (value.length > maxTextLength || /[\r\n]/.test(value))
    return `${groupedNumber(value.length)} characters`;
  return /^[^\s",]+$/.test(value) ? value : JSON.stringify(value);
}

type UpdateOutput = Extract<OutputShape, { readonly kind: 'record' }>;

/** Returns the output of an update: the changes for people, the whole object if `-o` or `--fields` requests it. */
export function updateOutput(fields: Fields): UpdateOutput {
  return {
    kind: 'record',
    fields,
    async drawOne(row, context) {
      if (Array.isArray(row.changed)) return drawChanges(row.changed, context);
      // The whole object, if the table format was requested explicitly.
      return (await import('./card.ts')).drawCard(row, fields, context, false);
    },
  };
}
