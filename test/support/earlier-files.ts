import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { temporaryDirectory } from './temporary-directory.ts';

/** The data of earlier versions; its README says how it was made. */
export const fixtures = join(import.meta.dirname, '../fixtures/earlier');

/** Returns a new data directory with the campaign files of an earlier version. */
export function earlierData(): string {
  const data = join(temporaryDirectory(), 'data');
  cpSync(join(fixtures, 'campaign-files'), data, { recursive: true });
  return data;
}

const text = z.nullable(z.string());

const saidSchema = z.record(
  z.string(),
  z.object({
    optouts: z.array(z.object({ number: z.string(), note: text, added_at: z.string() })),
    campaigns: z.array(z.looseObject({ name: z.string(), state: z.string(), created_at: z.string() })),
    results: z.record(
      z.string(),
      z.array(
        z.looseObject({
          row: z.number(),
          to: text,
          state: z.string(),
          reason: text,
          because: text,
          at: text,
          attempts: z.number(),
        }),
      ),
    ),
  }),
);

/**
 * Returns what an earlier version printed of its data, by origin.
 * @param name that of the data: `campaigns-6abd2134`
 */
export function earlierOutput(name = 'campaign-files'): z.infer<typeof saidSchema> {
  return z.parse(saidSchema, JSON.parse(readFileSync(join(fixtures, `${name}.expected.json`), 'utf8')));
}
