import { actorText } from '../../desk/actor.ts';
import type { BookedDevice, DeviceBook } from '../../desk/device-book.ts';
import type { NameUse } from '../../desk/used-names.ts';
import { Failure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { AskWhich, Candidate } from '../../lib/match-name.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { inSentence, oneLine } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../resource-context.ts';
import { ago, findDevice, lastChangeOf, marksOf } from './find-device.ts';

type DeviceEntry = Pick<BookedDevice, 'id'> & Partial<BookedDevice>;

/** The maximum width of the details that distinguish devices. */
const maxMarks = 160;

type FindContext = Pick<ResourceContext, 'devices' | 'askWhich' | 'clock'>;

/**
 * Finds a device for a command that acts on it, as `findDevice`. If this machine last used the name for another device,
 * because others changed the device book since, the user chooses between the two. An id needs no choice.
 * @throws Failure as `findDevice`, and `ambiguous` if the name belongs to another device and botctl can't ask
 */
export async function findUsedDevice(context: FindContext, typed: string): Promise<DeviceEntry> {
  const { devices, clock } = context;
  const { usedNames } = devices;
  let isAsked = false;
  const askWhich: AskWhich = (question) => {
    isAsked = true;
    return context.askWhich(question);
  };
  const found = await findDevice(devices, typed, askWhich, clock.now()).catch(async (thrown: unknown) => {
    if (isId(typed) || !(thrown instanceof Failure) || thrown.kind !== 'notFound') throw thrown;
    const id = usedNames?.find(typed)?.id ?? (await idOfForgotten(devices, typed));
    throw id === undefined ? thrown : await explainFailure(context, typed, id, thrown);
  });
  const { name } = found;
  if (name === undefined || !usedNames) return found;
  const use = usedNames.find(name);
  const isAnswered = isAsked || isId(typed);
  const device =
    use && use.id !== found.id && !isAnswered ? await chosenDevice(context, name, found, use) : found;
  // If an id is used before its name, the name is not recorded.
  if (use || !isId(typed)) await usedNames.set(name, device.id, new Date(clock.now()).toISOString());
  return device;
}

/**
 * Asks whether a name means its current device or the former one.
 * @throws Failure `ambiguous`
 */
async function chosenDevice(
  { devices, askWhich, clock }: FindContext,
  name: string,
  found: DeviceEntry,
  use: NameUse,
): Promise<DeviceEntry> {
  const now = clock.now();
  const change = lastChangeOf(found, now);
  const since = `when this machine used it${ago(use.usedAt, now)}`;
  const earlier: DeviceEntry = (await devices.list()).find(({ id }) => id === use.id) ?? { id: use.id };
  const marks = [`meant ${since}`, await describeFate(devices, earlier, now)];
  const candidates: readonly (Candidate & { readonly device: DeviceEntry })[] = [
    {
      id: found.id,
      name,
      marks: found.seenAt === undefined ? [] : marksOf({ ...found, seenAt: found.seenAt }, now),
      device: found,
    },
    { id: use.id, name, marks: marks.filter((mark) => mark !== undefined), device: earlier },
  ];
  const because = `"${inSentence(name)}" now means another device${change === undefined ? '' : `, ${change}`}.`;
  const choice = await askWhich({ isExact: true, candidates, text: name, noun: 'device', because });
  if (choice) return choice.device;
  const message = `${because} It now means ${found.id}, and meant ${use.id} ${since}.`;
  const ids = candidates.map(({ id, marks = [] }) => `  ${id}  ${oneLine(marks.join(', '), maxMarks)}`);
  throw new Failure('ambiguous', message, {
    hint: `Use the id of the one you mean:\n${ids.join('\n')}`,
    next: candidates.map(({ id }) => command('device', 'status', id)),
  });
}

/** Returns what happened to the former device of a name. */
async function describeFate(
  devices: Pick<DeviceBook, 'forgotten'>,
  earlier: DeviceEntry,
  now: number,
): Promise<string | undefined> {
  if (earlier.name !== undefined) return `now named ${earlier.name}`;
  const tombstone = (await devices.forgotten()).find(({ id }) => id === earlier.id);
  if (!tombstone) return undefined;
  const author = actorText(tombstone.forgottenBy, tombstone.forgottenFrom);
  return `forgotten${author === undefined ? '' : ` by ${author}`}${ago(tombstone.forgottenAt, now)}`;
}

/** Returns the id of the device with a name that was forgotten last. Only a desk records that. */
async function idOfForgotten(devices: Pick<DeviceBook, 'events'>, name: string): Promise<string | undefined> {
  const events = await devices.events();
  return events.find(({ event, device }) => event === 'forgotten' && device.name === name)?.deviceId;
}

/** Returns the failure for a name without a device, with what happened to its former device. */
async function explainFailure(
  { devices, clock }: FindContext,
  name: string,
  id: string,
  failure: Failure,
): Promise<Failure> {
  const earlier: DeviceEntry = (await devices.list()).find((device) => device.id === id) ?? { id };
  const fate = await describeFate(devices, earlier, clock.now());
  if (fate === undefined) return failure;
  const way =
    earlier.name === undefined
      ? remark`To add it again: ${command('device', 'add', id, '--name', name)}`
      : remark`Check it: ${command('device', 'status', id)}`;
  // If several devices fail, only the messages are shown.
  const message = `${failure.message} It was the name of device ${id}, ${oneLine(fate, maxMarks)}.`;
  return failure.withHint(joinRemarks([way, failure.hint]), message);
}
