import { extname } from 'node:path';
import type { ResourceRow } from '../../client/api.ts';
import { updateTeam } from '../../contract/teams.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { isObject, textOf } from '../../lib/json-object.ts';
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
  type DeclaredFields,
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
 * @param key its own, which is free
 * @param lock says which keys what is in it has already
 * @returns undefined for a team without a name, which nothing could declare
 */
export function exportedTenant(key: string, contents: TeamContents, lock: State): ExportedTenant | undefined {
  return isNamed(contents.team.name) ? new Exporter(key, contents, lock).tenant() : undefined;
}

/**
 * Returns the contents of a team with every secret in their texts masked: they go to files, the lock among them. What has
 * such a mask in it, `tenants validate` tells.
 */
export function redactedContents(
  { team, documents, bots, devices }: TeamContents,
  redact: (text: string) => string,
): TeamContents {
  const value = (member: unknown): unknown => {
    if (typeof member === 'string') return redact(member);
    if (Array.isArray(member)) return member.map(value);
    return isObject(member) ? members(member) : member;
  };
  const members = (of: object): object =>
    Object.fromEntries(Object.entries(of).map(([name, member]) => [name, value(member)]));
  const row = <R extends { readonly id: string }>(one: R) => ({ ...one, ...members(one), id: one.id });
  return {
    ...{ team: row(team), documents: documents.map(row), bots: bots.map(row) },
    devices: devices.map((device) => ({ ...device, name: device.name && redact(device.name) })),
  };
}

class Exporter {
  readonly #key: string;
  readonly #contents: TeamContents;
  /** The keys of the lock, by the ids of what has them. */
  readonly #known: Readonly<Record<ObjectKind, ReadonlyMap<string, string>>>;
  /** The names of the fields that are secret by the lock, by the ids of what has them. */
  readonly #secret: ReadonlyMap<string, readonly string[]>;
  readonly #lockedDevices: readonly { readonly key: string; readonly id: string | undefined }[];
  readonly #entries = new Map<Address, StateEntry>();
  readonly #leftOut: LeftOut[] = [];

  constructor(key: string, contents: TeamContents, lock: State) {
    this.#key = key;
    this.#contents = contents;
    const start = addressOf(key, 'devices', '');
    this.#lockedDevices = [...lock.entries].flatMap(([address, { id }]) =>
      address.startsWith(start) ? [{ key: address.slice(start.length), id }] : [],
    );
    this.#secret = new Map(
      [...lock.entries.values()].map(({ id = '', secret = [] }) => [id.toLowerCase(), secret] as const),
    );
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
    const blank = shown.filter(([name, value]) => name === 'plan_name' && String(value).trim() === '');
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
      this.#entries.set(named.address, { id: row.id, applied: { name } });
      const isClear = name !== '' && names.get(name) === 1 && !isId(name);
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
      if (!isNamed(row.name)) this.#leaveOut(this.#key, `bot ${row.id}, which has no name`);
      return isNamed(row.name);
    });
    return this.#keyed('bots', rows).map(({ row, ...named }) => {
      const { document_ids: ids, ...values } = editableOf(toBot(row));
      const wrong = new Set(checkBot(values).problems.map(({ path: [field] }) => String(field)));
      for (const field of wrong) this.#leaveOut(named.address, `${field}, whose value can't be written`);
      const given = Object.entries(values).filter(([field]) => !wrong.has(field));
      // What came of a variable once is no open text here, although the service shows it as one.
      const secret = this.#secret.get(row.id.toLowerCase()) ?? [];
      const fields: DeclaredFields<keyof DesiredBot['fields']> = Object.fromEntries(
        given.map(([field, value]) => [
          field,
          fieldOf(value, field === 'actions' ? secretsIn(value).size > 0 : secret.includes(field)),
        ]),
      );
      const own = this.#documentKeys(named.address, ids, keys);
      const attached = own ? [['document_ids', fieldOf(ids)] as const] : [];
      this.#entries.set(named.address, {
        id: row.id,
        ...keptFields([...Object.entries(fields), ...attached]),
      });
      const declared = own && { keys: own, place: nowhere };
      return { ...named, fields: { ...fields, name: fieldOf(row.name) }, documents: declared };
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
      const isWhole = isNamed(device.name) && botOf(device) !== undefined;
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
      const key = known.get(row.id) ?? keys.keyFor(word(textOf(row.name) ?? ''), otherwise);
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

function isNamed(name: unknown): boolean {
  return typeof name === 'string' && name.trim() !== '';
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
