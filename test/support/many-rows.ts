import { createHash } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import { foldForSearch } from '../../src/database/differences.ts';
import type {
  BotsTable,
  DocumentsTable,
  Tables,
  TeamsTable,
  UsersTable,
} from '../../src/sandbox/store/tables.ts';

/** The number of rows of each kind. */
export interface Numbers {
  readonly teams: number;
  readonly bots: number;
  readonly documents: number;
}

/** Writes this many rows without related rows, in the order of their times. */
export async function writeBareRows(db: Kysely<Tables>, { teams, bots, documents }: Numbers): Promise<void> {
  const teamOf = (index: number): string => idOf('team', 1 + (index % teams));
  await write(db, 'teams', teams, (index): Insertable<TeamsTable> => {
    const quotas = { quota_bots: 10, quota_accounts: 5, quota_characters: 10_000_000, quota_documents: 100 };
    const others = { quota_members: 10, quota_credits: 10_000, plan_name: 'pro', paying: index % 5 !== 0 };
    return { ...named('team', index, `Team ${index}`), ...quotas, ...others, banned: false };
  });
  await write(db, 'users', teams, (index): Insertable<UsersTable> => {
    const email = `ana${index}@bare.example`;
    const id = idOf('user', index);
    const rest = { email, email_key: email, phone: '+5511999990000', created_at: timeOf(index) };
    return { id, team_id: idOf('team', index), name: `Ana ${index}`, ...rest };
  });
  await write(db, 'documents', documents, (index): Insertable<DocumentsTable> => {
    const type = ['txt', 'pdf', 'docx'][index % 3] ?? 'txt';
    const file = { type, size: 10, provider_id: `file-${index}`, extension: 'txt', chars: 10 };
    return { ...named('document', index, `Opening hours ${index}.txt`), team_id: teamOf(index), ...file };
  });
  await write(db, 'bots', bots, (index): Insertable<BotsTable> => {
    const texts = { description: 'A desk', instructions: 'Answer kindly. '.repeat(20), role: 'support' };
    const flags = { published: false, allow_human: false, capture_payments: false, break_lines: false };
    const audio = { use_audio_responses: false, allow_user_audio_requests: false };
    const lists = { questions: '[]', actions: '[]', provider_id: `asst-${index}`, temperature: 1 };
    const bot = named('bot', index, `Front desk ${index}`);
    return { ...bot, team_id: teamOf(index), ...texts, ...flags, ...audio, ...lists };
  });
}

async function write<T extends 'teams' | 'users' | 'documents' | 'bots'>(
  db: Kysely<Tables>,
  table: T,
  count: number,
  rowOf: (index: number) => Insertable<Tables[T]>,
): Promise<void> {
  for (let first = 1; first <= count; first += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - first + 1) }, (_, at) => rowOf(first + at));
    await db.insertInto(table).values(rows).execute();
  }
}

function named(kind: string, index: number, name: string) {
  const time = timeOf(index);
  return {
    id: idOf(kind, index),
    name,
    name_folded: foldForSearch(name),
    created_at: time,
    updated_at: time,
  };
}

function idOf(kind: string, index: number): string {
  const digits = createHash('md5').update(`${kind} ${index}`).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function timeOf(index: number): Date {
  return new Date(Date.UTC(2026, 0, 1) + index * 1000);
}
