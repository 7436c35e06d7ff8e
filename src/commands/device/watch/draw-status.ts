import type { RenderContext } from '../../../output/render-context.ts';
import type { Row } from '../../../output/row.ts';
import { rulerFor } from '../../../terminal/width.ts';
import { drawStatusTable, statusLineOf } from './status-table.ts';

/** Draws the states of devices, given as rows of `device status`. */
export async function drawStates(rows: readonly Row[], context: RenderContext): Promise<string> {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => statusLineOf(row, context.redact));
  const ruler = await rulerFor(lines.flatMap(({ device, words }) => [device, words]));
  const table = drawStatusTable(lines, { ...context, ruler });
  return `${table.lines.join('\n')}\n`;
}
