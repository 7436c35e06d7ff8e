import { type Kysely, sql } from 'kysely';
import { inChunks } from '../../lib/iterables.ts';
import { canonicalForm } from '../../phone-numbers/number-forms.ts';
import { originOf } from '../../settings/base-url.ts';
import type { OptOut, OptOuts } from '../opt-outs.ts';
import type { CampaignDatabase } from './database.ts';
import { storableText } from './rows.ts';
import type { Tables } from './tables.ts';

/** The maximum number of opt-outs that one statement reads or writes. */
const optOutsAtOnce = 1000;

const columns = ['number', 'added_at', 'note'] as const;

/** Inserts opt-outs of a service, at most 1,000, in order. Returns the new ones. */
async function insertOptOuts(
  db: Kysely<Tables>,
  origin: string,
  optOuts: readonly OptOut[],
): Promise<readonly OptOut[]> {
  const rows = await db
    .insertInto('opt_outs')
    .values(
      optOuts.map(({ number, added_at, note }) => {
        return { origin, form: canonicalForm(number), number, added_at, note: storableText(note) };
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .execute();
  return rows.map(optOutOf);
}

/** Returns the opt-outs of a service. */
export function optOutsIn(database: CampaignDatabase, baseUrl: string): OptOuts {
  const origin = originOf(baseUrl);
  return {
    async *list() {
      let last: number | undefined = 0;
      while (last !== undefined) {
        const after: number = last;
        const page = await database.read(
          ({ db }) =>
            db
              .selectFrom('opt_outs')
              .select(['place', ...columns])
              .where('origin', '=', origin)
              .where('place', '>', after)
              .orderBy('place')
              .limit(optOutsAtOnce)
              .execute(),
          [],
        );
        if (page.length > 0) yield page.map(optOutOf);
        last = page.length < optOutsAtOnce ? undefined : page.at(-1)?.place;
      }
    },
    async filterOptedOut(numbers) {
      const found = new Set<string>();
      for (const some of inChunks(numbers, optOutsAtOnce)) {
        const known = await database.read(
          ({ db, isIn }) =>
            db
              .selectFrom('opt_outs')
              .select('form')
              .where('origin', '=', origin)
              .where(isIn(sql.ref('form'), some.map(canonicalForm)))
              .execute(),
          [],
        );
        const forms = new Set(known.map(({ form }) => form));
        for (const digits of some) if (forms.has(canonicalForm(digits))) found.add(digits);
      }
      return found;
    },
    async find(digits) {
      const found = await database.read(
        ({ db }) =>
          db
            .selectFrom('opt_outs')
            .select(columns)
            .where('origin', '=', origin)
            .where('form', '=', canonicalForm(digits))
            .executeTakeFirst(),
        undefined,
      );
      return found && optOutOf(found);
    },
    async add(numbers) {
      const added: OptOut[] = [];
      for (const some of inChunks(numbers, optOutsAtOnce)) {
        added.push(...(await database.write(({ db }) => insertOptOuts(db, origin, some))));
      }
      return added;
    },
    async remove(digits) {
      // If there is no file, a write would create one only to remove nothing.
      const removed = await database.read(
        ({ db }) =>
          db
            .deleteFrom('opt_outs')
            .where('origin', '=', origin)
            .where('form', '=', canonicalForm(digits))
            .returning(columns)
            .execute(),
        [],
      );
      return removed.map(optOutOf)[0];
    },
  };
}

function optOutOf({
  number,
  added_at,
  note,
}: {
  readonly number: string;
  readonly added_at: string;
  readonly note: string | null;
}): OptOut {
  return { number, added_at, ...(note !== null && { note }) };
}
