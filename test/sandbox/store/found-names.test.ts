import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldForSearch } from '../../../src/database/differences.ts';
import type { Database } from '../../../src/database/open.ts';
import { nameContains, readPage } from '../../../src/sandbox/routes/pages.ts';
import type { Tables } from '../../../src/sandbox/store/tables.ts';
import { openTables } from '../../support/stored-tables.ts';

/** Characters that engines and locales treat differently, each group with those it may be confused with. */
const groups = [
  ['é', 'É', 'e\u0301', 'E\u0301', 'e', '\u0301'],
  ['i', 'I', 'İ', 'ı', 'i\u0307'],
  ['ß', 'ẞ', 'ss', 'S', 'ﬁ', 'fi'],
  ['Σ', 'σ', 'ς', 'Ж', 'ж', 'ǅ', 'ǆ'],
  ['Å', '\u212b', 'å', 'K', '\u212a', 'k'],
  ['%', '_', '\\', 'a', 'A', '*', '?', '['],
  ["'", '"', ' ', '\n', '\u200d', 'x'.repeat(260)],
  // In UTF-16 the last two sort before the first one.
  ['\ue000', '漢', '😀', '\u{10ffff}'],
];

/** Few different milliseconds, so that ids decide the order too. */
const moment = fc.integer({ min: 0, max: 3 });

/** Generates names, and a part to search for in them. */
const searches = fc
  .constantFrom(...groups)
  .map((pieces) => fc.string({ unit: fc.constantFrom(...pieces), minLength: 1, maxLength: 3 }))
  .chain((text) => fc.tuple(fc.array(fc.tuple(text, moment), { maxLength: 12 }), text));

interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

/** Returns the ids that a list shows, in plain JavaScript. */
function listed(rows: readonly Row[], part: string): readonly string[] {
  const fold = (name: string): string => name.normalize('NFC').toLowerCase();
  const byBytes = (one: string, other: string): number =>
    Buffer.compare(Buffer.from(one), Buffer.from(other));
  const found = rows.filter(({ name }) => fold(name).includes(fold(part)));
  const sorted = found.toSorted(
    (one, other) => one.created_at.getTime() - other.created_at.getTime() || byBytes(one.id, other.id),
  );
  return sorted.map(({ id }) => id);
}

describe('a list filtered by a part of a name', () => {
  let directory: string;
  let database: Database<Tables>;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'botctl-names-'));
    database = await openTables(directory);
  });
  afterAll(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it('has the same rows, order and total as plain JavaScript', async () => {
    const list = fc.asyncProperty(searches, fc.integer({ min: 1, max: 5 }), check);
    await fc.assert(list, { numRuns: 150 });
  });

  async function check(
    [named, part]: readonly [readonly (readonly [string, number])[], string],
    limit: number,
  ): Promise<void> {
    const rows = named.map(([name, time]) => ({ id: randomUUID(), name, created_at: new Date(time) }));
    await database.db.deleteFrom('teams').execute();
    if (rows.length > 0) await database.db.insertInto('teams').values(rows.map(teamOf)).execute();
    const expected = listed(rows, part);
    const found = database.db.selectFrom('teams').selectAll().where(nameContains(database, part));
    const seen: string[] = [];
    const pages = Math.ceil(expected.length / limit) + 1;
    for (let page = 1; page <= pages; page += 1) {
      const { rows: shown, paging } = await readPage(found, { page, limit });
      expect(paging).toMatchObject({
        total: expected.length,
        totalPages: Math.ceil(expected.length / limit),
      });
      seen.push(...shown.map(({ id }) => id));
    }
    expect(seen).toEqual(expected);
  }
});

function teamOf(row: Row) {
  const quotas = { quota_bots: 1, quota_accounts: 1, quota_characters: 1, quota_documents: 1 };
  const others = { quota_members: 1, quota_credits: 1, plan_name: 'pro', paying: true, banned: false };
  return { ...row, ...quotas, ...others, name_folded: foldForSearch(row.name), updated_at: row.created_at };
}
