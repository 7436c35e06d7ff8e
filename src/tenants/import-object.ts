import { inputFailure } from '../lib/errors.ts';
import { isSameId } from '../lib/ids.ts';
import { asText } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { findDevice } from '../resources/devices/find-device.ts';
import { resolveId } from '../resources/resolve.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import { type Address, type ObjectKind, objectKinds } from './desired.ts';
import { objectAt, type State, type StateEntry } from './state-file.ts';

/** An object of the service to link to an address. */
export interface ImportedObject {
  readonly id: string;
  readonly name: string | undefined;
  /**
   * Returns a state in which the address is linked to the object.
   * @throws Failure `invalidInput` if the address or the object is already linked
   */
  into(lock: State): State;
}

type ImportContext = Pick<ResourceContext, 'api' | 'askWhich' | 'devices'>;

/** An object that was read. */
interface ServiceObject {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
}

/**
 * Finds the object of the service to link to an address. It counts as never applied, so the next plan sets all declared
 * fields. An exception is a device whose create was interrupted: a plan can't read it, so it counts as applied as the
 * create sent it.
 * @param state the state before the service is called
 * @param word its name or id
 * @throws Failure `usage` for an invalid address; `invalidInput` if the address or the object is already linked, or the
 *   object belongs to another team; and as the lookups and `Api.call`
 */
export async function importObject(
  context: ImportContext,
  state: State,
  address: Address,
  word: string,
): Promise<ImportedObject> {
  const { tenant, kind } = partsOf(address);
  const teamId = state.entries.get(tenant)?.id;
  const seen = await readObject(context, kind, word, teamId);
  const into = (known: State): State => {
    checkUnlinked(known, address, seen);
    if (known.entries.get(address)?.id !== undefined) return known;
    const entry: StateEntry =
      kind === 'documents'
        ? { path: address, id: seen.id }
        : { id: seen.id, applied: objectAt(known, address)?.applied ?? {} };
    return { ...known, entries: new Map(known.entries).set(address, entry) };
  };
  const isIn = into(state) === state;
  if (!isIn && kind && teamId !== undefined && seen.teamId !== undefined && !isSameId(teamId, seen.teamId))
    throw inputFailure([`${seen.name ?? seen.id} belongs to another team than ${tenant}.`]);
  return { id: seen.id, name: seen.name, into };
}

/** The kind is undefined for a team. The address of a document in a folder has more than three parts. */
function partsOf(address: Address): { readonly tenant: string; readonly kind?: ObjectKind | undefined } {
  const [tenant = '', word, ...key] = address.split('/');
  const kind = objectKinds.find((one) => one === word);
  const isWhole = word === undefined || (kind !== undefined && key.length > 0 && !key.includes(''));
  if (tenant !== '' && isWhole) return { tenant, kind };
  throw inputFailure([`${address} is not an address. Examples: aurora, aurora/bots/front-desk.`]);
}

/** @throws Failure `invalidInput` if the state links the address or the object to another one */
function checkUnlinked({ entries }: State, address: Address, { id, name = id }: ServiceObject): void {
  const before = entries.get(address)?.id;
  if (before !== undefined && !isSameId(before, id)) {
    throw inputFailure(
      [`${address} is already linked to ${before}.`],
      remark`To link it to another object, first run: ${command('tenants', 'forget', address)}`,
    );
  }
  const other = [...entries].find(([known, entry]) => known !== address && isSameId(entry.id, id));
  if (other) throw inputFailure([`${name} is already linked to ${other[0]}.`]);
}

const readBy = {
  team: ['team', 'getTeam'],
  documents: ['document', 'getDocument'],
  bots: ['bot', 'getBot'],
} as const;

/** Reads an object; if the state has its team, only in that team. @param kind undefined for a team */
async function readObject(
  { api, askWhich, devices }: ImportContext,
  kind: ObjectKind | undefined,
  word: string,
  teamId: string | undefined,
): Promise<ServiceObject> {
  if (kind === 'devices') {
    const device = await findDevice(devices, word, askWhich);
    await api.call('getDeviceStatus', { path: { id: device.id } });
    return device;
  }
  const [noun, endpoint] = readBy[kind ?? 'team'];
  const id = await resolveId(api, noun, word, { askWhich, teamId: kind && teamId });
  const { data } = await api.call(endpoint, { path: { id } });
  return { id: data.id, name: asText(data.name), teamId: asText(data.team_id) };
}
