import type { ResourceRow } from '../client/api.ts';
import { toListedDocument } from '../documents/sync/sync-plan.ts';
import { isSameId } from '../lib/ids.ts';
import { groupBy } from '../lib/iterables.ts';
import { ownMember } from '../lib/json-object.ts';
import { normalizeSpaces } from '../lib/text/compare.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { toBot } from '../resources/bots/bot.ts';
import { editableOf, isSameValue } from '../resources/bots/editable.ts';
import { type BookContext, namesakesOfNew } from '../resources/devices/create-once.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import { toTeam } from '../resources/teams/team.ts';
import { countedQuotas, type Usage, usageOf } from '../resources/teams/usage.ts';
import type { DeclaredTenant } from './declared-documents.ts';
import { type Address, addressOf, fieldText, quotaOf, revealValue } from './desired.ts';
import type { UndeclaredEntries } from './kinds/kind.ts';
import { findDocuments, type UnfinishedUploads } from './live-documents.ts';
import {
  type Ambiguity,
  ambiguity,
  type BookedDeviceEntry,
  type FileState,
  type Found,
  type Live,
  type SecretState,
} from './live-state.ts';
import {
  allRows,
  forEachConcurrently,
  type ReadContext,
  readRow,
  rowsOfTeams,
  teamKey,
} from './read-rows.ts';
import { isAsShown, isSent, type SecretField, type SecretRecord } from './secret-records.ts';
import { knownIds, objectAt, type State } from './state-file.ts';

/** Input of `readLive`. */
interface LiveInput {
  readonly state: State;
  /** Entries of the state file at keys that the files don't declare. */
  readonly undeclared: UndeclaredEntries;
  /** Addresses of bots that the files no longer declare, to be read too. */
  readonly pruned: readonly Address[];
  readonly unfinishedUploads: UnfinishedUploads;
}

type LiveContext = ReadContext & BookContext & Pick<ResourceContext, 'reporter'>;

/**
 * Reads the state of the service for a plan: each list at most once, and each declared team and bot separately, since lists
 * don't show every field. Changes nothing.
 * @throws Failure as `Api.call`
 */
export async function readLive(
  context: LiveContext,
  tenants: readonly DeclaredTenant[],
  looking: LiveInput,
): Promise<Live> {
  return new LiveReader(context, looking).read(tenants);
}

class LiveReader {
  readonly #context: LiveContext;
  readonly #state: State;
  readonly #input: LiveInput;
  /** The ids in the state file, and those that were matched with declarations. */
  readonly #taken: ReadonlySet<string>;
  readonly #found = new Map<Address, Found>();
  #teams: readonly ResourceRow[] = [];
  readonly #ambiguous = new Map<Address, Ambiguity>();

  constructor(context: LiveContext, looking: LiveInput) {
    this.#context = context;
    this.#state = looking.state;
    this.#input = looking;
    this.#taken = knownIds(looking.state);
  }

