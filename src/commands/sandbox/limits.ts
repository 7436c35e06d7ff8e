import { duration, integer, type Parse, ValueError } from '../../lib/parse.ts';
import type { Latency, RateLimit } from '../../sandbox/faults/limits.ts';

/** A number of requests per second or minute: `20/s`, `600/m`. */
export const rateLimit: Parse<RateLimit> = (raw) => {
  const [, count = '', unit] = /^(\d+)\/([sm])$/.exec(raw.trim()) ?? [];
  if (unit === undefined)
    throw new ValueError(`must be a number of requests such as 20/s or 600/m, not "${raw}"`);
  const requests = integer({ min: 1, max: 1_000_000 })(count);
  return { requests, per: unit === 's' ? 'second' : 'minute' };
};

/** A time, or a range of times: `40ms`, `40ms..120ms`. */
export const latency: Parse<Latency> = (raw) => {
  const [first = '', second = first, ...others] = raw.split('..');
  if (others.length > 0) throw new ValueError(`must be a time or a range such as 40ms..120ms, not "${raw}"`);
  const [from, to] = [duration(first), duration(second)];
  if (from > to) throw new ValueError(`must have the shorter time first, not "${raw}"`);
  if (to > 600_000) throw new ValueError('must be 10 minutes at most');
  return { from, to };
};

/** Returns a latency as people are told of it. */
export function latencyText({ from, to }: Latency): string {
  return from === to ? `${from} ms` : `${from} to ${to} ms`;
}
