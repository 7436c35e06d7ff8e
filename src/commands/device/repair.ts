import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { argument, duration, flag, nameOf, onOff, option } from '../../input/options.ts';
import type { Fields } from '../../terminal/fields.ts';
import { type Device, deviceFor, readStatus, remember } from './device.ts';
import { pairingFields } from './fields.ts';
import {
  followingBy,
  loneOption,
  onlyWhileWaiting,
  type PairingInput,
  pairingOptions,
  pictureFileFor,
} from './pairing/options.ts';
import { awaitClarity, repairSteps } from './repairing.ts';
import { type StatusView, stateOf } from './state.ts';
import { type VerdictState, verdictOf } from './verdict.ts';
import { phoneOf, typedAs } from './words.ts';

/** Longer than all codes of a connection live, and those of the rounds after it. */
const defaultTimeout = 15 * 60_000;
const rounds = 3;

/** Milliseconds that a device that was just started is given to show it. */
const startPatience = 10_000;

export const repair = defineCommand({
  name: 'repair',
  summary: 'Start a device anew whose state makes no sense',
  description:
    'Disconnects the device, waits until it has stopped, connects it, and waits for a new code: each step with ' +
    'what was seen. A device that is ready is left alone, and one that comes back by itself is not touched: --force ' +
    'does it all the same, and its phone is unlinked. On a terminal the pairing follows; elsewhere with --wait.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: {
    force: flag('--force', 'do it also where waiting is better, or nothing is wrong'),
    wait: onOff('--wait', 'wait until the device is paired'),
    timeout: option('--timeout <duration>', 'give up waiting after this long (15m)', duration),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device repair Reception', does: 'Look at a device, and start it anew if that helps' },
    {
      line: 'botctl device repair Reception --yes --no-wait -o ndjson',
      does: 'Start it anew in a script, with the evidence of each step',
    },
    {
      line: 'botctl device repair Reception --force',
      does: 'Give a pairing up, and pair it with a phone anew',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'events', fields: repairFields() },
  async prepare(session, input) {
    const waits = input.wait ?? session.terminal.interactive;
    const lone = waits ? undefined : loneIn(input);
    if (lone !== undefined) throw loneOption(lone, '--wait');
    const device = deviceFor(session, input.device, 'write');
    const file = pictureFileFor(input);
    const first = await readStatus(session, device, session.signal);
    await remember(session, device);
    const view = input.force ? first : await awaitClarity(session, device, first);
    const { state } = verdictOf(view, device, session.clock.now());
    if (!input.force && isToWait(state)) throw refusal(session, device, view);
    const isHealthy = !input.force && (state === 'ready' || (state === 'waiting' && view !== first));
    return { device, view, waits, file, isHealthy };
  },
  async confirm(_session, _input, { device, view, isHealthy, file }) {
    if (isHealthy) return undefined;
    const questions = [questionFor(device, view), file?.confirmation()?.question];
    const question = questions.filter((one) => one !== undefined).join('\n');
    return question === '' ? undefined : { level: 'yes', question };
  },
  async run(session, input, { device, view, waits, file, isHealthy }) {
    if (isHealthy) return healthy(session, device, view);
    const pair = async (): Promise<Row | AsyncIterable<Row> | undefined> => {
      if (!waits) return undefined;
      const { timeout = defaultTimeout } = input;
      const { follow } = await import('./pairing/follow.ts');
      const patience = startPatience;
      return follow(session, device, { ...followingBy(input), timeout, rounds, fresh: true, patience, file });
    };
    const rows = repaired(session, device, repairSteps(session, device, view), pair);
    if (!session.terminal.interactive || session.io.stdout.isTTY !== true) return rows;
    return lastOf(rows, (row) => tell(session, row));
  },
});

