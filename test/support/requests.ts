import { readLog } from '../../src/sandbox/control/client.ts';
import type { LoggedRequest } from '../../src/sandbox/request-log/request-log.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/**
 * Begins to look at the requests that a sandbox meets. Returns a function that reads those from then on, in the order
 * in which they ended.
 */
export async function requestsFromNow({
  control,
}: Pick<Sandbox, 'control'>): Promise<() => Promise<readonly LoggedRequest[]>> {
  const { cursor: start } = await readLog(control, { last: 1, limit: 1 });
  return async () => {
    const rows: LoggedRequest[] = [];
    for (let after = start; ; ) {
      const page = await readLog(control, { after, limit: 1000 });
      rows.push(...page.rows);
      if (!page.more) return rows;
      after = page.cursor;
    }
  };
}
