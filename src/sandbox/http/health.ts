import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { answered } from '../observed/answered.ts';
import type { Tables } from '../store/tables.ts';
import type { Reply } from './reply.ts';

/** What is asked by those who keep the service running, outside the API: without token, in one word. */
export interface Health {
  /** True as long as the process answers at all. */
  readonly '/healthz': () => Promise<Reply>;
  /** True if calls can be served now. */
  readonly '/readyz': () => Promise<Reply>;
}

/** The paths of the answers about the service's health. */
export const healthPaths = ['/healthz', '/readyz'] as const satisfies readonly (keyof Health)[];

/**
 * Makes the answers about a service's health: whoever asks again while the database is looked at gets the same answer.
 * @param leaving is aborted once the service begins to end
 */
export function createHealth(db: Kysely<Tables>, leaving: AbortSignal): Health {
  let looking: Promise<boolean> | undefined;
  const isThere = (): Promise<boolean> => {
    looking ??= answered(sql`select 1`.execute(db))
      .then((answer) => answer !== undefined)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  return {
    '/healthz': async () => word(200, 'ok'),
    async '/readyz'() {
      const there = leaving.aborted || (await isThere());
      // It may have begun to end meanwhile.
      if (leaving.aborted) return word(503, 'draining');
      return there ? word(200, 'ready') : word(503, 'away');
    },
  };
}

function word(status: number, text: string): Reply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: Buffer.from(`${text}\n`) };
}
