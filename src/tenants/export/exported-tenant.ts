import { extname } from 'node:path';
import type { ResourceRow } from '../../client/api.ts';
import { updateTeam } from '../../contract/teams.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { asText } from '../../lib/json-object.ts';
import { schemaProblems } from '../../lib/schema-problems.ts';
import { toBot } from '../../resources/bots/bot.ts';
import { checkBot } from '../../resources/bots/check-bot.ts';
import { editableOf, isTexts } from '../../resources/bots/editable.ts';
import { teamValue, toTeam } from '../../resources/teams/team.ts';
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
  teamFields,
} from '../desired.ts';
import { recordedFields, type StateEntry } from '../state-file.ts';
import type { SecretSearch } from './exported-secrets.ts';
import { Keys } from './keys.ts';

/** A team as the service shows it, with its devices in the device book. */
export interface TeamContents {
  /** In its detail form, like the bots. */
  readonly team: ResourceRow;
  readonly documents: readonly ResourceRow[];
  readonly bots: readonly ResourceRow[];
  readonly devices: readonly BookedDevice[];
}

/** A team as its files declare it, with its entries in the state file. */
export interface ExportedTenant {
  readonly tenant: DesiredTenant;
  readonly id: string;
  readonly entries: ReadonlyMap<Address, StateEntry>;
  /** The objects and fields that files can't declare, each with its address and the reason. */
  readonly omitted: readonly string[];
}

/** Exported values have no place in a file yet. */
const noPlace: Place = { file: '', line: 1, column: 1 };

/** The entries of a tenant in the state file, with their addresses. */
type KnownIds = readonly (readonly [Address, Pick<StateEntry, 'id'>])[];

/**
 * Returns a team as files declare it, with every visible field that can be written.
 * @param key a key that no other tenant uses
 * @returns undefined for a team without a name, or with a secret in its name, which files can't declare
 */
export function exportedTenant(
  key: string,
  contents: TeamContents,
  known: KnownIds,
  search: SecretSearch,
): ExportedTenant | undefined {
  return search.isName(contents.team.name) ? new Exporter(key, contents, known, search).tenant() : undefined;
}

class Exporter {
  readonly #key: string;
  readonly #contents: TeamContents;
  readonly #known: KnownIds;
  readonly #search: SecretSearch;
  readonly #entries = new Map<Address, StateEntry>();
  readonly #omitted: string[] = [];

  constructor(key: string, contents: TeamContents, known: KnownIds, search: SecretSearch) {
    this.#key = key;
    this.#contents = contents;
    this.#known = known;
    this.#search = search;
  }

  tenant(): ExportedTenant {
    const { id } = this.#contents.team;
    const { fields, wrong } = this.#team();
    for (const field of wrong) this.#omit(this.#key, `${field}, whose value can't be written`);
    this.#entries.set(this.#key, { id, ...recordedFields(Object.entries(fields)) });
    const documents = this.#documents();
    const bots = this.#bots(documents);
    const devices = this.#devices(bots);
    const named = { key: this.#key, address: this.#key, place: noPlace };
    const tenant: DesiredTenant = { ...named, fields, documents, bots, devices };
    return { tenant, id, entries: this.#entries, omitted: this.#omitted };
  }

  #team(): { readonly fields: DesiredTenant['fields']; readonly wrong: readonly string[] } {
    const team = toTeam(this.#contents.team);
    const { raw, quotas } = team;
    const shown = teamFields.flatMap((name) => {
      const value = teamValue(team, name);
      return value === undefined || value === null ? [] : [[name, value] as const];
    });
    const values = { ...Object.fromEntries(shown), ...(Object.keys(quotas).length > 0 && { quotas }) };
    const problems = schemaProblems(updateTeam.body, values).map(({ path }) => path.join('.'));
    const blank = shown.filter(([name, value]) => name === 'plan_name' && !this.#search.isName(value));
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
      const name = asText(row.name) ?? '';
      const holdsSecret = this.#search.isIn(name);
      const path = named.address;
      this.#entries.set(path, { path, id: row.id, ...(!holdsSecret && { name }) });
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
      const isDeclarable = this.#search.isName(row.name);
      if (!isDeclarable) this.#omit(this.#key, `bot ${row.id}, whose name a file can't hold`);
      return isDeclarable;
    });
    return this.#keyed('bots', rows).map(({ row, ...named }) => {
      const { document_ids: ids, ...values } = editableOf(toBot(row));
      const wrong = new Set(checkBot(values).problems.map(({ path: [field] }) => String(field)));
      const fields = new Map<string, DeclaredField>();
      for (const field of this.#search.fieldsOf(row)) {
        const { name, value, isSecret } = field;
        const why = wrong.has(name) ? "whose value can't be written" : this.#search.exportProblem(field);
        if (why === undefined) fields.set(name, fieldOf(value, isSecret));
        else this.#omit(named.address, `${name}, ${why}`);
      }
      const own = this.#documentKeys(named.address, ids, keys);
      const attached = own ? [['document_ids', fieldOf(ids)] as const] : [];
      const { applied, secret = [] } = recordedFields([...fields, ...attached]);
      // Secrets that are not exported remain secret for the next export.
      const hidden = [...secret, ...this.#search.namesOf(row).filter((name) => !fields.has(name))];
      this.#entries.set(named.address, { id: row.id, applied, ...(hidden.length > 0 && { secret: hidden }) });
      const declared = own && { keys: own, place: noPlace };
      const all = { ...Object.fromEntries(fields), name: fieldOf(row.name) };
      return { ...named, fields: all, documents: declared };
    });
  }

