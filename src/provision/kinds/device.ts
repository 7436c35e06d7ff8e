import { addressOf, type DesiredDevice, revealed } from '../desired.ts';
import { foundOf, idOf, type Known, type ObjectPlan } from './kind.ts';

/** Plans a device of a tenant. The API shows none again, so that what the lock says has to do. */
export function planDevice(known: Known, device: DesiredDevice): ObjectPlan {
  const { lock, tenant } = known;
  const entry = lock.entries.get(device.address);
  const bot = addressOf(tenant.key, 'bots', device.bot);
  const name = String(revealed(device.name.value));
  const plan: ObjectPlan = {
    address: device.address,
    kind: 'device',
    name,
    action: 'none',
    id: entry?.id,
    differences: [],
    risks: [],
    unverifiable: [],
    impossible: [],
    needs: [tenant.address, bot],
  };
  if (!entry) {
    return {
      ...plan,
      action: 'create',
      differences: [
        { field: 'name', from: undefined, to: name, moved: 'files' },
        { field: 'bot', from: undefined, to: bot, moved: 'files' },
      ],
      risks: mayHaveOne(known) ? [mayBeThere] : [],
    };
  }
  if (entry.id === undefined) return { ...plan, unknownSince: entry.unknown_since ?? 'some time' };
  const { applied } = entry;
  const changed = [
    applied.name !== undefined && applied.name !== name && 'name',
    applied.bot_id !== undefined && applied.bot_id !== idOf(known, bot) && 'bot',
  ].filter((field) => field !== false);
  return {
    ...plan,
    unverifiable: ['name', 'bot'].filter((field) => !changed.includes(field)),
    impossible:
      changed.length === 0
        ? []
        : [
            `The ${changed.join(' and ')} of a device can't change: declare it under another key to get a new one, which has to be paired.`,
          ],
  };
}

/** True if the team may have a device of which nobody here knows: these files didn't create it. */
function mayHaveOne(known: Known): boolean {
  const { state } = foundOf(known, known.tenant.address);
  if (state === 'absent' || state === 'gone') return false;
  return known.lock.entries.get(known.tenant.address)?.created !== true;
}

const mayBeThere = {
  risk: 'create-device',
  says: "These files didn't create the team, so it may have this device already: the API lists none.",
} as const;
