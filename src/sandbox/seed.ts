import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { foldForSearch } from '../database/differences.ts';
import { isDatabaseError } from '../database/error.ts';
import { inChunks } from '../lib/iterables.ts';
import type { ControlRequest, ControlResponse } from './control/calls.ts';
import { type Bytes, bytesFrom, uuidFrom } from './derived-bytes.ts';
import { filesAtOnce, fileUrl } from './document-files.ts';
import { SandboxProblem } from './problem.ts';
import { assistantId, fileId, vectorStoreId } from './provider-ids.ts';
import businesses from './seed-businesses.json';
import { Refusal, type Service } from './service.ts';
import { emailKey } from './store/emails.ts';
import { changeRows, keepLocks, locks } from './store/locks.ts';
import type {
  BotDocumentsTable,
  BotsTable,
  DocumentsTable,
  Tables,
  TeamsTable,
  UsersTable,
} from './store/tables.ts';

/** Rows of one insert, and rows that are made before requests and signals get their turn: SQLite takes 32,766 parameters, and no table has more than 25 columns. */
const rowsAtOnce = 1000;

/** A business that could be a customer, one of many scripts, directions and widths. */
type Business = (typeof businesses)[number];

const plans = ['starter', 'pro', 'business'] as const;
const roles = ['support', 'dynamic', 'sales'] as const;
const dayMs = 86_400_000;

/** What the rows of one filling are made by. */
interface Filling extends Omit<ControlRequest<'/seed'>, 'seed'> {
  /** Returns what the ids of a row are made of. */
  readonly bytes: (table: keyof Tables, index: number) => Bytes;
  readonly now: Date;
}

/** What is filled, by its time. */
type Seedable = Pick<Service, 'store' | 'clock'>;

/**
 * Fills the sandbox with teams and their administrators, bots and documents, in many scripts. Bots and
 * documents are spread over the new teams or, if there are none, over all; documents have real files;
 * every third bot knows a document of its team. Returns their numbers.
 *
 * The same seed, numbers and time make the same rows in a sandbox that is empty. Ids, e-mail addresses and phone numbers
 * go by the seed, and all else by the place of a row among those of its kind. If no seed is given it is another one each time.
 * @throws Refusal BAD_REQUEST for bots or documents if there is no team
 * @throws SandboxProblem if the seed has made such rows here already; nothing is made then
 */
export async function seed(
  service: Seedable,
  { seed: chosen, ...wanted }: ControlRequest<'/seed'>,
): Promise<ControlResponse<'/seed'>> {
  const bytesOf = bytesFrom(chosen ?? randomUUID());
  const filling: Filling = {
    ...wanted,
    bytes: (table, index) => bytesOf(`${table} ${index}`),
    now: service.clock.now(),
  };
  const teams = newTeams(filling);
  const teamIds = teams.length > 0 ? teams.map(({ id }) => id) : await existingTeams(service);
  if (teamIds.length === 0 && wanted.bots + wanted.documents > 0) {
    throw new Refusal(
      'BAD_REQUEST',
      'There is no team that the bots and documents could belong to; seed teams as well.',
    );
  }
  const documents = await newDocuments(filling, teamIds);
  const { bots, links } = await newBots(filling, teamIds, documents);

  // Before their files are written again. A document is never deleted alone: if any of a seed is there, the first is.
  if (await isThere(service, documents[0])) throw madeAlready(chosen);
  const users = teams.map((team, index) => administratorOf(filling, team, index));
  const inserting = changeRows(service.store, async (db) => {
    // Files come before rows: a row whose file is missing would be a lie, a file without a row is only litter. That is
    // swept where the sandbox is emptied, but not while a transaction is under way.
    await service.store.shareLock(db, locks.files);
    for (const some of inChunks(documents, filesAtOnce)) {
      await keepLocks(service.store, db);
      await Promise.all(some.map(({ row, text }) => writeDocument(service, row, text)));
    }
    for (const rows of inChunks(teams, rowsAtOnce)) await db.insertInto('teams').values(rows).execute();
    for (const rows of inChunks(users, rowsAtOnce)) await db.insertInto('users').values(rows).execute();
    const documentRows = documents.map(({ row }) => row);
    for (const rows of inChunks(documentRows, rowsAtOnce))
      await db.insertInto('documents').values(rows).execute();
    for (const rows of inChunks(bots, rowsAtOnce)) await db.insertInto('bots').values(rows).execute();
    for (const rows of inChunks(links, rowsAtOnce))
      await db.insertInto('bot_documents').values(rows).execute();
  });
  await inserting.catch((error: unknown) => {
    throw isDatabaseError(error, 'unique') ? madeAlready(chosen) : error;
  });
  return { teams: teams.length, bots: bots.length, documents: documents.length };
}

function madeAlready(chosen: string | undefined): SandboxProblem {
  const message = `The seed ${JSON.stringify(chosen)} has made such rows in this sandbox already. Nothing was made.`;
  return new SandboxProblem(message, { code: 'seedUsed' });
}

