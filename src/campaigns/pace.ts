import type * as z from 'zod/mini';
import { groupedNumber } from '../lib/text/numbers.ts';
import { shortDuration } from '../lib/time.ts';
import type { paceSchema, queueSchema } from './stored-schemas.ts';
import { edgesOf, isWithin, openMinutes, windowWords } from './window.ts';
import { dayMs, quarterMs, type WallClock, wallClock } from './zones.ts';

/** How fast and when the messages of a campaign are sent. */
export type Pace = z.infer<typeof paceSchema>;

/** A range in milliseconds, from which the pause between two messages of a device is drawn. */
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

/** The messages that a device has sent, in all campaigns and processes. */
export type SendHistory = Pick<z.infer<typeof queueSchema>, 'lastAt' | 'draw' | 'sent'>;

/** The start of a quarter of an hour, in milliseconds since 1970, and the number of messages that were sent in it. */
export type SentCount = SendHistory['sent'][number];

/** The reason why a message of a device waits. */
export interface Wait {
  readonly why: 'gap' | 'daily' | 'window';
  /** The campaign whose pace it is. */
  readonly campaign: string;
  /** A sentence. */
  readonly because: string;
  /** The IANA name of the time zone of its days or windows; undefined for a pause. */
  readonly zone?: string | undefined;
}

/**
 * When the next message of a device may be sent: not before now. Infinity means never, because windows do not overlap.
 */
export interface NextInstant extends Partial<Wait> {
  readonly at: number;
  /** If the answer is never: the names of campaigns whose windows do not overlap. */
  readonly clash?: readonly string[];
}

/**
 * Windows repeat every week. The windows of two zones may overlap only in the weeks between their changes to summer
 * time.
 */
const horizonMs = 36 * dayMs;

/**
 * Returns when the next message of a device may be sent: after the longest pause, on a day on which no campaign has
 * reached its limit, and within a window of every campaign.
 * @param paces the paces of all campaigns that are sending through the device
 * @param now in milliseconds since 1970
 */
export function nextInstant(paces: readonly NamedPace[], history: SendHistory, now: number): NextInstant {
  const instant = findInstant(paces, history, now);
  if (instant.at !== Number.POSITIVE_INFINITY) return instant;
  const clash = findClash(paces, history, now);
  const because = `${clash.map(describeWindows).join(', ')}: these windows never overlap.`;
  return { at: instant.at, clash: clash.map(({ name }) => name), because };
}

/**
 * Returns two campaigns whose windows do not overlap. If every two of them overlap, returns all campaigns that have
 * windows.
 */
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

/**
 * Returns the end of the pause of the device and the campaign that it comes from. One draw applies to the ranges of all
 * campaigns.
 */
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

/** Returns a function that returns why a campaign may not send at a time of its wall clock, or undefined if it may. */
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

/** Returns whether a pace depends on days or times of day, and not only on pauses. */
export function usesDays(pace: Pace): boolean {
  return pace.windows !== undefined || dailyLimits(pace) !== undefined;
}

function dailyLimits({ daily, warm_up }: Pace): readonly number[] | undefined {
  return warm_up ?? (daily === undefined ? undefined : [daily]);
}

/**
 * Yields the instants at which something may change, with the time of each pace's wall clock. Between two of them every
 * wall clock runs evenly, and no day and no window begins or ends.
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

/** @throws RangeError if a pace with days or times has no zone: assuming another zone would send messages at night */
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

/** Counts of a quarter of an hour are stored for this long. A day of any zone may still need them. */
const recentMs = 3 * dayMs;

/** The most steps of `--daily`. */
export const maxSteps = 30;

/** Room for the quarters of four days and for more days than there are steps. */
const maxCounts = 4 * 96 + 2 * maxSteps;

/**
 * Returns the counts with another message. Counts older than `recentMs` are merged by their day in UTC, under the first
 * quarter that has one.
 */
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
 * Returns about how long messages take through a device that has sent nothing before, in seconds: their number divided
 * by the rate of the pace, without the wait for the first window.
 */
export function secondsAtPace(pace: Pace, messages: number): number {
  if (messages === 0) return 0;
  const gap = (pace.gap.shortest + pace.gap.longest) / 2;
  if (!usesDays(pace)) return Math.round(((messages - 1) * gap) / 1000);
  const openDays = openMinutes(pace.windows).filter((minutes) => minutes > 0);
  /** Returns the average number of messages on a day with a window. */
  const perDay = (limit: number): number => {
    const fits = openDays.map((minutes) =>
      Math.min(limit, gap === 0 ? limit : Math.ceil((minutes * 60_000) / gap)),
    );
    return fits.reduce((sum, count) => sum + count, 0) / openDays.length;
  };
  const steps = dailyLimits(pace) ?? [Number.POSITIVE_INFINITY];
  // No pause follows the last message.
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
