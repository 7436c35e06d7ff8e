import type { RenderContext } from '../../../output/render-context.ts';
import type { Row } from '../../../output/row.ts';
import { isEmpty } from '../../../output/values.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { rulerFor } from '../../../terminal/width.ts';
import { stateTone } from '../state-tone.ts';
import { drawStatusTable } from './status-table.ts';

/** Draws the states of devices, given as rows of `device status`. */
export async function drawStates(rows: readonly Row[], context: RenderContext): Promise<string> {
  if (rows.length === 0) return '';
  const safe = (value: unknown): string => context.redact(sanitise(String(value)));
  const lines = rows.map(({ name, device_id: id, state, verdict, next }) => ({
    device: safe(isEmpty(name) ? id : name),
    words: safe(verdict),
    tone: stateTone(state),
    next: isEmpty(next) ? undefined : safe(next),
  }));
  const ruler = await rulerFor(lines.flatMap(({ device, words }) => [device, words]));
  const table = drawStatusTable(lines, { ...context, ruler });
  return `${table.lines.join('\n')}\n`;
}
