import type * as z from 'zod/mini';
import { groupedNumber } from '../lib/text/numbers.ts';
import { shortDuration } from '../lib/time.ts';
import type { paceSchema, queueSchema } from './stored-schemas.ts';
import { edgesOf, isWithin, openMinutes, windowWords } from './window.ts';
import { dayMs, quarterMs, type WallClock, wallClock } from './zones.ts';

/** How fast and when the messages of a campaign may go. */
export type Pace = z.infer<typeof paceSchema>;

/** A pause between two messages of a device, drawn from a range, in milliseconds. */
export type Gap = Pace['gap'];

/** Picks the members of a pace. */
export function paceOf({ gap, daily, warm_up, windows, tz }: Pace): Pace {
  return { gap, daily, warm_up, windows, tz };
}

/** A pace, and the campaign that has it. */
export interface NamedPace {
  readonly name: string;
  readonly pace: Pace;
}

/** The messages that a device has sent, of all campaigns and processes. */
export type SendHistory = Pick<z.infer<typeof queueSchema>, 'lastAt' | 'draw' | 'sent'>;

/** Messages that were sent in a quarter of an hour, which begins at that instant. */
export type SentCount = SendHistory['sent'][number];

/** The reason why a message of a device waits. */
export interface Wait {
  readonly why: 'gap' | 'daily' | 'window';
  /** The campaign whose pace it is. */
  readonly campaign: string;
  /** A sentence. */
  readonly because: string;
  /** The IANA name of the zone whose days or windows it goes by; undefined for a pause. */
  readonly zone?: string | undefined;
}

/** When the next message of a device may go: not before now, and Infinity for never, since windows have no time in common. */
export interface NextInstant extends Partial<Wait> {
  readonly at: number;
  /** For never: the names of campaigns whose windows have no time in common. */
  readonly clash?: readonly string[];
}

/** Windows come again each week, and those of two zones may meet in the weeks between their changes to summer time alone. */
const horizonMs = 36 * dayMs;

/**
 * Returns when the next message of a device may go: after the longest pause, on a day that no campaign's limit is reached,
 * within a window of every campaign.
 * @param paces those of all campaigns that are sending through the device
 * @param now in milliseconds since 1970
 */
export function nextInstant(paces: readonly NamedPace[], history: SendHistory, now: number): NextInstant {
  const instant = findInstant(paces, history, now);
  if (instant.at !== Number.POSITIVE_INFINITY) return instant;
  const clash = findClash(paces, history, now);
  const because = `${clash.map(describeWindows).join(', ')}: these windows never overlap.`;
  return { at: instant.at, clash: clash.map(({ name }) => name), because };
}

/** Returns two campaigns that have no time in common, or all that have windows if each two of them have some. */
function findClash(paces: readonly NamedPace[], history: SendHistory, now: number): readonly NamedPace[] {
  const timed = paces.filter(({ pace }) => pace.windows);
  for (const [at, one] of timed.entries()) {
    for (const other of timed.slice(at + 1)) {
      if (findInstant([one, other], history, now).at === Number.POSITIVE_INFINITY) return [one, other];
    }
  }
  return timed;
}

function describeWindows({ name, pace: { windows = [], tz } }: NamedPace): string {
  return `${name} sends ${windows.map(windowWords).join(', ')} (${tz})`;
}

function findInstant(paces: readonly NamedPace[], history: SendHistory, now: number): NextInstant {
  const gap = longestGap(paces, history);
  const start = Math.max(now, gap.until);
  let waits = gap.until > now ? gap.wait : undefined;
  const bars = paces.map((one) => obstacleFinder(one, history));
  for (const { from, walls } of changeInstants(paces, start)) {
    const bar = bars.map((barAt, at) => barAt(walls[at] ?? 0)).find((one) => one !== undefined);
    if (bar === undefined) return { at: from, ...waits };
    if (waits === undefined || waits.why === 'gap') waits = bar;
    if (from > start + horizonMs) break;
  }
  return { at: Number.POSITIVE_INFINITY, ...waits };
}

/** Returns until when the device pauses, and for which campaign: one draw serves all ranges. */
function longestGap(paces: readonly NamedPace[], { lastAt, draw }: SendHistory) {
  let longest: { readonly until: number; readonly wait?: Wait } = { until: Number.NEGATIVE_INFINITY };
  if (lastAt === undefined) return longest;
  for (const { name, pace } of paces) {
    const { shortest, longest: most } = pace.gap;
    const until = lastAt + Math.ceil(shortest + draw * (most - shortest));
    if (until <= longest.until) continue;
    longest = { until, wait: { why: 'gap', campaign: name, because: `${name} pauses after each message.` } };
  }
  return longest;
}

