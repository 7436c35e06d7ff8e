import { drawDiff } from '../../output/diff.ts';
import type { RenderContext } from '../../output/options.ts';
import { toYaml } from '../../output/yaml.ts';
import type { Tone } from '../../terminal/colour.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { rulerFor, wrap } from '../../terminal/width.ts';
import { type Difference, hasDrifted } from '../kinds/kind.ts';
import { isDone, type PlanRow } from './rows.ts';
import { isShort, operationText, sectionsOf, shownFields, totalsText, valueText } from './sections.ts';

const tones: Readonly<Partial<Record<PlanRow['action'], Tone>>> = {
  create: 'good',
  adopt: 'good',
  update: 'warning',
  replace: 'warning',
};

/** Draws a plan for people: the operations, then the notes, then the totals. */
export async function drawPlan(rows: readonly PlanRow[], context: RenderContext): Promise<string> {
  const { paint, redact, columns } = context;
  const safe = (text: string): string => redact(sanitise(text));
  const operations = rows
    .filter(isDone)
    .map((row) =>
      [
        `${paint.tone(tones[row.action], safe(operationText(row)))}  ${paint.tone('quiet', safe(row.address))}`,
        ...fieldLines(row, context),
      ].join('\n'),
    );
  const parts = sectionsOf(rows);
  const ruler = await rulerFor(parts.flatMap(({ lines }) => lines.map(({ says }) => says)));
  const sections = parts.map(({ title, lines }) =>
    [
      paint.heading(title),
      ...lines.flatMap(({ address, says }) => [
        `  ${paint.tone('quiet', safe(address))}`,
        ...wrap(ruler, safe(says), columns - 4).map((line) => `    ${line}`),
      ]),
    ].join('\n'),
  );
  return `${[...operations, ...sections, `${totalsText(rows)}.`].join('\n\n')}\n`;
}

function fieldLines(row: PlanRow, context: RenderContext): readonly string[] {
  const { isNew, fields } = shownFields(row);
  const widest = Math.max(0, ...fields.map(({ field }) => field.length));
  return fields.flatMap((difference) => {
    const label = `  ${context.paint.tone('quiet', sanitise(difference.field).padEnd(widest))}`;
    const long = isNew ? undefined : longDiff(difference, context);
    if (long !== undefined) return [`${label}  ${noteOf(difference)}`.trimEnd(), long];
    return [`${label}  ${context.redact(sanitise(shortText(difference, isNew, context)))}`];
  });
}

function shortText(difference: Difference, isNew: boolean, { unicode }: RenderContext): string {
  const { from, to } = difference;
  if (isNew) return valueText(to);
  const before = from === null ? '' : `${valueText(from)} `;
  return `${before}${unicode ? '→' : '->'} ${valueText(to)}  ${noteOf(difference)}`.trimEnd();
}

function noteOf(difference: Difference): string {
  return hasDrifted(difference) ? '(changed in the service)' : '';
}

/** Returns the changed lines of a long value, or undefined for a short one. */
function longDiff(difference: Difference, { paint, redact }: RenderContext): string | undefined {
  const { from, to } = difference;
  if (isShort(from) && isShort(to)) return undefined;
  return diffOf(difference, redact, paint).replace(/^/gm, '    ');
}

/** Draws the changed lines of a long value. @param safe returns a text as it may be printed */
export function diffOf(
  { field, from, to }: Difference,
  safe: (text: string) => string,
  paint: Parameters<typeof drawDiff>[3],
): string {
  const text = (value: unknown): string =>
    value === null ? '' : safe(typeof value === 'string' ? value : toYaml(value));
  const names = { before: `${field} in the service`, after: `${field} in the files` };
  return drawDiff(text(from), text(to), names, paint).trimEnd();
}
