import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldForSearch } from '../database/differences.ts';
import { isDatabaseError } from '../database/error.ts';
import { inChunks } from '../lib/iterables.ts';
import type { ControlRequest, ControlResponse } from './control/calls.ts';
import { type Bytes, bytesFrom, uuidFrom } from './derived-bytes.ts';
import { filesAtOnce, fileUrl } from './document-files.ts';
import { SandboxProblem } from './problem.ts';
import { assistantId, fileId, vectorStoreId } from './provider-ids.ts';
import { unsetFields } from './routes/bots.ts';
import businesses from './seed-businesses.json';
import { Refusal, type Service } from './service.ts';
import { emailKey } from './store/emails.ts';
import { changeRows, keepLocks, locks } from './store/locks.ts';
import type { Store } from './store/tables.ts';

/** Rows per insert: SQLite accepts 32,766 parameters, and no table has more than 25 columns. */
const rowsAtOnce = 1000;

/** A plausible customer; the list covers many scripts, directions and widths. */
type Business = (typeof businesses)[number];

const plans = ['starter', 'pro', 'business'] as const;
const roles = ['support', 'dynamic', 'sales'] as const;
const dayMs = 86_400_000;

/** The store to fill, and its clock. */
type Seedable = Pick<Service, 'store' | 'clock'>;

type Counts = Omit<ControlRequest<'/seed'>, 'seed'>;

/** The input that a row is generated from. */
interface Origin {
  /** Its index among the rows of its kind. */
  readonly index: number;
  /** Returns the bytes that its ids are derived from. */
  readonly bytes: Bytes;
  readonly business: Business;
  readonly times: { readonly created_at: Date; readonly updated_at: Date };
}

/**
 * Fills the sandbox with teams and their administrators, bots and documents, in many scripts. Bots and documents are
 * distributed over the new teams or, if there are none, over all; documents have real files; every third bot has a
 * document of its team. Returns the number of rows.
 *
 * The same seed, numbers and time create the same rows in an empty sandbox. Ids, e-mail addresses and phone numbers
 * depend on the seed, and everything else on the index of a row. Without a seed, a random one is used.
 * @throws Refusal BAD_REQUEST for bots or documents if there is no team
 * @throws SandboxProblem if the seed was already used here; nothing is created then
 */
export async function seed(
  { store, clock }: Seedable,
  { seed: chosen, ...counts }: ControlRequest<'/seed'>,
): Promise<ControlResponse<'/seed'>> {
  const bytesOf = bytesFrom(chosen ?? randomUUID());
  const now = clock.now();
  /** Yields the origins of the rows, in batches for one insert each. */
  function* origins(table: keyof Counts): Generator<readonly Origin[]> {
    const count = counts[table];
    for (let first = 0; first < count; first += rowsAtOnce) {
      yield Array.from({ length: Math.min(rowsAtOnce, count - first) }, (_, offset) => {
        const index = first + offset;
        const time = moment(now, index, count);
        const times = { created_at: time, updated_at: time };
        return { index, bytes: bytesOf(`${table} ${index}`), business: businessAt(index), times };
      });
    }
  }
  const teamIds = counts.teams > 0 ? [] : await existingTeams(store);
  if (counts.teams + teamIds.length === 0 && counts.bots + counts.documents > 0) {
    throw new Refusal(
      'BAD_REQUEST',
      'The sandbox has no teams for the bots and documents. Add some: --teams NUMBER',
    );
  }
  const teamOf = (index: number): string => teamIds[index % teamIds.length] ?? '';
  // Checked before files are overwritten. Documents can't be deleted individually: if any of a seed exists, the first
  // one does.
  if (counts.documents > 0 && (await documentExists(store, uuidFrom(bytesOf('documents 0')))))
    throw alreadySeeded(chosen);
  const inserting = changeRows(store, async (db) => {
    for (const some of origins('teams')) {
      const teams = some.map((origin) => newTeam(origin, counts));
      teamIds.push(...teams.map(({ id }) => id));
      await db.insertInto('teams').values(teams).execute();
      const users = some.map((origin) =>
        administratorOf(origin, bytesOf(`users ${origin.index}`), teamOf(origin.index)),
      );
      await db.insertInto('users').values(users).execute();
    }
    // Files are written before rows: a row without its file would be an error, while a file without a row is only an
    // orphan. Orphans are swept when the sandbox is emptied, but not during this transaction.
    await store.shareLock(db, locks.files);
    const documentOf = new Map<string, string>();
    for (const some of origins('documents')) {
      const documents = some.map((origin) => newDocument(origin, teamOf(origin.index)));
      for (const ones of inChunks(documents, filesAtOnce)) {
        await keepLocks(store, db);
        await Promise.all(ones.map(({ row, text }) => writeDocument(store, row, text)));
      }
      const rows = documents.map(({ row }) => row);
      for (const { id, team_id } of rows) documentOf.set(team_id, id);
      await db.insertInto('documents').values(rows).execute();
    }
    for (const some of origins('bots')) {
      const bots = some.map((origin) => {
        const team = teamOf(origin.index);
        return newBot(origin, team, origin.index % 3 === 0 ? documentOf.get(team) : undefined);
      });
      await db
        .insertInto('bots')
        .values(bots.map(({ row }) => row))
        .execute();
      const links = bots.flatMap(({ row, document_id }) =>
        document_id === undefined ? [] : [{ bot_id: row.id, document_id, position: 0 }],
      );
      if (links.length > 0) await db.insertInto('bot_documents').values(links).execute();
    }
  });
  await inserting.catch((error: unknown) => {
    throw isDatabaseError(error, 'unique') ? alreadySeeded(chosen) : error;
  });
  return counts;
}

