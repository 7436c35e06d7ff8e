import type { DeviceCommand } from '../../desk/device-history.ts';
import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { shortDuration } from '../../lib/time.ts';
import type { ResourceContext } from '../resource-context.ts';
import { codeTimeoutMs, connectTimeoutMs } from './connection-times.ts';
import { awaitStatus, type Device } from './device.ts';
import { isStopped, limitIn, stateOf } from './device-state.ts';
import { type DeviceStatus, deviceStatus } from './device-status.ts';
import { type EventWord, hintAtLimit, serviceQuote } from './device-words.ts';
import { diagnose } from './diagnosis.ts';
import { eventRow, inSeconds } from './event-row.ts';
import { isRead, readCode } from './pairing/code.ts';
import { awaitStopped, stuckFailure, transition } from './transition.ts';

/** How long to wait for a state that shows whether a device is broken. */
const clarityTimeoutsMs = { starting: codeTimeoutMs, connecting: connectTimeoutMs } as const;

/**
 * Waits for a device that is in transition: a code may take a while, and so may a connection after a
 * scan. Returns the resulting status.
 * @throws Failure
 */
export async function awaitClarity(
  context: ResourceContext,
  device: Device,
  status: DeviceStatus,
): Promise<DeviceStatus> {
  const state = stateOf(status);
  const { state: verdict } = diagnose(status, device, context.clock.now());
  if (verdict !== 'starting' && verdict !== 'connecting') return status;
  const timeoutMs = clarityTimeoutsMs[verdict];
  const text = `${device.label} is connecting: waiting up to ${shortDuration(timeoutMs)} before repairing it`;
  return during(context, text, () =>
    awaitStatus(context, device, (now) => stateOf(now) !== state, { timeoutMs }),
  );
}

/**
 * Disconnects a device, waits until it has stopped, connects it, and waits for a code other than the one
 * before. Yields a row for each step, with the result. Steps that are already done are
 * skipped, so that an interrupted repair can be repeated. A device with the status stopped that can't be connected is
 * disconnected anyway, and then connected.
 * @param status the current status
 * @throws Failure, `notReached` if a step has no effect
 */
export async function* repairSteps(
  context: ResourceContext,
  device: Device,
  status: DeviceStatus,
): AsyncGenerator<JsonObject> {
  const step = stepper(context, device);
  const before = await codeIn(status);
  const verdict = diagnose(status, device, context.clock.now());
  yield step('found', verdict.text, {
    status: status.raw.status ?? null,
    connected: status.raw.connected ?? null,
    logged_in: status.raw.logged_in ?? null,
    reason: status.lastDisconnectReason ?? null,
    fingerprint: before?.fingerprint ?? null,
  });

  const connect = (command?: DeviceCommand): Promise<JsonObject | undefined> =>
    transition(context, device, 'connectDevice', (now) => !isStopped(now), { command });
  const isToStop = stateOf(status) !== 'stopped' || verdict.state === 'contradictory';
  if (isToStop) yield* stopSteps(context, device, step);
  let answer: JsonObject | undefined;
  try {
    // The history records a repair once: with the first call that had an effect.
    answer = await connect(isToStop ? undefined : 'repair');
  } catch (error) {
    if (isToStop || !(error instanceof Failure) || error.kind !== 'rejected') throw error;
    // Another attempt may prolong it.
    if (limitIn(error.message) !== undefined) throw error.withHint(hintAtLimit(device.word));
    yield* stopSteps(context, device, step);
    answer = await connect();
  }
  yield step('started', messageOf(answer, 'No valid response, but its status is no longer stopped.'));
  const isNew = async (now: DeviceStatus): Promise<boolean> => {
    if (stateOf(now) === 'ready') return true;
    const code = await codeIn(now);
    return code !== undefined && code.id !== before?.id;
  };
  const now = await during(context, `Waiting for a new code of ${device.label}`, () =>
    awaitStatus(context, device, isNew, { timeoutMs: codeTimeoutMs }),
  );
  if (stateOf(now) === 'ready') {
    const phone = now.phoneNumber;
    yield step('connected', 'Connected again without a scan.', { phone_number: phone ?? null });
    return;
  }
  const code = await codeIn(now);
  if (!code) throw withoutCode(device, now, context.clock.now());
  if (code.id === before?.id) throw stuckFailure(device, 'still shows the same code as before');
  const evidence = code.problem ?? 'New code ready.';
  yield step('code', evidence, { fingerprint: code.fingerprint ?? null });
}

type Step = ReturnType<typeof stepper>;

async function* stopSteps(context: ResourceContext, device: Device, step: Step): AsyncGenerator<JsonObject> {
  const answer = await transition(context, device, 'disconnectDevice', isStopped, { command: 'repair' });
  yield step('disconnected', messageOf(answer, 'No valid response, but its status is stopped.'));
  const stopped = await during(context, `Waiting until ${device.label} has stopped`, () =>
    awaitStopped(context, device),
  );
  yield step('stopped', `It has stopped${because(stopped)}.`);
}

function messageOf(answer: JsonObject | undefined, otherwise: string): string {
  return answer ? (deviceStatus(answer).message ?? 'The service accepted it.') : otherwise;
}

/** Returns the failure for a device that shows no code. If another attempt would prolong a limit, its hint is to wait. */
function withoutCode(device: Device, status: DeviceStatus, now: number): Failure {
  const failure = stuckFailure(
    device,
    `showed no code within ${shortDuration(codeTimeoutMs)}${because(status)}`,
  );
  const { state } = diagnose(status, device, now);
  const isLimited = state === 'limited' || limitIn(status.lastDisconnectReason) !== undefined;
  return isLimited || state === 'blocked' ? failure.withHint(hintAtLimit(device.word)) : failure;
}

/** Returns a function that creates the rows of the steps; each has the time since the one before. */
function stepper({ clock }: ResourceContext, device: Device) {
  let before = clock.now();
  return (event: EventWord, evidence: string, more: JsonObject = {}): JsonObject => {
    const at = clock.now();
    const took = inSeconds(at - before);
    before = at;
    return eventRow(event, device, at, { evidence, ...more, took });
  };
}

/** A displayed code. */
interface SeenCode {
  /** Identifies it: the fingerprint of its content, or the picture if that can't be decoded. */
  readonly id: string;
  readonly fingerprint?: string;
  readonly problem?: string;
}

async function codeIn(status: DeviceStatus): Promise<SeenCode | undefined> {
  const picture = status.qrCode;
  if (picture === undefined) return undefined;
  const code = await readCode(picture);
  return isRead(code)
    ? { id: code.fingerprint, fingerprint: code.fingerprint }
    : { id: picture, problem: `New picture, but it can't be read: it ${code.problem}.` };
}

async function during<T>({ reporter }: ResourceContext, text: string, work: () => Promise<T>): Promise<T> {
  const progress = reporter.progress(text);
  try {
    return await work();
  } finally {
    progress.stop();
  }
}

function because(status: DeviceStatus): string {
  const said = [status.lastDisconnectReason, status.message].filter((text) => text !== undefined);
  return said.length === 0 ? '' : `; ${serviceQuote([...new Set(said)].join('; '))}`;
}