  /** Returns the keys of the documents of a bot, or undefined if the files can't declare them. */
  #documentKeys(
    address: Address,
    ids: unknown,
    keys: ReadonlyMap<string, string>,
  ): readonly string[] | undefined {
    if (!isTexts(ids)) return undefined;
    const own = ids.flatMap((id) => keys.get(id.toLowerCase()) ?? []);
    if (own.length === ids.length) return own;
    this.#omit(address, 'its documents, because some do not belong to the team');
    return undefined;
  }

  #devices(bots: readonly DesiredBot[]): readonly DesiredDevice[] {
    const { team, devices } = this.#contents;
    const botOf = ({ botId }: BookedDevice): DesiredBot | undefined =>
      bots.find(({ address }) => isSameId(this.#entries.get(address)?.id, botId));
    const own = devices.filter(({ teamId }) => isSameId(teamId, team.id));
    const whole = own.filter((device) => {
      const isWhole = this.#search.isName(device.name) && botOf(device) !== undefined;
      if (!isWhole)
        this.#omit(this.#key, `device ${device.id}, because the device book lacks its name or bot`);
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

  /** Chooses the key of each object: the one of the state file, or one derived from its name. */
  #keyed<R extends { readonly id: string; readonly name?: unknown }>(
    kind: ObjectKind,
    rows: readonly R[],
    word: (name: string) => string = (name) => name,
  ) {
    const start = addressOf(this.#key, kind, '');
    const byId = new Map(rows.map((row) => [row.id.toLowerCase(), row]));
    const known = new Map<R, string>();
    const others: string[] = [];
    for (const [address, { id = '' }] of this.#known) {
      const key = address.startsWith(start) ? address.slice(start.length) : '';
      const row = byId.get(id.toLowerCase());
      // A file in a folder has no key of its own.
      if (key === '' || key.includes('/')) continue;
      if (row) known.set(row, key);
      // A device may be recorded only in the state file.
      else if (kind === 'devices') others.push(key);
    }
    const keys = new Keys([...known.values(), ...others]);
    return rows.map((row) => {
      const name = this.#search.isName(row.name) ? String(row.name) : '';
      const key = known.get(row) ?? keys.keyFor(word(name), `${kind.slice(0, -1)}-${row.id.slice(0, 8)}`);
      return { row, key, address: addressOf(this.#key, kind, key), place: noPlace };
    });
  }

  #omit(address: Address, says: string): void {
    this.#omitted.push(`${address}: ${says}`);
  }
}

function fieldOf(value: unknown, isSecret = false): DeclaredField {
  return { value: declaredValue(value), place: noPlace, isSecret };
}
