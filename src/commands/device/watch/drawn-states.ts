import type { Row } from '../../../command.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import type { Canvas } from '../../../terminal/shown.ts';
import { isEmpty } from '../../../terminal/values.ts';
import { rulerFor } from '../../../terminal/width.ts';
import { stateTone } from '../verdict.ts';
import { drawStandings } from './standings.ts';

/** Draws where devices stand, as the rows of `device status` tell it. */
export async function drawStates(rows: readonly Row[], canvas: Canvas): Promise<string> {
  if (rows.length === 0) return '';
  const safe = (value: unknown): string => canvas.redact(sanitise(String(value)));
  const standings = rows.map(({ name, device_id: id, state, verdict, next }) => ({
    device: safe(isEmpty(name) ? id : name),
    words: safe(verdict),
    tone: stateTone(state),
    next: isEmpty(next) ? undefined : safe(next),
  }));
  const ruler = await rulerFor(standings.flatMap(({ device, words }) => [device, words]));
  const { lines } = drawStandings(standings, { ...canvas, ruler });
  return `${lines.join('\n')}\n`;
}
