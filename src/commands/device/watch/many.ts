import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { type Device, readStatus, remember } from '../device.ts';
import { span, typedAs } from '../words.ts';
import { Board } from './board.ts';
import type { Goal } from './goal.ts';
import { watchRow } from './row.ts';
import { openWatchView } from './view.ts';
import { type WatchEvent, watchDevices } from './watch.ts';

/** What is waited for, and how long. */
export interface ManyOptions {
  readonly until: Goal | undefined;
  /** Milliseconds; for ever where not given. */
  readonly timeout: number | undefined;
}

/** What a watch gives. */
export interface WatchedMany {
  /** A row for each change; where stdout is the terminal that the table is drawn on, the states at the end. */
  readonly rows: readonly Row[] | AsyncIterable<Row>;
  /** What the command ends with after those states. */
  readonly failure: Failure | undefined;
}

/**
 * Watches devices, without showing a code.
 * @throws Failure where the service refuses to answer at all, or the person leaves
 */
export async function watchMany(
  session: Session,
  devices: readonly Device[],
  options: ManyOptions,
): Promise<WatchedMany> {
  const board = new Board(devices);
  const events = eventsOf(session, board, devices, options);
  if (!session.terminal.interactive || session.io.stdout.isTTY !== true)
    return { rows: rowsOf(events, options.until), failure: undefined };
  let last: WatchEvent | undefined;
  for await (const event of events) last = event;
  return { rows: board.result(), failure: failureAfter(last, options.until) };
}

async function* rowsOf(events: AsyncIterable<WatchEvent>, until: Goal | undefined): AsyncGenerator<Row> {
  let last: WatchEvent | undefined;
  for await (const event of events) {
    last = event;
    yield watchRow(event, until);
  }
  const failure = failureAfter(last, until);
  if (failure) throw failure;
}

async function* eventsOf(
  session: Session,
  board: Board,
  devices: readonly Device[],
  { until, timeout }: ManyOptions,
): AsyncGenerator<WatchEvent> {
  const { clock, options } = session;
  const view = await openWatchView(session, board, titleOf(devices, until));
  const known = new Set<string>();
  try {
    const watching = watchDevices(devices, {
      read: (device, signal) => readStatus(session, device, signal),
      clock,
      signal: AbortSignal.any([session.signal, view.signal]),
      until,
      timeout,
      maxRps: options.maxRps,
      random: Math.random,
    });
    for await (const event of watching) {
      board.take(event);
      view.show(event);
      if (event.kind === 'state' && !known.has(event.device.id)) {
        known.add(event.device.id);
        await remember(session, event.device);
      }
      yield event;
    }
  } finally {
    view.close();
  }
}

function titleOf(devices: readonly Device[], until: Goal | undefined): string {
  const [first] = devices;
  const what = devices.length === 1 && first ? first.label : `${devices.length} devices`;
  if (until === undefined) return `Watching ${what}`;
  return `Watching ${what} until ${devices.length === 1 ? 'it is' : 'all are'} ${until}`;
}

/** So many devices are named. */
const mostNamed = 5;

function labelOf({ label }: Device): string {
  return label;
}

/** `Reception`, `Reception and Counter`, `Reception, Counter and Kitchen`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

function failureAfter(last: WatchEvent | undefined, until: Goal | undefined): Failure | undefined {
  if (last?.kind !== 'timeout' && last?.kind !== 'lost') return undefined;
  if (until === undefined) {
    // Whoever waits for nothing has seen what there was to see when the time is up.
    return last.kind === 'timeout' ? undefined : new Failure('notFound', last.reason);
  }
  const named = last.missing.slice(0, mostNamed);
  const more = last.missing.length - named.length;
  const who = listed(more > 0 ? [...named.map(labelOf), `${more} more`] : named.map(labelOf));
  const verb = last.missing.length === 1 ? 'is' : 'are';
  const look = `botctl device status ${more > 0 ? '--all' : named.map(typedAs).join(' ')}`;
  return last.kind === 'timeout'
    ? new Failure('notReached', `${who} ${verb} not ${until} after ${span(last.after)}.`, {
        hint: `See why: ${look}`,
      })
    : new Failure('notReached', `${who} can't become ${until}: ${last.reason}`, {
        hint: 'See which devices this machine knows: botctl device list',
      });
}
