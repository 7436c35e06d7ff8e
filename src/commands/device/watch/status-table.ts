import type { Row } from '../../../output/fields.ts';
import type { RenderContext } from '../../../output/options.ts';
import { isEmpty } from '../../../output/values.ts';
import type { Paint, Tone } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { cut, flow, type Ruler, rulerFor, wrap } from '../../../terminal/width.ts';
import { stateTone } from '../fields.ts';

/** The state of a device for display. All texts are safe to print. */
export interface StatusLine {
  readonly device: string;
  /** Distinguishes devices with the same name; undefined if unknown. */
  readonly id?: string | undefined;
  /** The team of the device; undefined if unknown. */
  readonly team?: string | undefined;
  readonly words: string;
  readonly tone: Tone | undefined;
  /** The next command; undefined if there is nothing to do. */
  readonly next: string | undefined;
  /** For how long it has been in the state; undefined if unknown. */
  readonly since?: string | undefined;
}

/**
 * Returns the display form of a row of `device status`.
 * @param redact masks secrets
 */
export function statusLineOf(
  { name, device_id: id, team_name: team, state, verdict, next }: Row,
  redact: (text: string) => string,
): StatusLine {
  const safe = (value: unknown): string => redact(sanitise(String(value)));
  return {
    device: safe(isEmpty(name) ? id : name),
    id: isEmpty(id) ? undefined : safe(id),
    team: isEmpty(team) ? undefined : safe(team),
    words: safe(verdict),
    tone: stateTone(state),
    next: isEmpty(next) ? undefined : safe(next),
  };
}

/** The properties of the terminal for drawing statuses. */
export interface StatusTableContext {
  readonly paint: Paint;
  readonly ruler: Ruler;
  readonly unicode: boolean;
  readonly columns: number;
}

const urgency: Readonly<Record<Tone | 'none', number>> = { bad: 0, warning: 1, none: 2, quiet: 3, good: 4 };

/** Returns a number that is lowest for the tone that needs attention first. */
export function urgencyOf(tone: Tone | undefined): number {
  return urgency[tone ?? 'none'];
}

const gap = '  ';

/** The width of the longest time: `59 seconds ago`. */
const timeWidth = 14;

/** With fewer columns, the state is below the device, and the time is omitted. */
const minColumnsBeside = 56;

/** With fewer columns, the team is omitted. */
const minColumnsWithTeam = 80;

/** Returns the minimum width of the team column if the teams need it. It is wider if the states leave room. */
function teamRoom(columns: number): number {
  return columns < minColumnsWithTeam ? 0 : Math.max(16, Math.floor(columns / 6));
}

/** The maximum width of a name. */
const maxNameWidth = 32;

/**
 * Draws the states of devices in columns. A state is wrapped to as many lines as needed. The next command is below it
 * and is never cut, so that it can be copied.
 * @param rows the height of the window. If it is too small, the least urgent devices get one line each, without a
 *   command; if that is still not enough, they are omitted
 * @returns the lines, and the number of omitted devices
 */
export function drawStatusTable(
  given: readonly StatusLine[],
  context: StatusTableContext,
  rows = Number.POSITIVE_INFINITY,
): { readonly lines: readonly string[]; readonly hidden: number } {
  const statuses = apart(given, context);
  const layout = layoutFor(statuses, context);
  const room = Math.max(rows - layout.heading.length, 1);
  const all = statuses.map((status) => ({
    urgency: urgencyOf(status.tone),
    whole: blockOf(status, layout, context, false),
    brief: blockOf(status, layout, context, true),
  }));
  const blocks =
    [urgency.good, urgency.warning, urgency.bad]
      .map((most) => all.map((block) => (block.urgency <= most ? block.whole : block.brief)))
      .find((lines) => lines.flat().length <= room) ?? mostUrgent(all, room);
  return { lines: [...layout.heading, ...blocks.flat()], hidden: statuses.length - blocks.length };
}

/** Draws the states of devices, given as rows of `device status`. */
export async function drawStates(rows: readonly Row[], context: RenderContext): Promise<string> {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => statusLineOf(row, context.redact));
  const ruler = await rulerFor(lines.flatMap(({ device, words }) => [device, words]));
  const table = drawStatusTable(lines, { ...context, ruler });
  return `${table.lines.join('\n')}\n`;
}

/** The number of characters of an id that distinguish devices with the same name. */
const idWidth = 8;

/** Returns the statuses, with the start of its id after each device whose name and displayed team are not unique. */
function apart(
  statuses: readonly StatusLine[],
  { columns, ruler }: StatusTableContext,
): readonly StatusLine[] {
  const shown = ({ device, team = '' }: StatusLine): string =>
    JSON.stringify([device, team.slice(0, Math.max(teamRoom(columns) - 1, 0))]);
  const twins = new Map<string, number>();
  for (const one of statuses) twins.set(shown(one), (twins.get(shown(one)) ?? 0) + 1);
  return statuses.map((one) => {
    const { device, id } = one;
    const isTold = id === undefined || id === device || twins.get(shown(one)) === 1;
    return isTold
      ? one
      : { ...one, device: `${cut(ruler, device, maxNameWidth - idWidth - 1, '')} ${id.slice(0, idWidth)}` };
  });
}