async function isThere({ store }: Seedable, document: SeededDocument | undefined): Promise<boolean> {
  if (!document) return false;
  const found = store.db.selectFrom('documents').select('id').where('id', '=', document.row.id);
  return (await found.executeTakeFirst()) !== undefined;
}

type NewTeam = Insertable<TeamsTable>;
type NewDocument = Insertable<DocumentsTable>;
type NewBot = Insertable<BotsTable>;
type NewLink = Insertable<BotDocumentsTable>;

interface SeededDocument {
  readonly row: NewDocument;
  readonly text: string;
}

function newTeams({ teams, bots, documents, bytes, now }: Filling): readonly NewTeam[] {
  return Array.from({ length: teams }, (_, index): NewTeam => {
    const time = moment(now, index, teams);
    const name = numbered(businessAt(index).name, index);
    return {
      id: uuidFrom(bytes('teams', index)),
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
      created_at: time,
      updated_at: time,
    };
  });
}

function administratorOf(
  filling: Filling,
  { id, created_at }: NewTeam,
  index: number,
): Insertable<UsersTable> {
  const bytes = filling.bytes('users', index);
  // As many random bits as keep a million of them apart, in one filling and the next.
  const email = `admin-${Buffer.from(bytes(12)).toString('hex')}@team.example`;
  return {
    id: uuidFrom(bytes),
    team_id: id,
    name: businessAt(index).administrator,
    email,
    email_key: emailKey(email),
    phone: `+55119${String(Buffer.from(bytes(4)).readUInt32BE() % 100_000_000).padStart(8, '0')}`,
    created_at,
  };
}

async function newDocuments(
  { documents: count, bytes: bytesOf, now }: Filling,
  teamIds: readonly string[],
): Promise<SeededDocument[]> {
  const documents: SeededDocument[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % rowsAtOnce === 0) await turnOfEventLoop();
    const business = businessAt(index);
    const text = paragraph(business, index);
    const time = moment(now, index, count);
    const bytes = bytesOf('documents', index);
    const name = `${numbered(business.document, index)}.txt`;
    const row: NewDocument = {
      id: uuidFrom(bytes),
      team_id: teamIds[index % teamIds.length] ?? '',
      name,
      name_folded: foldForSearch(name),
      type: 'txt',
      size: Buffer.byteLength(text),
      provider_id: fileId(bytes),
      extension: 'txt',
      chars: [...text.replace(/\s+/gu, ' ').trim()].length,
      created_at: time,
      updated_at: time,
    };
    documents.push({ row, text });
  }
  return documents;
}

async function newBots(
  { bots: count, bytes: bytesOf, now }: Filling,
  teamIds: readonly string[],
  documents: readonly SeededDocument[],
): Promise<{ bots: NewBot[]; links: NewLink[] }> {
  const documentOf = new Map(documents.map(({ row }) => [row.team_id, row.id]));
  const bots: NewBot[] = [];
  const links: NewLink[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % rowsAtOnce === 0) await turnOfEventLoop();
    const business = businessAt(index);
    const teamId = teamIds[index % teamIds.length] ?? '';
    const documentId = index % 3 === 0 ? documentOf.get(teamId) : undefined;
    const bytes = bytesOf('bots', index);
    const id = uuidFrom(bytes);
    const time = moment(now, index, count);
    const name = numbered(business.bot, index);
    bots.push({
      id,
      team_id: teamId,
      name,
      name_folded: foldForSearch(name),
      role: roles[index % roles.length] ?? 'dynamic',
      description: business.name,
      provider_id: assistantId(bytes),
      vector_id: documentId === undefined ? null : vectorStoreId(bytes),
      instructions: paragraph(business, index),
      temperature: (index % 5) / 4,
      published: index % 2 === 0,
      allow_human: index % 3 === 0,
      identification_name: null,
      use_audio_responses: false,
      allow_user_audio_requests: false,
      capture_payments: false,
      break_lines: true,
      questions: JSON.stringify([]),
      actions: JSON.stringify([]),
      created_at: time,
      updated_at: time,
    });
    if (documentId !== undefined) links.push({ bot_id: id, document_id: documentId, position: 0 });
  }
  return { bots, links };
}

async function existingTeams({ store }: Seedable): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('teams').select('id').orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

async function writeDocument({ store }: Seedable, row: NewDocument, text: string): Promise<void> {
  const path = join(store.files, fileUrl(row));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** A few sentences in the language of a business; another selection for each number. */
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

/** Each business comes back with a number, so that names differ and some share a beginning. */
function numbered(name: string, index: number): string {
  const round = Math.floor(index / businesses.length);
  return round === 0 ? name : `${name} ${round + 1}`;
}

/** Spread evenly over the ninety days before now. */
function moment(now: Date, index: number, count: number): Date {
  return new Date(now.getTime() - Math.floor((90 * dayMs * (count - index)) / count));
}
