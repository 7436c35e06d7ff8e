import { type Kysely, sql } from 'kysely';
import type { Tables } from '../store/tables.ts';
import type { Reply } from './reply.ts';

/** Health checks by path, outside the API: they need no token, and respond with one word. */
export type HealthChecks = Readonly<Record<string, () => Promise<Reply>>>;

/**
 * Creates the health checks of a service: `/healthz` for a running process, `/readyz` for one that can serve calls.
 * @param leaving aborted once the service begins to stop
 */
export function createHealth(db: Kysely<Tables>, leaving: AbortSignal): HealthChecks {
  return {
    '/healthz': async () => word(200, 'ok'),
    async '/readyz'() {
      const answer = leaving.aborted ? undefined : await answerInTime(sql`select 1`.execute(db));
      // It may have begun to stop meanwhile.
      if (leaving.aborted) return word(503, 'draining');
      return answer ? word(200, 'ready') : word(503, 'away');
    },
  };
}

function word(status: number, text: string): Reply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: Buffer.from(`${text}\n`) };
}

/** Milliseconds in which an available database responds. */
const patienceMs = 2000;

/** Returns the database's result, or undefined if it fails or takes too long for a health check. */
async function answerInTime<T>(asked: Promise<T>): Promise<T | undefined> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    late = setTimeout(() => resolve(undefined), patienceMs);
  });
  return Promise.race([asked.catch(() => undefined), tooLate]).finally(() => clearTimeout(late));
}