function alreadySeeded(chosen: string | undefined): SandboxProblem {
  const message = `Seed ${JSON.stringify(chosen)} was already used in this sandbox. Nothing was created.`;
  return new SandboxProblem(message, { code: 'seedUsed' });
}

async function documentExists({ db }: Store, document: string): Promise<boolean> {
  const found = db.selectFrom('documents').select('id').where('id', '=', document);
  return (await found.executeTakeFirst()) !== undefined;
}

async function existingTeams({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('teams').select('id').orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

function newTeam({ index, bytes, business, times }: Origin, { teams, bots, documents }: Counts) {
  const name = numbered(business.name, index);
  return {
    id: uuidFrom(bytes),
    name,
    name_folded: foldForSearch(name),
    plan_name: plans[index % plans.length] ?? 'starter',
    paying: index % 5 !== 4,
    banned: index % 97 === 96,
    quota_bots: 10 + Math.ceil(bots / teams),
    quota_accounts: 5,
    quota_characters: 10_000_000,
    quota_documents: 100 + Math.ceil(documents / teams),
    quota_members: 10,
    quota_credits: 10_000,
    ...times,
  };
}

function administratorOf({ business, times }: Origin, bytes: Bytes, team_id: string) {
  // Enough random bits to keep a million addresses distinct, also across seeds.
  const email = `admin-${Buffer.from(bytes(12)).toString('hex')}@team.example`;
  return {
    id: uuidFrom(bytes),
    team_id,
    name: business.administrator,
    email,
    email_key: emailKey(email),
    phone: `+55119${String(Buffer.from(bytes(4)).readUInt32BE() % 100_000_000).padStart(8, '0')}`,
    created_at: times.created_at,
  };
}

function newDocument({ index, bytes, business, times }: Origin, team_id: string) {
  const text = paragraph(business, index);
  const name = `${numbered(business.document, index)}.txt`;
  const row = {
    id: uuidFrom(bytes),
    team_id,
    name,
    name_folded: foldForSearch(name),
    type: 'txt',
    size: Buffer.byteLength(text),
    provider_id: fileId(bytes),
    extension: 'txt',
    chars: [...text.replace(/\s+/gu, ' ').trim()].length,
    ...times,
  };
  return { row, text };
}

function newBot({ index, bytes, business, times }: Origin, team_id: string, document_id: string | undefined) {
  const name = numbered(business.bot, index);
  const row = {
    ...unsetFields,
    id: uuidFrom(bytes),
    team_id,
    name,
    name_folded: foldForSearch(name),
    role: roles[index % roles.length] ?? 'dynamic',
    description: business.name,
    provider_id: assistantId(bytes),
    vector_id: document_id === undefined ? null : vectorStoreId(bytes),
    instructions: paragraph(business, index),
    temperature: (index % 5) / 4,
    published: index % 2 === 0,
    allow_human: index % 3 === 0,
    break_lines: true,
    questions: JSON.stringify([]),
    actions: JSON.stringify([]),
    ...times,
  };
  return { row, document_id };
}

async function writeDocument(
  { files }: Store,
  row: Parameters<typeof fileUrl>[0],
  text: string,
): Promise<void> {
  const path = join(files, fileUrl(row));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Returns a few sentences in the language of a business; a different selection for each number. */
function paragraph({ name, sentences }: Business, number: number): string {
  const lines = Array.from(
    { length: 1 + (number % 12) },
    (_, index) => sentences[(number + index) % sentences.length],
  );
  return `${name}\n\n${lines.join('\n')}\n`;
}

function businessAt(index: number): Business {
  const business = businesses[index % businesses.length];
  if (!business) throw new TypeError('there are no businesses');
  return business;
}

/** Adds a number when a business repeats, so that names are distinct and some share a prefix. */
function numbered(name: string, index: number): string {
  const round = Math.floor(index / businesses.length);
  return round === 0 ? name : `${name} ${round + 1}`;
}

/** Returns a time, distributed evenly over the ninety days before now. */
function moment(now: Date, index: number, count: number): Date {
  return new Date(now.getTime() - Math.floor((90 * dayMs * (count - index)) / count));
}