/** The lines of a status, and its urgency. */
interface Block {
  readonly urgency: number;
  readonly whole: readonly string[];
  readonly brief: readonly string[];
}

/** Returns the most urgent blocks that fit, in their original order. */
function mostUrgent(blocks: readonly Block[], room: number): readonly (readonly string[])[] {
  const chosen = new Map<Block, readonly string[]>();
  let left = room;
  for (const block of blocks.toSorted((a, b) => a.urgency - b.urgency)) {
    const ways = block.urgency === urgency.bad ? [block.whole, block.brief] : [block.brief];
    const lines = ways.find(({ length }) => length <= left);
    if (!lines) break;
    left -= lines.length;
    chosen.set(block, lines);
  }
  return blocks.flatMap((block) => {
    const lines = chosen.get(block);
    return lines ? [lines] : [];
  });
}

interface Layout {
  readonly heading: readonly string[];
  /** The width of the name column; 0 if the state is below it. */
  readonly name: number;
  /** The width of the team column; 0 if it is omitted. */
  readonly team: number;
  readonly state: number;
  /** The width of the time column; 0 if it is omitted. */
  readonly time: number;
}

function layoutFor(statuses: readonly StatusLine[], { columns, ruler, paint }: StatusTableContext): Layout {
  if (columns < minColumnsBeside)
    return { heading: [], name: 0, team: 0, state: columns - gap.length, time: 0 };
  const widest = Math.max('DEVICE'.length, ...statuses.map(({ device }) => ruler.width(device)));
  const name = Math.min(widest, maxNameWidth, Math.floor(columns / 3));
  const hasTimes = statuses.some(({ since }) => since !== undefined);
  const time = hasTimes ? timeWidth : 0;
  const longest = Math.max('STATE'.length, ...statuses.map(({ words }) => ruler.width(words)));
  const teams = statuses.map(({ team = '' }) => ruler.width(team));
  const hasTeams = columns >= minColumnsWithTeam && teams.some((width) => width > 0);
  const beside = name + gap.length + (hasTimes ? time + gap.length : 0);
  const room = Math.max(teamRoom(columns), columns - beside - gap.length - longest);
  const team = hasTeams ? Math.min(Math.max('TEAM'.length, ...teams), room) : 0;
  const state = columns - beside - (hasTeams ? team + gap.length : 0);
  const used = Math.min(state, longest);
  const heading = [
    'DEVICE'.padEnd(name),
    ...(hasTeams ? ['TEAM'.padEnd(team)] : []),
    'STATE'.padEnd(used),
    ...(hasTimes ? ['SINCE'] : []),
  ].join(gap);
  return { heading: [paint.heading(heading.trimEnd())], name, team, state: used, time };
}

function blockOf(
  status: StatusLine,
  layout: Layout,
  context: StatusTableContext,
  isBrief: boolean,
): readonly string[] {
  const { ruler, paint, unicode, columns } = context;
  const { tone, since = '' } = status;
  const ellipsis = unicode ? '…' : '...';
  if (isBrief && layout.name === 0) {
    const start = `${status.device}: `;
    const line = cut(ruler, start + status.words, columns, ellipsis);
    return [line.startsWith(start) ? start + paint.tone(tone, line.slice(start.length)) : line];
  }
  const words = isBrief
    ? [cut(ruler, status.words, layout.state, ellipsis)]
    : wrap(ruler, status.words, Math.max(layout.state, 1));
  const next = isBrief || status.next === undefined ? [] : nextLines(status.next, layout, context);
  if (layout.name === 0) {
    const name = cut(ruler, status.device, columns, ellipsis);
    return [name, ...words.map((line) => gap + paint.tone(tone, line)), ...next];
  }
  const padded = (text: string, width: number): string => text + ' '.repeat(width - ruler.width(text));
  const cell = (text: string, width: number): string => padded(cut(ruler, text, width, ellipsis), width);
  const team = layout.team > 0 ? gap + cell(status.team ?? '', layout.team) : '';
  const lead = cell(status.device, layout.name) + team;
  const lines = words.map((line, index) => {
    if (index > 0) return ' '.repeat(ruler.width(lead)) + gap + paint.tone(tone, line);
    const filler = ' '.repeat(Math.max(layout.state - ruler.width(line), 0));
    return lead + gap + paint.tone(tone, line) + (since === '' ? '' : filler + gap + since);
  });
  return [...lines, ...next];
}

/**
 * Returns the lines of the command, below the state if it fits there, else further left. If it needs several lines, each
 * but the last ends with a backslash, so that it can still be copied.
 */
function nextLines(next: string, layout: Layout, { ruler, columns }: StatusTableContext): readonly string[] {
  const width = ruler.width(next);
  const indents = [layout.name + gap.length, gap.length];
  const indent = indents.find((columnsBefore) => columnsBefore + width <= columns);
  if (indent !== undefined) return [' '.repeat(indent) + next];
  const words = next.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const lines = flow(ruler, words, columns - 2 * gap.length - 2, ' ');
  return lines.map((line, index) => {
    const start = index === 0 ? gap : gap + gap;
    return start + line + (index < lines.length - 1 ? ' \\' : '');
  });
}
