import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { answered } from '../observed/answered.ts';
import type { Tables } from '../store/tables.ts';
import type { Reply } from './reply.ts';

/** Health checks by their paths, outside the API: they need no token, and are answered with one word. */
export type HealthChecks = Readonly<Record<string, () => Promise<Reply>>>;

/**
 * Makes the health checks of a service: `/healthz` for a process that runs, `/readyz` for one that can serve calls.
 * @param leaving is aborted once the service begins to end
 */
export function createHealth(db: Kysely<Tables>, leaving: AbortSignal): HealthChecks {
  return {
    '/healthz': async () => word(200, 'ok'),
    async '/readyz'() {
      const answer = leaving.aborted ? undefined : await answered(sql`select 1`.execute(db));
      // It may have begun to end meanwhile.
      if (leaving.aborted) return word(503, 'draining');
      return answer ? word(200, 'ready') : word(503, 'away');
    },
  };
}

function word(status: number, text: string): Reply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: Buffer.from(`${text}\n`) };
}
