import type { ResourceRow } from '../../client/api.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText } from '../../lib/json-object.ts';
import { firstFew, inSentence } from '../../lib/text/sentence.ts';
import { type Bot, toBot } from '../../resources/bots/bot.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import type { Address } from '../desired.ts';
import type { Live } from '../live-state.ts';
import { readRow } from '../read-rows.ts';
import { objectAt, objectsIn, type State } from '../state-file.ts';
import { emptyPlan, type ObjectPlan } from './kind.ts';
import type { KindContext } from './kind-context.ts';

/** More devices than these are counted but not named. */
const maxNamed = 5;

/** Returns the addresses of the bots that are in the state file and no longer in the files, sorted. */
export function prunedBots(state: State, tenants: readonly DeclaredTenant[]): readonly Address[] {
  const declared = new Set(tenants.flatMap(({ bots }) => bots.map(({ address }) => address)));
  return [...state.entries]
    .filter(([address, { id }]) => address.split('/')[1] === 'bots' && id !== undefined)
    .map(([address]) => address)
    .filter((address) => !declared.has(address))
    .sort();
}

/** Input of the plan of a pruned bot. */
interface PruneContext {
  readonly state: State;
  readonly live: Live;
  /** The devices that this machine knows at the service. */
  readonly booked: readonly BookedDevice[];
  /** Keys of the tenants that the files declare. */
  readonly keys: ReadonlySet<string>;
}

/** Plans the deletion of a bot that the files no longer declare; if it no longer exists, only its entry is removed. */
export function planPrunedBot({ state, live, booked, keys }: PruneContext, address: Address): ObjectPlan {
  const [tenant = '', , key = ''] = address.split('/');
  const entry = objectAt(state, address);
  const shown = live.found.get(address)?.row;
  const bot = shown && toBot(shown);
  const name = bot ? (bot.name ?? bot.id) : (asText(entry?.applied.name) ?? key);
  const plan = { ...emptyPlan('bot', address, name), id: entry?.id };
  if (!bot) return { ...plan, action: 'delete', reason: 'deleted' };
  const teamId = state.entries.get(tenant)?.id;
  if (teamId === undefined || !isSameId(bot.teamId, teamId)) {
    const says = `It belongs to another team than ${tenant} and is not deleted. If it is not part of these files, remove it from the state file (tenants forget).`;
    return { ...plan, impossible: [says] };
  }
  const devices = devicesOf(bot, state, booked);
  if (devices.length > 0) {
    const says = `It is linked to ${firstFew(devices, maxNamed)}, and the API can't unlink or delete a device. Give the device another bot in the platform, then forget it here (tenants forget).`;
    return { ...plan, impossible: [says] };
  }
  const says = [
    `Bot ${inSentence(name)} (${bot.id}) would be deleted permanently`,
    bot.published !== false && (bot.published ? 'it is published' : 'it may be published'),
    !keys.has(tenant) && `the files declare nothing of ${tenant}`,
  ];
  return {
    ...plan,
    ...{ action: 'delete', reason: 'undeclared' },
    risks: [{ risk: 'delete-bot', says: `${says.filter((one) => one !== false).join('; ')}.` }],
  };
}

/** Returns the devices linked to a bot, according to the state file and the device book. */
function devicesOf({ id }: Bot, state: State, booked: readonly BookedDevice[]): readonly string[] {
  const locked = objectsIn(state).filter(([, { applied }]) => isSameId(asText(applied.bot_id), id));
  const ids = locked.map(([, entry]) => entry.id);
  const others = booked.filter((one) => isSameId(one.botId, id) && !ids.some((of) => isSameId(of, one.id)));
  return [
    ...locked.map(([address]) => address),
    ...others.map((one) => (one.name === undefined ? one.id : `${inSentence(one.name)} (${one.id})`)),
  ];
}

/**
 * Deletes a bot as planned. If it no longer exists, that counts as success.
 * @param shown the bot as the service showed it
 * @throws Failure `rejected` if it was changed since, and as `Api.call`
 */
export async function deleteBot(context: KindContext['context'], shown: ResourceRow): Promise<void> {
  const { id } = shown;
  const planned = toBot(shown);
  const read = () => readRow(context, 'getBot', id);
  const row = await read();
  if (!row) return;
  const latest = toBot(row);
  if (
    latest.name !== planned.name ||
    latest.published !== planned.published ||
    !isSameId(latest.teamId, planned.teamId)
  )
    throw new Failure(
      'rejected',
      'Someone else has renamed, moved or published it since the plan. It was not deleted.',
    );
  try {
    await context.api.call('deleteBot', { path: { id } });
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.isInterruption || thrown.kind === 'rejected') throw thrown;
    // If the response is lost, the bot may be deleted. If that is unknown it counts as existing: deleting it again does no harm.
    if (await read().catch(() => row)) throw thrown;
  }
}
