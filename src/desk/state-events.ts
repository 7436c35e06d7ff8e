import { commandIn, type DeviceEvent, type NewEvent } from './device-history-lines.ts';

/** Events that are neither states nor commands. */
const asides: ReadonlySet<string> = new Set(['refused', 'scan_failed']);

/** Events after which a connection is a new pairing. */
const unpaired: ReadonlySet<string> = new Set(['never_connected', 'started', 'stopped']);

/**
 * Returns the event of a reading, or undefined if the last event has the same state.
 * @param sofar the earlier events, oldest first
 * @param reading `connected`, `lost`, `started`, `stopped`, or `never_connected` if the reading shows no earlier
 *   connection
 */
export function stateAfter(sofar: readonly DeviceEvent[], reading: NewEvent): NewEvent | undefined {
  const last = sofar.findLast(isState);
  const hasPast = reading.event === 'never_connected' && sofar.some(tellsOfPast);
  const seen = hasPast ? { ...reading, event: 'stopped' } : reading;
  if (last && isSame(last, seen)) return undefined;
  const isPaired = seen.event === 'connected' && last !== undefined && unpaired.has(last.event);
  return isPaired ? { ...seen, event: 'paired', reason: undefined } : seen;
}

/**
 * Returns an event that is recorded late, as it fits between the other events; undefined if they already include the
 * state or the loss. A command or a refused send is always a separate event.
 * @param before the events until its time, oldest first
 * @param after the later events
 */
export function lateEvent(
  before: readonly DeviceEvent[],
  event: NewEvent,
  after: readonly DeviceEvent[],
): NewEvent | undefined {
  if (!isState(event)) return event;
  if ([...before, ...after].some((other) => isSameLoss(other, event))) return undefined;
  const news = stateAfter(before, readingOf(event));
  const next = after.find(isState);
  const isKnown = news && next && !stateAfter([...before, news], readingOf(next));
  return isKnown ? undefined : news;
}

function isState(event: NewEvent): boolean {
  return !asides.has(event.event) && commandIn(event) === undefined;
}

/** Returns whether an event shows that the device was, or may have been, connected before. */
function tellsOfPast(seen: DeviceEvent): boolean {
  const isPast = !['never_connected', 'started', 'scan_failed', 'not_found'].includes(seen.event);
  return isPast && commandIn(seen) === undefined;
}

/** The time of a loss comes from the service, so the clocks of machines don't matter. */
function isSameLoss(one: NewEvent, other: NewEvent): boolean {
  const isLoss = one.event === 'lost' && other.event === 'lost';
  return isLoss && one.lostAt !== undefined && one.lostAt === other.lostAt;
}

/** Returns the reading behind an event: the earlier events decide whether a connection is a pairing. */
function readingOf(event: NewEvent): NewEvent {
  return event.event === 'paired' ? { ...event, event: 'connected' } : event;
}

/** A connection after a loss is a new one, and so is a connection of another phone. */
function isSame(last: DeviceEvent, seen: NewEvent): boolean {
  const isUp = seen.event === 'connected';
  if (last.event !== seen.event && !(isUp && last.event === 'paired')) return false;
  if (
    last.phoneNumber !== undefined &&
    seen.phoneNumber !== undefined &&
    last.phoneNumber !== seen.phoneNumber
  )
    return false;
  if (seen.event === 'started') return true;
  if (seen.lostAt !== undefined && seen.lostAt !== last.lostAt) return false;
  return isUp || last.reason === seen.reason;
}
