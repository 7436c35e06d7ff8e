import { extname } from 'node:path';
import type { ResourceRow } from '../../client/api.ts';
import { updateTeam } from '../../contract/teams.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { textOf } from '../../lib/json-object.ts';
import { problemsWith } from '../../lib/schema-problems.ts';
import { toBot } from '../../resources/bots/bot.ts';
import { checkBot } from '../../resources/bots/check-bot.ts';
import { editableOf, isTexts } from '../../resources/bots/editable.ts';
import { teamValue, toTeam } from '../../resources/teams/team.ts';
import type { BookedDevice } from '../../settings/device-book.ts';
import { secretsIn } from '../action-secrets.ts';
import {
  type Address,
  addressOf,
  type DeclaredField,
  type DesiredBot,
  type DesiredDevice,
  type DesiredDocument,
  type DesiredTenant,
  declaredValue,
  type ObjectKind,
  type Place,
  type TeamField,
} from '../desired.ts';
import { keptFields, type State, type StateEntry } from '../state-file.ts';
import { type BotFieldValue, SecretSearch } from './exported-secrets.ts';
import { Keys } from './keys.ts';

/** What there is of a team, as the service shows it and the device book knows it. */
export interface TeamContents {
  /** In its detail form, as the bots are. */
  readonly team: ResourceRow;
  readonly documents: readonly ResourceRow[];
  readonly bots: readonly ResourceRow[];
  readonly devices: readonly BookedDevice[];
}

/** A team as its files would declare it, and what the lock knows of it then. */
export interface ExportedTenant {
  readonly tenant: DesiredTenant;
  readonly id: string;
  readonly entries: ReadonlyMap<Address, StateEntry>;
  readonly leftOut: readonly LeftOut[];
}

/** Something that the service shows and no file can declare. */
export interface LeftOut {
  readonly address: Address;
  /** What it is and why, as a sentence without its full stop. */
  readonly says: string;
}

const teamFields = ['name', 'plan_name', 'paying', 'banned'] as const satisfies readonly TeamField[];

/** Nothing that is exported stands in a file yet. */
const nowhere: Place = { file: '', line: 1, column: 1 };

/**
 * Returns a team as files declare it: with every field that it shows and that can be written.
 * @param key a key that no other tenant has
 * @param lock has the keys of known objects, and the names of their secret fields
 * @returns undefined for a team without a name, or with a secret in its name, which no file can declare
 */
export function exportedTenant(
  key: string,
  contents: TeamContents,
  lock: State,
  search: SecretSearch,
): ExportedTenant | undefined {
  return isUsable(contents.team.name, search)
    ? new Exporter(key, contents, lock, search).tenant()
    : undefined;
}

/** Returns what finds the secrets of teams, and those that this command used, in what is exported. */
export function secretSearch(
  teams: readonly TeamContents[],
  state: State,
  redact: (text: string) => string,
): SecretSearch {
  const search = new SecretSearch(redact);
  const secret = secretFieldsOf(state);
  for (const row of teams.flatMap(({ bots }) => bots))
    for (const field of botFields(row, secret)) search.learn(field);
  return search;
}

class Exporter {
  readonly #key: string;
  readonly #contents: TeamContents;
  /** The keys of the lock, by the ids of what has them. */
  readonly #known: Readonly<Record<ObjectKind, ReadonlyMap<string, string>>>;
  readonly #secret: SecretFields;
  readonly #search: SecretSearch;
  readonly #lockedDevices: readonly { readonly key: string; readonly id: string | undefined }[];
  readonly #entries = new Map<Address, StateEntry>();
  readonly #leftOut: LeftOut[] = [];

