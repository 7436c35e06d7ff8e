import type { Row } from '../../../output/fields.ts';
import type { RenderContext } from '../../../output/options.ts';
import { isEmpty } from '../../../output/values.ts';
import type { Paint, Tone } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { cut, flow, type Ruler, rulerFor, wrap } from '../../../terminal/width.ts';
import { stateTone } from '../fields.ts';

/** The state of a device, as a person reads it. All texts are fit to be printed. */
export interface StatusLine {
  readonly device: string;
  /** Distinguishes devices of the same name; undefined if unknown. */
  readonly id?: string | undefined;
  /** The team of the device; undefined if it isn't known. */
  readonly team?: string | undefined;
  readonly words: string;
  readonly tone: Tone | undefined;
  /** The command that leads on; undefined if nothing is left to do. */
  readonly next: string | undefined;
  /** For how long it has been so; undefined if that isn't known. */
  readonly since?: string | undefined;
}

/**
 * Returns the row of a state as a person reads it.
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

/** The terminal on which statuses are drawn. */
export interface StatusTableContext {
  readonly paint: Paint;
  readonly ruler: Ruler;
  readonly unicode: boolean;
  readonly columns: number;
}

const urgency: Readonly<Record<Tone | 'none', number>> = { bad: 0, warning: 1, none: 2, quiet: 3, good: 4 };

/** Returns the lowest number for what needs attention first. */
export function urgencyOf(tone: Tone | undefined): number {
  return urgency[tone ?? 'none'];
}

const gap = '  ';

/** Columns of the longest time there is: `59 seconds ago`. */
const timeWidth = 14;

/** With fewer columns a state goes under its device, and the time is left out. */
const minColumnsBeside = 56;

/** With fewer columns the team is left out. */
const minColumnsWithTeam = 80;

/** Returns the columns that a team has at least if it needs them. It has more if the states leave room. */
function teamRoom(columns: number): number {
  return columns < minColumnsWithTeam ? 0 : Math.max(16, Math.floor(columns / 6));
}

/** Columns of a name that are shown. */
const maxNameWidth = 32;

/**
 * Draws the states of devices in columns, the state in as many lines as it takes, and below it the command that leads on: that
 * one is never cut, so that it can be copied.
 * @param rows rows of the window; if that isn't enough for all, those that are least urgent get a line each, without a
 * command, and then the devices go that need least attention
 * @returns the lines, and how many devices are not among them
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

/** Characters of an id that tell namesakes apart. */
const idWidth = 8;

/** Returns the states with the beginning of its id behind each device that has the name, and the team shown, of another. */
function apart(statuses: readonly StatusLine[], { columns }: StatusTableContext): readonly StatusLine[] {
  const shown = ({ device, team = '' }: StatusLine): string =>
    JSON.stringify([device, team.slice(0, Math.max(teamRoom(columns) - 1, 0))]);
  const twins = new Map<string, number>();
  for (const one of statuses) twins.set(shown(one), (twins.get(shown(one)) ?? 0) + 1);
  return statuses.map((one) => {
    const { device, id } = one;
    const isTold = id === undefined || id === device || twins.get(shown(one)) === 1;
    return isTold
      ? one
      : { ...one, device: `${device.slice(0, maxNameWidth - idWidth - 1)} ${id.slice(0, idWidth)}` };
  });
}

/** A status in lines, by how urgent it is. */
interface Block {
  readonly urgency: number;
  readonly whole: readonly string[];
  readonly brief: readonly string[];
}

/** Returns those that need attention most and have room, in the order in which they were given. */
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
  /** Columns of the name; 0 if the state is below it. */
  readonly name: number;
  /** Columns of the team; 0 if it isn't shown. */
  readonly team: number;
  readonly state: number;
  /** Columns of the time; 0 if it isn't shown. */
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

/** Returns the command below the state if it fits there, else further left; on several lines as a shell takes them. */
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
