import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { oneForm } from '../../lib/number-forms.ts';
import { originOf } from '../../settings/base-url.ts';
import type { OptOut, OptOuts } from '../opt-outs.ts';
import type { CampaignDatabase } from './connection.ts';
import { plain } from './rows.ts';

const optOutAnswer = z.object({ number: z.string(), added_at: z.string(), note: z.nullable(z.string()) });

/** Returns the opt-outs of a service in a database. */
export function optOutsIn(database: CampaignDatabase, baseUrl: string): OptOuts {
  const { db, longTransaction } = database;
  const origin = originOf(baseUrl);
  const rowsOf = async <T>(statement: RawBuilder<T>): Promise<readonly T[]> =>
    (await database.hasTables()) ? (await database.asked(() => statement.execute(db))).rows : [];
  return {
    async *list() {
      const all = sql`select number, added_at, note from opt_outs where origin = ${origin} order by place`;
      yield (await rowsOf(all)).map(optOutOf);
    },
    async among(numbers) {
      const forms = numbers.map(oneForm);
      const those = sql<{ form: string }>`select form from opt_outs
        where origin = ${origin} and form = any(${forms}::text[])`;
      const known = new Set((await rowsOf(those)).map(({ form }) => form));
      return new Set(numbers.filter((digits) => known.has(oneForm(digits))));
    },
    async find(digits) {
      const one = sql`select number, added_at, note from opt_outs where origin = ${origin} and form = ${oneForm(digits)}`;
      return (await rowsOf(one)).map(optOutOf)[0];
    },
    async add(numbers) {
      const kept = numbers.map((one) => ({ ...one, form: oneForm(one.number), note: plain(one.note) }));
      const added = sql<{ form: string }>`insert into opt_outs (origin, form, number, added_at, note)
        select ${origin}, form, number, added_at, note
        from json_to_recordset(${JSON.stringify(kept)}::json) as given(form text, number text, added_at text, note text)
        on conflict do nothing returning number, added_at, note`;
      await database.makeTables();
      return longTransaction(async (step) => (await added.execute(step)).rows.map(optOutOf));
    },
    async remove(digits) {
      const removed = sql`delete from opt_outs where origin = ${origin} and form = ${oneForm(digits)}
        returning number, added_at, note`;
      return (await rowsOf(removed)).map(optOutOf)[0];
    },
  };
}

function optOutOf(answer: unknown): OptOut {
  const { number, added_at, note } = z.parse(optOutAnswer, answer);
  return { number, added_at, ...(note !== null && { note }) };
}
