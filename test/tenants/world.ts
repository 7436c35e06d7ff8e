import type { ResourceRow } from '../../src/client/api.ts';
import type { PlannedFile } from '../../src/documents/sync/planned-file.ts';
import { matchFiles } from '../../src/documents/sync/sync-plan.ts';
import type { DeclaredDocument, DeclaredTenant } from '../../src/tenants/declared-documents.ts';
import {
  addressOf,
  containsSecret,
  type DeclaredField,
  type DeclaredValue,
  type DesiredBot,
  type DesiredDevice,
  revealValue,
} from '../../src/tenants/desired.ts';
import type { FileState, Found, Live } from '../../src/tenants/live-state.ts';
import { documentsIn, recordedFields, type State, type StateEntry } from '../../src/tenants/state-file.ts';

const place = { file: 'tenants/aurora.yaml', line: 1, column: 1 };

/** Returns a field as the files declare it. */
export function declared(value: DeclaredValue): DeclaredField {
  return { value, place, isSecret: containsSecret(value) };
}

function declaredAll<N extends string>(
  values: Readonly<Partial<Record<N, DeclaredValue>>> & { readonly name: string },
) {
  const fields: readonly (readonly [string, DeclaredValue | undefined])[] = Object.entries(values);
  const given = fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, declared(value)]]));
  return { ...Object.fromEntries(given), name: declared(values.name) };
}

/** The declared fields of a bot, besides its name. */
type BotValues = Readonly<Record<string, DeclaredValue>>;

export function botOf(
  tenant: string,
  key: string,
  values: BotValues = {},
  documents?: readonly string[],
): DesiredBot {
  return {
    ...{ key, address: addressOf(tenant, 'bots', key), place },
    fields: declaredAll({ ...values, name: `Bot ${key}` }),
    documents: documents && { keys: documents, place },
  };
}

export function documentOf(tenant: string, key: string, content = 'one'): DeclaredDocument {
  const file = { path: `docs/${key}.txt`, size: content.length, modified: 1, sha256: content };
  return { address: addressOf(tenant, 'documents', key), key, place, name: `${key}.txt`, file };
}

export function deviceOf(tenant: string, key: string, bot: string): DesiredDevice {
  return { ...{ key, bot, place }, address: addressOf(tenant, 'devices', key), name: declared(key) };
}

/** Returns a tenant with everything that its creation needs. */
export function tenantOf(
  key: string,
  parts: Partial<Pick<DeclaredTenant, 'bots' | 'documents' | 'devices'>> & {
    readonly values?: Readonly<Record<string, DeclaredValue>>;
  } = {},
): DeclaredTenant {
  const { values = { plan_name: 'pro' }, ...rest } = parts;
  const [name, email, phone] = ['Manager', 'manager@aurora.example', '+5511999990000'].map(declared);
  return {
    ...{ key, address: key, place, documents: [], bots: [], devices: [], ...rest },
    fields: declaredAll({ ...values, name: `Team ${key}` }),
    administrator: name && email && phone && { name, email, phone },
  };
}

/** Returns an id that is always the same for an address. */
export function idFor(address: string): string {
  const digits = Buffer.from(address).toString('hex').padEnd(32, '0').slice(-12);
  return `00000000-0000-4000-8000-${digits}`;
}

/** The state after tenants were applied: the state file, and the service's objects. */
export interface World {
  readonly lock: State;
  readonly live: Live;
}

export const nothing: World = {
  lock: { origin: 'https://api.example', entries: new Map() },
  live: {
    found: new Map(),
    ambiguous: new Map(),
    usage: new Map(),
    names: new Map(),
    files: new Map(),
    documents: new Map(),
    bookedDevices: new Map(),
    secrets: new Map(),
  },
};

function shown(fields: readonly (readonly [string, DeclaredField])[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(([name, { value }]) => [name, structuredClone(revealValue(value))]));
}