/** The steps, and what follows them. */
async function* repaired(
  session: Session,
  device: Device,
  steps: AsyncIterable<Row>,
  pair: () => Promise<Row | AsyncIterable<Row> | undefined>,
): AsyncGenerator<Row> {
  let last: Row = {};
  for await (const row of steps) {
    last = row;
    yield row;
  }
  if (last.event === 'connected') return;
  const pairing = await pair();
  if (pairing === undefined) {
    session.terminal.note(`Pair it: botctl device connect ${typedAs(device)}`);
  } else if (isMany(pairing)) yield* pairing;
  else yield pairing;
}

/** The last of several rows; each is told as it comes. */
async function lastOf(rows: AsyncIterable<Row>, told: (row: Row) => void): Promise<Row> {
  let last: Row = {};
  for await (const row of rows) {
    told(row);
    last = row;
  }
  return last;
}

/** Tells a person of a step; of the pairing after it the screen has told. */
function tell({ terminal }: Session, { event, evidence, took }: Row): void {
  if (typeof evidence !== 'string') return;
  if (event === 'found') terminal.note(`Found it so: ${evidence}`);
  else terminal.done(`${evidence} (${took} s)`);
}

function isMany(pairing: Row | AsyncIterable<Row>): pairing is AsyncIterable<Row> {
  return Symbol.asyncIterator in pairing;
}

/** What a step has, then what a pairing has beyond it. */
function repairFields(): Fields {
  const own: Fields = [
    { name: 'event' },
    { name: 'evidence' },
    { name: 'connected', kind: 'flag', detail: true },
    { name: 'logged_in', heading: 'Logged in', kind: 'flag', detail: true },
    { name: 'next', kind: 'command', detail: true },
  ];
  const more = pairingFields.filter(({ name }) => !own.some((field) => field.name === name));
  return [...own, ...more.map((field) => ({ ...field, detail: true }))];
}

/** An option that makes no sense where nobody waits. */
function loneIn(input: PairingInput & { readonly timeout: unknown }): string | undefined {
  if (input.timeout !== undefined) return '--timeout';
  if (input.qrFile !== undefined) return '--qr-file';
  return input.revealQr ? '--reveal-qr' : onlyWhileWaiting(input);
}

/** Whether a new pairing would cost what time gives back, or would not help. */
function isToWait(state: VerdictState): boolean {
  return state === 'reconnecting' || state === 'blocked';
}

function refusal({ clock }: Session, device: Device, view: StatusView): Failure {
  const { state, text } = verdictOf(view, device, clock.now());
  const name = typedAs(device);
  const why =
    state === 'blocked'
      ? 'A new pairing does not lift that'
      : 'A new pairing would cost a scan, and waiting costs nothing';
  const message = `${device.label}: ${text}. ${why}; --force gives the pairing up. Nothing was changed.`;
  return new Failure('usage', message, { hint: `Wait for it: botctl device status ${name} --watch` });
}

/** Where a phone may be paired, or a code about to be scanned, that is lost. */
function questionFor(device: Device, view: StatusView): string | undefined {
  const state = stateOf(view);
  if (state === 'stopped' || state === 'starting') return undefined;
  if (state === 'waiting')
    return `This makes the code that ${device.label} shows worthless, and brings a new one. Go on?`;
  const phone = phoneOf(view.phone_number);
  const who = phone === undefined ? 'a phone that is paired with it' : `its phone, ${phone},`;
  return `This disconnects ${device.label} and starts it anew: ${who} is unlinked, and somebody has to scan a new code. Go on?`;
}

function healthy({ terminal, clock }: Session, device: Device, view: StatusView): Row {
  const { state, text, next } = verdictOf(view, device, clock.now());
  const name = typedAs(device);
  terminal.done(`${device.label} is ${text}: there is nothing to repair.`);
  if (state === 'waiting') terminal.note(`Pair it: botctl device connect ${name}`);
  else terminal.note(`To pair it anew all the same: botctl device repair ${name} --force`);
  return {
    event: state,
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    evidence: text,
    phone_number: phoneOf(view.phone_number) ?? null,
    next: next ?? null,
    at: new Date(clock.now()).toISOString(),
  };
}
