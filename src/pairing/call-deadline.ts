import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { shortDuration } from '../lib/time.ts';
import type { Row } from '../output/fields.ts';
import type { Device } from '../resources/devices/device.ts';
import { failureAfter } from './outcome.ts';
import { pairingRow } from './pairing-row.ts';

/** The reason why a call did not end in time. */
interface DeadlineMiss {
  readonly problem: string;
}

/**
 * Makes a call with a deadline that includes every wait that the service asks for.
 * @param limitMs Infinity for no deadline
 * @returns its value, or the reason if the time was up first
 */
export async function callWithDeadline<T>(
  { clock, signal }: Session,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | DeadlineMiss> {
  const deadline = clock.deadline(limitMs, signal);
  try {
    return { value: await call(deadline.signal) };
  } catch (error) {
    if (signal.aborted || !deadline.isOver) throw error;
    const silence = `The service did not answer within ${shortDuration(limitMs)}.`;
    return { problem: error instanceof Failure ? error.message : silence };
  } finally {
    deadline.clear();
  }
}

/**
 * Yields the last event of a pairing whose time was up before the device could be followed.
 * @param startedAt when the work began, in milliseconds since 1970
 * @throws Failure `notReached` after it
 */
export async function* deadlineRows(
  { clock, terminal }: Session,
  device: Device,
  startedAt: number,
  { problem }: DeadlineMiss,
): AsyncGenerator<Row> {
  const at = clock.now();
  const last = { kind: 'timeout', at, after: at - startedAt, problem } as const;
  yield pairingRow(last, device, undefined);
  throw failureAfter(last, device, { canConnect: true, interactive: terminal.interactive });
}
