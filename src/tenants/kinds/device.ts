import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { asText } from '../../lib/json-object.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import { createOnce, namesakesOfNew } from '../../resources/devices/create-once.ts';
import { Secret } from '../../secrets/secret.ts';
import { type Address, addressOf, type DesiredDevice, fieldText } from '../desired.ts';
import type { BookedDeviceEntry } from '../live-state.ts';
import { knownIds, objectAt } from '../state-file.ts';
import { keyChanged } from './key-changed.ts';
import { emptyPlan, foundRow, idOf, type Known, type ObjectPlan } from './kind.ts';
import type { DeclaredObject, KindContext } from './kind-context.ts';

/** Returns the handler of a device. */
export function device(declared: DesiredDevice): DeclaredObject {
  const { address, bot } = declared;
  const name = fieldText(declared.name);
  return {
    address,
    plan: (known) => planDevice(known, declared),

    async create(kindContext) {
      const { context, known } = kindContext;
      const { tenant } = known;
      const teamId = kindContext.idOf(tenant.address);
      const botId = kindContext.idOf(addressOf(tenant.key, 'bots', bot));
      const botName = tenant.bots.find(({ key }) => key === bot)?.fields.name;
      const entry = { applied: { name, bot_id: botId } };
      const unknown_since = new Date(context.clock.now()).toISOString();
      // Written before the call: the API can't list devices, so the outcome can't be found out later.
      await kindContext.state.set(address, { ...entry, unknown_since });
      const toCreate = {
        ...{ name, teamId, teamName: fieldText(tenant.fields.name) },
        ...{ botId, botName: botName && fieldText(botName) },
      };
      const { devices, intents } = await namesakesOfNew(context, toCreate, knownIds(kindContext.state));
      const mayRepeat = kindContext.isAllowed('create-device') || devices.length + intents.length === 0;
      const create = createOnce(context, toCreate, mayRepeat, () =>
        context.api.call('createDevice', { body: { team_id: teamId, bot_id: botId, name } }),
      );
      const { data } = await create.catch(async (thrown: unknown) => {
        if (!(thrown instanceof Failure)) throw thrown;
        if (thrown.isUncertain) throw thrown.withHint(unknownDevice(address));
        await kindContext.state.set(address, undefined);
        throw thrown.kind === 'notConfirmed' ? thrown.withHint(anotherDevice(address)) : thrown;
      });
      // The token first: the API shows it only once, and an import can add an entry that is missing in the state file.
      const lost = await saveToken(kindContext, address, data);
      await kindContext.state.set(address, { id: data.id, ...entry }).catch((thrown: unknown) => {
        if (!(thrown instanceof Failure)) throw thrown;
        throw unrecordedFailure(address, data.id, thrown, lost);
      });
      if (lost) throw lost;
    },

    async adopt(kindContext, { id }) {
      const bot_id = kindContext.idOf(addressOf(kindContext.known.tenant.key, 'bots', bot));
      await kindContext.state.set(address, { id, applied: { name, bot_id } });
    },
  };
}

/** Returns the failure if the token of a device could not be saved. */
async function saveToken(
  kindContext: KindContext,
  address: Address,
  { id, token }: ResourceRow,
): Promise<Failure | undefined> {
  const told = asText(token);
  try {
    await kindContext.saveToken(address, id, told === undefined ? undefined : new Secret(told));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

/** Returns the failure for a device that was created but not recorded: the state file has it as unknown. */
function unrecordedFailure(address: Address, id: string, cause: Failure, lost: Failure | undefined): Failure {
  const message = `Device ${id} was created, but it could not be saved in the state file: ${cause.message}`;
  const say = command('tenants', 'import', address, id);
  return new Failure('outcomeUnknown', [message, lost?.message].filter(Boolean).join(' '), {
    hint: remark`Once the file can be written, link the device: ${say}`,
    cause,
  });
}

/** Returns the hint for a device that may or may not exist. */
export function unknownDevice(address: Address): Remark {
  const known = command('tenants', 'import', address, placeholder('<id>'));
  const none = command('tenants', 'forget', address);
  return remark`The API can't list devices, so look for it in the platform. If it exists, link it: ${known}\nIf it does not, let the next apply create it: ${none}`;
}

function anotherDevice(address: Address): Remark {
  const known = command('tenants', 'import', address, placeholder('<id>'));
  return remark`To use an existing device: ${known}\nTo create another one anyway, add: --allow create-device`;
}

/** Plans a device of a tenant. The API can't list devices, so the plan relies on the state file. */
function planDevice(known: Known, device: DesiredDevice): ObjectPlan {
  const { state, tenant } = known;
  const entry = objectAt(state, device.address);
  const bot = addressOf(tenant.key, 'bots', device.bot);
  const name = fieldText(device.name);
  const plan = emptyPlan('device', device.address, name, [tenant.address, bot]);
  if (!entry) {
    const botId = idOf(known, bot);
    const changed = keyChanged(
      known,
      device.address,
      (one) =>
        !('path' in one) && one.applied.name === name && botId !== undefined && one.applied.bot_id === botId,
    );
    if (changed) return { ...plan, ...changed };
    const booked = known.live.bookedDevices.get(device.address);
    if (booked?.isIt) return { ...plan, action: 'adopt', reason: 'booked', id: booked.id };
    return {
      ...plan,
      ...{ action: 'create', reason: 'new' },
      booked: booked?.id,
      differences: [
        { field: 'name', from: undefined, to: name, moved: 'files' },
        { field: 'bot', from: undefined, to: bot, moved: 'files' },
      ],
      risks: duplicateRisk(known, booked),
    };
  }
  if (entry.id === undefined)
    return { ...plan, reason: 'unknown', unknownSince: entry.unknown_since ?? 'some time' };
  const { applied } = entry;
  const different = [
    applied.name !== undefined && applied.name !== name && 'name',
    applied.bot_id !== undefined && applied.bot_id !== idOf(known, bot) && 'bot',
  ].filter((field) => field !== false);
  const says = `The ${different.join(' and ')} of a device can't change. To get a new device, which you must pair, declare it under another key.`;
  return {
    ...plan,
    id: entry.id,
    unverifiable: ['name', 'bot'].filter((field) => !different.includes(field)),
    impossible: different.length > 0 ? [says] : [],
  };
}

function duplicateRisk(known: Known, booked: BookedDeviceEntry | undefined): ObjectPlan['risks'] {
  const { address } = known.tenant;
  // These files may not have created the team, so it may have an unknown device.
  const mayHaveOne = foundRow(known, address) && objectAt(known.state, address)?.created !== true;
  const says = booked ? `${booked.says} A second one could not be deleted.` : mayHaveOne && mayExist;
  return says ? [{ risk: 'create-device', says }] : [];
}

const mayExist =
  "These files didn't create the team, so it may already have this device: the API can't list devices.";