/** Returns a function that gives the reason why a campaign may not send at a time of its wall clock, or undefined. */
function obstacleFinder(named: NamedPace, { sent }: SendHistory): (wall: number) => Wait | undefined {
  const { name, pace } = named;
  const { windows } = pace;
  const limits = dailyLimits(pace);
  const clock = clockOf(pace);
  const sentOn = new Map<number, number>();
  if (limits) {
    for (const [from, count] of sent) {
      const date = dateOf(clock(from));
      sentOn.set(date, (sentOn.get(date) ?? 0) + count);
    }
  }
  return (wall) => {
    const date = dateOf(wall);
    const days = [...sentOn.keys()].filter((day) => day < date).length;
    const limit = limits?.[Math.min(days, limits.length - 1)];
    if (limit !== undefined && (sentOn.get(date) ?? 0) >= limit) {
      const because = `${name} reached its daily limit of ${groupedNumber(limit)} for the device.`;
      return { why: 'daily', campaign: name, because, zone: pace.tz };
    }
    if (!windows || isWithin(windows, wall)) return undefined;
    return { why: 'window', campaign: name, because: `${describeWindows(named)}.`, zone: pace.tz };
  };
}

/** Returns whether a pace goes by days or times, and not by pauses alone. */
export function usesDays(pace: Pace): boolean {
  return pace.windows !== undefined || dailyLimits(pace) !== undefined;
}

function dailyLimits({ daily, warm_up }: Pace): readonly number[] | undefined {
  return warm_up ?? (daily === undefined ? undefined : [daily]);
}

/**
 * Yields the instants from which something may change, and what the clock of each pace shows then. Between two of them every
 * wall clock goes on evenly, and no day and no window begins or ends.
 */
function* changeInstants(paces: readonly NamedPace[], start: number) {
  const zones = paces.map(({ pace }) => ({ clock: clockOf(pace), edges: edgesOf(pace.windows ?? []) }));
  for (let from = start; ; ) {
    const walls = zones.map(({ clock }) => clock(from));
    let to = (Math.floor(from / quarterMs) + 1) * quarterMs;
    for (const [at, { edges }] of zones.entries()) {
      for (const edge of edges) {
        const ahead = edge * 60_000 - timeOf(walls[at] ?? 0);
        if (ahead > 0) to = Math.min(to, from + ahead);
      }
    }
    yield { from, walls };
    from = to;
  }
}

/** @throws RangeError where days or times have no zone: to take another one would send at night */
function clockOf(pace: Pace): WallClock {
  const { tz } = pace;
  if (tz === undefined && usesDays(pace)) throw new RangeError('days and times need a zone');
  return wallClock(tz ?? 'UTC');
}

function dateOf(wall: number): number {
  return Math.floor(wall / dayMs);
}

function timeOf(wall: number): number {
  return wall - dateOf(wall) * dayMs;
}

/** Quarters that still count for the day of any zone. */
const recentMs = 3 * dayMs;

/** The most steps of `--daily`. */
export const maxSteps = 30;

/** The quarters of four days, and more days than there are steps. */
const maxCounts = 4 * 96 + 2 * maxSteps;

/** Returns the counts with a message more. What is long past is counted by its day in UTC, from the first quarter of that. */
export function addSent(sent: readonly SentCount[], at: number): readonly SentCount[] {
  const quarter = Math.floor(at / quarterMs) * quarterMs;
  const counts = new Map<string, SentCount>();
  for (const [from, count] of [...sent, [quarter, 1] as const]) {
    const key = from < at - recentMs ? `day ${dateOf(from)}` : `quarter ${from}`;
    const [first, before] = counts.get(key) ?? [from, 0];
    counts.set(key, [first, before + count]);
  }
  return [...counts.values()].sort(([one], [other]) => one - other).slice(-maxCounts);
}

/** Returns a pace in a few words. */
export function paceWords(pace: Pace): string {
  const { gap, daily, warm_up, windows, tz } = pace;
  const ends = [...new Set([gap.shortest, gap.longest].map(shortDuration))].join(' to ');
  const words = [
    gap.longest === 0 ? 'no pauses' : `pauses of ${ends}`,
    daily !== undefined && `${groupedNumber(daily)} a day`,
    warm_up && `${warm_up.map(groupedNumber).join(', ')} a day`,
    ...(windows ?? []).map(windowWords),
    usesDays(pace) && tz,
  ];
  return words.filter((word) => typeof word === 'string').join('; ');
}

/**
 * Returns about how long messages take through a device that has sent nothing before, in seconds: their number divided by the
 * rate that the pace permits, without the wait for the first window.
 */
export function secondsAtPace(pace: Pace, messages: number): number {
  if (messages === 0) return 0;
  const gap = (pace.gap.shortest + pace.gap.longest) / 2;
  if (!usesDays(pace)) return Math.round(((messages - 1) * gap) / 1000);
  const openDays = openMinutes(pace.windows).filter((minutes) => minutes > 0);
  /** Returns how many messages go on a day with a window, on average. */
  const perDay = (limit: number): number => {
    const fits = openDays.map((minutes) =>
      Math.min(limit, gap === 0 ? limit : Math.ceil((minutes * 60_000) / gap)),
    );
    return fits.reduce((sum, count) => sum + count, 0) / openDays.length;
  };
  const steps = dailyLimits(pace) ?? [Number.POSITIVE_INFINITY];
  // The last message has no pause after it.
  let left = messages - 1;
  let days = 0;
  while (days < steps.length - 1 && left >= perDay(steps[days] ?? 0)) {
    left -= perDay(steps[days] ?? 0);
    days += 1;
  }
  const usual = perDay(steps[days] ?? 0);
  days += Math.floor(left / usual);
  return Math.round(((days * 7) / openDays.length) * (dayMs / 1000) + ((left % usual) * gap) / 1000);
}