/** Returns the world in which these tenants were applied and nothing has changed since. */
export function applied(tenants: readonly DeclaredTenant[]): World {
  const entries = new Map<string, StateEntry>();
  const found = new Map<string, Found>();
  const add = (address: string, row: Record<string, unknown>, entry: StateEntry): void => {
    const id = idFor(address);
    entries.set(address, { ...entry, id });
    found.set(address, { state: 'locked', row: { ...row, id } satisfies ResourceRow });
  };
  for (const tenant of tenants) {
    const team = shown(Object.entries(tenant.fields));
    const quotas = Object.entries(team).filter(([name]) => name.startsWith('quotas.'));
    const row = {
      ...team,
      quotas: Object.fromEntries(quotas.map(([name, value]) => [name.slice(7), value])),
    };
    add(tenant.address, row, { created: true, ...recordedFields(Object.entries(tenant.fields)) });
    for (const { address, name, file } of tenant.documents) {
      add(address, { name }, { path: address, name, sha256: file?.sha256 });
    }
    for (const { address, fields, documents } of tenant.bots) {
      const ids = documents?.keys.map((key) => idFor(addressOf(tenant.key, 'documents', key)));
      const all = [...Object.entries(fields), ...(ids ? [['document_ids', declared(ids)] as const] : [])];
      const links = ids?.map((id) => ({ document_id: id, bot_id: idFor(address) })) ?? [];
      const team_id = idFor(tenant.address);
      add(address, { ...shown(Object.entries(fields)), documents: links, team_id }, recordedFields(all));
    }
    for (const { address, name, bot } of tenant.devices) {
      const bot_id = idFor(addressOf(tenant.key, 'bots', bot));
      entries.set(address, { id: idFor(address), applied: { name: revealValue(name.value), bot_id } });
    }
  }
  return { lock: { ...nothing.lock, entries }, live: { ...nothing.live, found } };
}

/**
 * Returns the live state with the files matched to documents as in a folder sync; a file's character count is its size.
 */
export function withFiles(tenants: readonly DeclaredTenant[], { lock, live }: World): Live {
  const files = new Map<string, FileState>();
  for (const tenant of tenants) {
    const lines = new Map(
      documentsIn(lock, tenant.key).map(({ path, id = '', ...line }) => {
        const isGone = live.found.get(path)?.state === 'gone';
        const name = rowName(live, path);
        return [path, isGone ? { path, earlier: [id] } : { ...line, path, id, name }];
      }),
    );
    const local = tenant.documents.flatMap(({ address, name, file }) =>
      file ? [{ ...file, key: address, name }] : [],
    );
    const { matches } = matchFiles(lines, local, { isGone: () => false, isRetried: () => false });
    for (const match of matches) {
      const { file, line } = match;
      const counted = { chars: file.size, text: file.sha256 };
      const found = live.found.get(file.key);
      const existing = found?.state === 'alike' && {
        existing: { name: file.name, size: 1, chars: 1, ...found.row },
      };
      const change = line ? 'changed' : 'new';
      const planned: PlannedFile =
        match.kind === 'other'
          ? { file, line, change, counted, ...existing }
          : { file, line, change: 'unchanged' };
      files.set(file.key, { planned, before: [] });
    }
  }
  return { ...live, files };
}

function rowName({ found }: Live, address: string): string | undefined {
  const one = found.get(address);
  return one?.state === 'locked' ? String(one.row.name) : undefined;
}

/** Returns the world in which the service shows an object differently, or not at all. */
export function changed(
  { lock, live }: World,
  address: string,
  change: Readonly<Record<string, unknown>> | 'gone',
): World {
  const found = new Map(live.found);
  const before = found.get(address);
  if (change === 'gone') found.set(address, { state: 'gone' });
  else if (before?.state === 'locked')
    found.set(address, { state: 'locked', row: { ...before.row, ...change } });
  return { lock, live: { ...live, found } };
}
