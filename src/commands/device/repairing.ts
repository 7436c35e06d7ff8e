import type { Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { type Device, readStatus } from './device.ts';
import { isRead, readCode } from './pairing/code.ts';
import { readUntil } from './polling.ts';
import { pictureOf, reasonOf, type StatusView, stateOf } from './state.ts';
import { isStopped, transition } from './transition.ts';
import { verdictOf } from './verdict.ts';
import { phoneOf, span, typedAs } from './words.ts';

/** Milliseconds that the service may take for each step. */
const stopPatience = 15_000;
const codePatience = 20_000;

/** Milliseconds that a device is given to come to a state that tells whether it is broken. */
const clarityPatience = { starting: 15_000, connecting: 30_000 } as const;

/**
 * Waits where a device is only on its way: a code may take a while to come, and so may a session after a
 * scan. Gives the device as it is then.
 * @throws Failure
 */
export async function awaitClarity(session: Session, device: Device, view: StatusView): Promise<StatusView> {
  const state = stateOf(view);
  const { state: verdict } = verdictOf(view, device, session.clock.now());
  if (verdict !== 'starting' && verdict !== 'connecting') return view;
  const patience = clarityPatience[verdict];
  const work = session.terminal.progress(
    `${device.label} is on its way: giving it up to ${span(patience)} before anything is done`,
  );
  try {
    return await until(session, device, patience, (now) => stateOf(now) !== state);
  } finally {
    work.stop();
  }
}

/**
 * Disconnects a device, waits until it has stopped, connects it, and waits for a code other than the one that
 * it showed before. Gives a row for each step, with what was seen. Each step that is done already is passed
 * over, so that a repair that broke off can be repeated.
 * @param view the device as it was just now
 * @throws Failure, `notReached` where a step doesn't lead on
 */
export async function* repairSteps(session: Session, device: Device, view: StatusView): AsyncGenerator<Row> {
  const step = stepper(session, device);
  const before = await codeIn(view);
  const verdict = verdictOf(view, device, session.clock.now());
  yield step('found', verdict.text, {
    status: view.status ?? null,
    connected: view.connected ?? null,
    logged_in: view.logged_in ?? null,
    reason: reasonOf(view) ?? null,
    fingerprint: before?.fingerprint ?? null,
  });

  if (stateOf(view) !== 'stopped' || verdict.state === 'contradictory') {
    const answer = await transition(session, device, 'disconnectDevice', isStopped);
    yield step('disconnected', saidBy(answer, 'No good answer, but its status is stopped.'));
    const stopped = await during(session, `Waiting until ${device.label} has stopped`, () =>
      until(session, device, stopPatience, isStopped),
    );
    if (!isStopped(stopped)) throw stuck(device, `did not stop within ${span(stopPatience)}`);
    yield step('stopped', `It has stopped${because(stopped)}.`);
  }

  const isStarted = (now: StatusView): boolean => !isStopped(now);
  const answer = await transition(session, device, 'connectDevice', isStarted);
  yield step('started', saidBy(answer, 'No good answer, but its status is not stopped any more.'));
  const isNew = async (now: StatusView): Promise<boolean> => {
    if (stateOf(now) === 'ready') return true;
    const code = await codeIn(now);
    return code !== undefined && code.id !== before?.id;
  };
  const now = await during(session, `Waiting for a new code of ${device.label}`, () =>
    until(session, device, codePatience, isNew),
  );
  if (stateOf(now) === 'ready') {
    const phone = phoneOf(now.phone_number);
    yield step('connected', 'It is connected again, without a scan.', { phone_number: phone ?? null });
    return;
  }
  const code = await codeIn(now);
  if (!code) throw stuck(device, `shows no code within ${span(codePatience)}${because(now)}`);
  if (code.id === before?.id) throw stuck(device, 'goes on showing the code that it had before');
  const evidence =
    code.problem ?? (before ? 'A new code, other than the one before.' : 'A code, where there was none.');
  yield step('code', evidence, { fingerprint: code.fingerprint ?? null });
}

function saidBy(answer: { readonly message?: unknown } | undefined, otherwise: string): string {
  return answer ? String(answer.message ?? 'The service accepted it.') : otherwise;
}

/** Makes the rows of the steps; each says how long it took since the one before. */
function stepper({ clock }: Session, { id, name }: Device) {
  let before = clock.now();
  return (event: string, evidence: string, more: Row = {}): Row => {
    const at = clock.now();
    const took = Math.round((at - before) / 100) / 10;
    before = at;
    return {
      event,
      device_id: id,
      ...(name !== undefined && { name }),
      evidence,
      ...more,
      took,
      at: new Date(at).toISOString(),
    };
  };
}

/** What is known of a code that a device shows. */
interface SeenCode {
  /** Tells it from others: the fingerprint of what it says, or the picture where that can't be read. */
  readonly id: string;
  readonly fingerprint: string | undefined;
  readonly problem: string | undefined;
}

async function codeIn(view: StatusView): Promise<SeenCode | undefined> {
  const picture = pictureOf(view);
  if (picture === undefined) return undefined;
  const code = await readCode(picture);
  return isRead(code)
    ? { id: code.fingerprint, fingerprint: code.fingerprint, problem: undefined }
    : {
        id: picture,
        fingerprint: undefined,
        problem: `A new picture, which can't be read: it ${code.problem}.`,
      };
}

function until(
  session: Session,
  device: Device,
  patience: number,
  isThere: (view: StatusView) => boolean | Promise<boolean>,
): Promise<StatusView> {
  const { clock, signal } = session;
  const read = (end: AbortSignal) => readStatus(session, device, end);
  return readUntil({ read, isThere, patience, clock, signal });
}

async function during<T>({ terminal }: Session, text: string, work: () => Promise<T>): Promise<T> {
  const progress = terminal.progress(text);
  try {
    return await work();
  } finally {
    progress.stop();
  }
}

function because(view: StatusView): string {
  const reason = reasonOf(view);
  return reason === undefined ? '' : `; the service says: ${reason}`;
}

function stuck(device: Device, what: string): Failure {
  return new Failure('notReached', `${device.label} ${what}.`, {
    hint: `If it stays so, show these steps to the support of the service. Try again in a minute: botctl device repair ${typedAs(device)}`,
  });
}