  constructor(key: string, contents: TeamContents, lock: State, search: SecretSearch) {
    this.#key = key;
    this.#search = search;
    this.#contents = contents;
    const start = addressOf(key, 'devices', '');
    this.#lockedDevices = [...lock.entries].flatMap(([address, { id }]) =>
      address.startsWith(start) ? [{ key: address.slice(start.length), id }] : [],
    );
    this.#secret = secretFieldsOf(lock);
    this.#known = {
      documents: knownKeys(lock, addressOf(key, 'documents', '')),
      bots: knownKeys(lock, addressOf(key, 'bots', '')),
      devices: knownKeys(lock, start),
    };
  }

  tenant(): ExportedTenant {
    const { id } = this.#contents.team;
    const { fields, wrong } = this.#team();
    for (const field of wrong) this.#leaveOut(this.#key, `${field}, whose value can't be written`);
    this.#entries.set(this.#key, { id, ...keptFields(Object.entries(fields)) });
    const documents = this.#documents();
    const bots = this.#bots(documents);
    const devices = this.#devices(bots);
    const named = { key: this.#key, address: this.#key, place: nowhere };
    const tenant: DesiredTenant = { ...named, fields, documents, bots, devices };
    return { tenant, id, entries: this.#entries, leftOut: this.#leftOut };
  }

  #team(): { readonly fields: DesiredTenant['fields']; readonly wrong: readonly string[] } {
    const team = toTeam(this.#contents.team);
    const { raw, quotas } = team;
    const shown = teamFields.flatMap((name) => {
      const value = teamValue(team, name);
      return value === undefined || value === null ? [] : [[name, value] as const];
    });
    const values = { ...Object.fromEntries(shown), ...(Object.keys(quotas).length > 0 && { quotas }) };
    const problems = problemsWith(updateTeam.body, values).map(({ path }) => path.join('.'));
    const blank = shown.filter(([name, value]) => name === 'plan_name' && !isUsable(value, this.#search));
    const wrong = new Set([...problems, ...blank.map(([name]) => name)]);
    const all = [
      ...shown,
      ...Object.entries(quotas).map(([name, value]) => [`quotas.${name}`, value] as const),
    ];
    const fields = all.filter(([name]) => !wrong.has(name)).map(([name, value]) => [name, fieldOf(value)]);
    return { fields: { ...Object.fromEntries(fields), name: fieldOf(raw.name) }, wrong: [...wrong] };
  }

  #documents(): readonly DesiredDocument[] {
    const { documents } = this.#contents;
    const names = new Map<unknown, number>();
    for (const { name } of documents) names.set(name, (names.get(name) ?? 0) + 1);
    return this.#keyed('documents', documents, (name) =>
      name.slice(0, name.length - extname(name).length),
    ).map(({ row, ...named }) => {
      const name = textOf(row.name) ?? '';
      const holdsSecret = this.#search.isIn(name);
      this.#entries.set(named.address, { id: row.id, applied: holdsSecret ? {} : { name } });
      const isClear = name !== '' && names.get(name) === 1 && !isId(name) && !holdsSecret;
      return { ...named, source: { kind: 'existing', name: isClear ? name : row.id } };
    });
  }

  #bots(documents: readonly DesiredDocument[]): readonly DesiredBot[] {
    const keys = new Map(
      documents.map(
        ({ key, address }) => [this.#entries.get(address)?.id?.toLowerCase() ?? '', key] as const,
      ),
    );
    const rows = this.#contents.bots.filter((row) => {
      const isDeclarable = isUsable(row.name, this.#search);
      if (!isDeclarable) this.#leaveOut(this.#key, `bot ${row.id}, which has no name that a file can hold`);
      return isDeclarable;
    });
    return this.#keyed('bots', rows).map(({ row, ...named }) => {
      const { document_ids: ids, ...values } = editableOf(toBot(row));
      const wrong = new Set(checkBot(values).problems.map(({ path: [field] }) => String(field)));
      const fields = new Map<string, DeclaredField>();
      for (const field of botFields(row, this.#secret)) {
        const { name, value } = field;
        const why = wrong.has(name) ? "whose value can't be written" : this.#search.hindrance(field);
        if (why === undefined) fields.set(name, fieldOf(value, isSecretField(field)));
        else this.#leaveOut(named.address, `${name}, ${why}`);
      }
      const own = this.#documentKeys(named.address, ids, keys);
      const attached = own ? [['document_ids', fieldOf(ids)] as const] : [];
      const { applied, secret = [] } = keptFields([...fields, ...attached]);
      // A secret that is not exported is still one, for the next export.
      const hidden = [...secret, ...secretNames(row, this.#secret).filter((name) => !fields.has(name))];
      this.#entries.set(named.address, { id: row.id, applied, ...(hidden.length > 0 && { secret: hidden }) });
      const declared = own && { keys: own, place: nowhere };
      const all = { ...Object.fromEntries(fields), name: fieldOf(row.name) };
      return { ...named, fields: all, documents: declared };
    });
  }

  /** Returns the keys of the documents of a bot, or undefined where the files can't declare them. */
  #documentKeys(
    address: Address,
    ids: unknown,
    keys: ReadonlyMap<string, string>,
  ): readonly string[] | undefined {
    if (!isTexts(ids)) return undefined;
    const own = ids.flatMap((id) => keys.get(id.toLowerCase()) ?? []);
    if (own.length === ids.length) return own;
    this.#leaveOut(address, 'its documents, of which some are not those of the team');
    return undefined;
  }

  #devices(bots: readonly DesiredBot[]): readonly DesiredDevice[] {
    const { team, devices } = this.#contents;
    const botOf = ({ botId }: BookedDevice): DesiredBot | undefined =>
      bots.find(({ address }) => isSameId(this.#entries.get(address)?.id, botId));
    const own = devices.filter(({ teamId }) => isSameId(teamId, team.id));
    const whole = own.filter((device) => {
      const isWhole = isUsable(device.name, this.#search) && botOf(device) !== undefined;
      if (!isWhole)
        this.#leaveOut(this.#key, `device ${device.id}, whose name or bot the device book doesn't know`);
      return isWhole;
    });
    return this.#keyed('devices', whole).flatMap(({ row, ...named }) => {
      const bot = botOf(row);
      if (!bot) return [];
      const bot_id = this.#entries.get(bot.address)?.id;
      this.#entries.set(named.address, { id: row.id, applied: { name: row.name, bot_id } });
      return { ...named, name: fieldOf(row.name), bot: bot.key };
    });
  }

  /** Gives each of several things its key: the one of the lock, or else one that is made of its name. */
  #keyed<R extends { readonly id: string; readonly name?: unknown }>(
    kind: ObjectKind,
    rows: readonly R[],
    word: (name: string) => string = (name) => name,
  ) {
    // Devices of which only the lock knows, or not even that, stay there.
    const others = this.#lockedDevices.filter((device) => !rows.some(({ id }) => isSameId(id, device.id)));
    const keys = new Keys(kind === 'devices' ? others.map(({ key }) => key) : []);
    const known = new Map(
      rows.flatMap(({ id }) => {
        const key = this.#known[kind].get(id.toLowerCase());
        return key !== undefined && keys.take(key) ? [[id, key] as const] : [];
      }),
    );
    return rows.map((row) => {
      const otherwise = `${kind.slice(0, -1)}-${row.id.slice(0, 8)}`;
      const name = this.#search.isIn(row.name) ? '' : (textOf(row.name) ?? '');
      const key = known.get(row.id) ?? keys.keyFor(word(name), otherwise);
      return { row, key, address: addressOf(this.#key, kind, key), place: nowhere };
    });
  }

  #leaveOut(address: Address, says: string): void {
    this.#leftOut.push({ address, says });
  }
}

