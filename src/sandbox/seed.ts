import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Insertable } from 'kysely';
import type { Seeded, SeedRequest } from './control/protocol.ts';
import { fileUrl } from './document-files.ts';
import businesses from './seed-businesses.json';
import { Refusal, type Service } from './service.ts';
import type { BotDocumentsTable, BotsTable, DocumentsTable, TeamsTable, UsersTable } from './store/tables.ts';

/** Rows of one insert: PostgreSQL takes 65,535 parameters, and no table has more than 25 columns. */
const rowsAtOnce = 1000;

/** Files written at the same time. */
const filesAtOnce = 32;

/** A business that could be a customer, one of many scripts, directions and widths. */
type Business = (typeof businesses)[number];

const plans = ['starter', 'pro', 'business'] as const;
const roles = ['support', 'dynamic', 'sales'] as const;
const dayMs = 86_400_000;

/**
 * Fills the sandbox with teams and their administrators, bots and documents, in many scripts. Bots and
 * documents are spread over the new teams or, if there are none, over all; documents have real files;
 * every third bot knows a document of its team. Returns their numbers.
 * @throws Refusal BAD_REQUEST for bots or documents if there is no team
 */
export async function seed(service: Service, wanted: SeedRequest): Promise<Seeded> {
  const teams = newTeams(service, wanted);
  const teamIds = teams.length > 0 ? teams.map(({ id }) => id) : await existingTeams(service);
  if (teamIds.length === 0 && wanted.bots + wanted.documents > 0) {
    throw new Refusal(
      'BAD_REQUEST',
      'There is no team that the bots and documents could belong to; seed teams as well.',
    );
  }
  const documents = await newDocuments(service, wanted.documents, teamIds);
  const { bots, links } = await newBots(service, wanted.bots, teamIds, documents);

  // Files come before rows: a row whose file is missing would be a lie, a file without a row is only litter.
  for (const some of inChunks(documents, filesAtOnce)) {
    await Promise.all(some.map(({ row, text }) => writeDocument(service, row, text)));
  }
  await service.store.db.transaction().execute(async (db) => {
    for (const rows of inChunks(teams, rowsAtOnce)) await db.insertInto('teams').values(rows).execute();
    for (const rows of inChunks(teams.map(administratorOf), rowsAtOnce)) {
      await db.insertInto('users').values(rows).execute();
    }
    const documentRows = documents.map(({ row }) => row);
    for (const rows of inChunks(documentRows, rowsAtOnce))
      await db.insertInto('documents').values(rows).execute();
    for (const rows of inChunks(bots, rowsAtOnce)) await db.insertInto('bots').values(rows).execute();
    for (const rows of inChunks(links, rowsAtOnce))
      await db.insertInto('bot_documents').values(rows).execute();
  });
  return { teams: teams.length, bots: bots.length, documents: documents.length };
}

type NewTeam = Insertable<TeamsTable>;
type NewDocument = Insertable<DocumentsTable>;
type NewBot = Insertable<BotsTable>;
type NewLink = Insertable<BotDocumentsTable>;

interface SeededDocument {
  readonly row: NewDocument;
  readonly text: string;
}

function newTeams({ clock }: Service, { teams, bots, documents }: SeedRequest): readonly NewTeam[] {
  return Array.from({ length: teams }, (_, index): NewTeam => {
    const time = moment(clock.now(), index, teams);
    return {
      id: randomUUID(),
      name: numbered(businessAt(index).name, index),
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

function administratorOf({ id, created_at }: NewTeam, index: number): Insertable<UsersTable> {
  return {
    id: randomUUID(),
    team_id: id,
    name: businessAt(index).administrator,
    email: `admin-${randomBytes(6).toString('hex')}@team.example`,
    phone: `+55119${String(randomInt(100_000_000)).padStart(8, '0')}`,
    created_at,
  };
}

async function newDocuments(
  service: Service,
  count: number,
  teamIds: readonly string[],
): Promise<SeededDocument[]> {
  const documents: SeededDocument[] = [];
  for (let index = 0; index < count; index += 1) {
    const business = businessAt(index);
    const text = paragraph(business, index);
    const time = moment(service.clock.now(), index, count);
    const row: NewDocument = {
      id: randomUUID(),
      team_id: teamIds[index % teamIds.length] ?? '',
      name: `${numbered(business.document, index)}.txt`,
      type: 'txt',
      size: Buffer.byteLength(text),
      provider_id: await service.provider.uploadFile(),
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
  service: Service,
  count: number,
  teamIds: readonly string[],
  documents: readonly SeededDocument[],
): Promise<{ bots: NewBot[]; links: NewLink[] }> {
  const documentOf = new Map(documents.map(({ row }) => [row.team_id, row.id]));
  const bots: NewBot[] = [];
  const links: NewLink[] = [];
  for (let index = 0; index < count; index += 1) {
    const business = businessAt(index);
    const teamId = teamIds[index % teamIds.length] ?? '';
    const documentId = index % 3 === 0 ? documentOf.get(teamId) : undefined;
    const id = randomUUID();
    const time = moment(service.clock.now(), index, count);
    bots.push({
      id,
      team_id: teamId,
      name: numbered(business.bot, index),
      role: roles[index % roles.length] ?? 'dynamic',
      description: business.name,
      provider_id: await service.provider.createAssistant(),
      vector_id: documentId === undefined ? null : await service.provider.createVectorStore(),
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

async function existingTeams({ store }: Service): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('teams').select('id').orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

async function writeDocument({ store }: Service, row: NewDocument, text: string): Promise<void> {
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

function* inChunks<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