  async read(tenants: readonly DeclaredTenant[]): Promise<Live> {
    await this.#findTeams(tenants);
    const there = tenants.flatMap((tenant) => {
      const row = this.#found.get(tenant.address)?.row;
      return row ? [{ tenant, row }] : [];
    });
    const ids = there.map(({ row }) => row.id);
    const hasBots = there.some(({ tenant }) => tenant.bots.some(({ address }) => !this.#idOf(address)));
    const hasDocuments = there.some(({ tenant }) => tenant.documents.length > 0);
    const isLowered = there.some(({ tenant, row }) => getsLower(tenant, row));
    const listing = (list: 'listBots' | 'listDocuments') => rowsOfTeams(this.#context, list, ids);
    const [botsListed, documentsListed] = await Promise.all([
      hasBots || isLowered ? listing('listBots') : undefined,
      hasDocuments || isLowered ? listing('listDocuments') : undefined,
    ]);
    await this.#findBots(tenants, botsListed);
    const isAnyGone = tenants.some(({ bots }) =>
      bots.some(({ address }) => this.#found.get(address)?.state === 'gone'),
    );
    // An object that is created again also uses quota.
    const botsCounted = botsListed ?? (isAnyGone ? await listing('listBots') : undefined);
    const files = await this.#findDocuments(tenants, documentsListed);
    const rows = [botsCounted, documentsListed].flatMap((list) => [...(list?.values() ?? [])].flat());
    const booked = await Promise.all(there.map(({ tenant, row }) => this.#booked(tenant, row.id)));
    return {
      ...{ found: this.#found, ambiguous: this.#ambiguous },
      usage: new Map(ids.map((id) => [id, usedBy(teamKey(id), botsCounted, documentsListed)])),
      names: new Map([...this.#teams, ...rows].map(({ id, name }) => [id.toLowerCase(), String(name ?? id)])),
      files,
      documents: new Map(
        tenants.map((tenant) => [
          tenant.address,
          this.#inTeam(tenant, documentsListed).map(toListedDocument),
        ]),
      ),
      bookedDevices: new Map(booked.flat()),
      secrets: await this.#secrets(tenants),
    };
  }

  /** Compares the secrets of bots whose values differ from the files with those that were last sent. */
  async #secrets(tenants: readonly DeclaredTenant[]): Promise<Live['secrets']> {
    const all = new Map<Address, Map<string, SecretState>>();
    const bots = tenants.flatMap((tenant) => tenant.bots);
    await forEachConcurrently(this.#context, bots, async ({ address, fields }) => {
      const found = this.#found.get(address);
      const entry = objectAt(this.#state, address);
      if (found?.state !== 'locked' || !entry) return;
      const shown = editableOf(toBot(found.row));
      const states = new Map<string, SecretState>();
      for (const [name, { value, isSecret }] of Object.entries(fields)) {
        const live = ownMember(shown, name);
        const record = ownMember(entry.secrets ?? {}, name);
        const isKnown = record !== undefined || (isSecret && entry.secret?.includes(name) === true);
        if (!isKnown || isSameValue(name, live, revealValue(value))) continue;
        states.set(name, await stateOfSecret(record, { name, value }, live));
      }
      all.set(address, states);
    });
    return all;
  }

  async #booked(
    { address: team, devices: declared }: DeclaredTenant,
    teamId: string,
  ): Promise<readonly (readonly [Address, BookedDeviceEntry])[]> {
    const found = declared.map(async (one): Promise<readonly (readonly [Address, BookedDeviceEntry])[]> => {
      const { address } = one;
      if (this.#state.entries.has(address)) return [];
      const name = fieldText(one.name);
      const { devices, intents } = await namesakesOfNew(this.#context, { name, teamId }, this.#taken);
      const [device, ...others] = devices;
      const [intent] = intents;
      if (device) {
        const says = `The device book has a device of this name in the team: ${device.id}.`;
        const bot = this.#found.get(addressOf(team, 'bots', one.bot))?.row;
        const isOfBot = device.botId === undefined || isSameId(device.botId, bot?.id);
        const isAlone =
          others.length === 0 && declared.every((two) => two === one || fieldText(two.name) !== name);
        const isIt = isAlone && isOfBot && !intent && this.#idOf(team) === undefined;
        return [[address, { says, id: device.id, isIt }]];
      }
      return intent
        ? [
            [
              address,
              { says: `It may have been created at ${intent.at}: that call got no response.`, isIt: false },
            ],
          ]
        : [];
    });
    return (await Promise.all(found)).flat();
  }

  #idOf(address: Address): string | undefined {
    return this.#state.entries.get(address)?.id;
  }

  async #findTeams(tenants: readonly DeclaredTenant[]): Promise<void> {
    const wanted = tenants.map((tenant) => ({
      address: tenant.address,
      name: fieldText(tenant.fields.name),
    }));
    const unlocked = wanted.filter(({ address }) => !this.#idOf(address));
    if (unlocked.length > 0) this.#teams = await allRows(this.#context, 'listTeams');
    this.#match(unlocked, this.#teams, 'team');
    await this.#readEach(wanted, 'getTeam');
  }

  async #findBots(tenants: readonly DeclaredTenant[], rows: Rows): Promise<void> {
    for (const tenant of tenants) {
      const unlocked = tenant.bots
        .filter(({ address }) => !this.#idOf(address))
        .map((bot) => ({ address: bot.address, name: fieldText(bot.fields.name) }));
      this.#match(unlocked, this.#inTeam(tenant, rows), 'bot');
    }
    const pruned = this.#input.pruned.map((address) => ({ address }));
    await this.#readEach([...tenants.flatMap(({ bots }) => bots), ...pruned], 'getBot');
  }

  #inTeam({ address }: DeclaredTenant, rows: Rows): readonly ResourceRow[] {
    const team = this.#found.get(address)?.row;
    return (team && rows?.get(teamKey(team.id))) ?? [];
  }

  /** Finds objects by name that are not in the state file. */
  #match(
    wanted: readonly { readonly address: Address; readonly name: string }[],
    rows: readonly ResourceRow[],
    noun: string,
  ): void {
    const rowsNamed = groupBy(rows, (row) => row.name);
    const free = rows.filter(({ id }) => !this.#taken.has(id.toLowerCase()));
    const nearlyNamed = groupBy(free, (row) => normalizeSpaces(String(row.name)));
    const wantedNamed = groupBy(wanted, (one) => one.name);
    for (const { address, name } of wanted) {
      const namesakes = rowsNamed.get(name) ?? [];
      const alike = namesakes.filter(({ id }) => !this.#taken.has(id.toLowerCase()));
      const [row, ...others] = alike;
      const [near] = nearlyNamed.get(normalizeSpaces(name)) ?? [];
      const twins = (wantedNamed.get(name) ?? []).map((other) => other.address);
      const both = `${twins.join(' and ')} have the same name`;
      if (others.length > 0) this.#ambiguous.set(address, ambiguity(noun, name, alike));
      else if (!row && near) {
        const says = `It may be ${noun} ${JSON.stringify(near.name)} (${near.id}): services may change spaces and accents in names.`;
        this.#ambiguous.set(address, { says, candidate: near.id });
      } else if (!row && twins.length > 1 && noun === 'team') {
        const says = `${both} and would be created together. After a lost response botctl could not tell them apart. Rename one, or create them one at a time.`;
        this.#ambiguous.set(address, { says });
      } else if (row && twins.length > 1) {
        const says = `${both}, and the service has one ${noun} of that name, ${inSentence(name)}: ${row.id}.`;
        this.#ambiguous.set(address, { says, candidate: row.id });
      } else this.#found.set(address, row ? { state: 'alike', row } : { state: 'absent' });
    }
  }

  /** Reads each object separately, by its id in the state file or the matched one. */
  async #readEach(
    wanted: readonly { readonly address: Address }[],
    endpoint: 'getTeam' | 'getBot',
  ): Promise<void> {
    const targets = wanted.flatMap(({ address }) => {
      const id = this.#idOf(address);
      const row = this.#found.get(address)?.row;
      const state: 'locked' | 'alike' = id === undefined ? 'alike' : 'locked';
      const known = id ?? row?.id;
      return known === undefined ? [] : [{ address, id: known, state }];
    });
    await forEachConcurrently(this.#context, targets, async ({ address, id, state }) => {
      const row = await readRow(this.#context, endpoint, id);
      // An object may have been deleted since it was listed.
      const none: Found = state === 'locked' ? { state: 'gone' } : { state: 'absent' };
      this.#found.set(address, row ? { state, row } : none);
    });
  }

  async #findDocuments(
    tenants: readonly DeclaredTenant[],
    rows: Rows,
  ): Promise<ReadonlyMap<Address, FileState>> {
    const teams = tenants.map((tenant) => ({ tenant, rows: this.#inTeam(tenant, rows) }));
    const { found, files, ambiguous } = await findDocuments(this.#context, this.#input, teams);
    for (const [address, one] of found) this.#found.set(address, one);
    for (const [address, one] of ambiguous) this.#ambiguous.set(address, one);
    return files;
  }
}

async function stateOfSecret(
  record: SecretRecord | undefined,
  field: SecretField,
  live: unknown,
): Promise<SecretState> {
  if (!record) return 'unverified';
  if (!(await isSent(record, field))) return 'files';
  return (await isAsShown(record, field, live)) ? 'same' : 'service';
}

/** The rows of teams, by `teamKey` of their ids, if they were listed. */
type Rows = ReadonlyMap<string, readonly ResourceRow[]> | undefined;

/** Returns a team's usage of its quotas, as far as it was listed. */
function usedBy(key: string, bots: Rows, documents: Rows): Partial<Usage> {
  const used = usageOf(bots?.get(key) ?? [], documents?.get(key) ?? []);
  return {
    ...(bots && { bots: used.bots }),
    ...(documents && { documents: used.documents, characters: used.characters }),
  };
}

/** Returns whether a tenant lowers a counted quota. */
function getsLower(tenant: DeclaredTenant, row: ResourceRow): boolean {
  const { quotas } = toTeam(row);
  return countedQuotas.some((name) => (quotaOf(tenant, name) ?? Infinity) < (quotas[name] ?? 0));
}