function fieldOf(value: unknown, isSecret = false): DeclaredField {
  return { value: declaredValue(value), place: nowhere, isSecret };
}

/** True of a name that files can hold. */
function isUsable(name: unknown, search: SecretSearch): boolean {
  return typeof name === 'string' && name.trim() !== '' && !search.isIn(name);
}

/** The names of the fields that are secret by a state file, by the ids of their bots in lower case. */
type SecretFields = ReadonlyMap<string, readonly string[]>;

function secretFieldsOf({ entries }: State): SecretFields {
  return new Map(
    [...entries.values()].map(({ id = '', secret = [] }) => [id.toLowerCase(), secret] as const),
  );
}

function secretNames({ id }: ResourceRow, secret: SecretFields): readonly string[] {
  return secret.get(id.toLowerCase()) ?? [];
}

/** Returns the fields of a bot, but its documents. A value that came from a variable stays secret, although the service shows it. */
function botFields(row: ResourceRow, secret: SecretFields): readonly BotFieldValue[] {
  const names = secretNames(row, secret);
  const { document_ids: _, ...values } = editableOf(toBot(row));
  return Object.entries(values).map(([name, value]) => ({ name, value, isSecret: names.includes(name) }));
}

function isSecretField({ name, value, isSecret }: BotFieldValue): boolean {
  return name === 'actions' ? secretsIn(value).size > 0 : isSecret;
}

/** Returns the keys that the lock has below an address, by the ids of what has them. */
function knownKeys({ entries }: State, start: string): ReadonlyMap<string, string> {
  const keys = [...entries].flatMap(([address, { id }]) => {
    const key = address.startsWith(start) ? address.slice(start.length) : '';
    // A file of a folder has no key of its own.
    return id === undefined || key === '' || key.includes('/') ? [] : [[id.toLowerCase(), key] as const];
  });
  return new Map(keys);
}
