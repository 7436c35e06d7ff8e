import type { FeedRequest } from '../../src/sandbox/control/calls.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { LoggedRequest } from '../../src/sandbox/request-log/request-log.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Reads the log of a sandbox from a place or a time on, however many pages that has. */
export async function readWholeLog(
  { control }: Pick<Sandbox, 'control'>,
  from: { readonly after: string } | { readonly ago: number },
): Promise<readonly LoggedRequest[]> {
  const rows: LoggedRequest[] = [];
  for (let next: FeedRequest = { ...from, limit: 1000 }; ; ) {
    const page = await callControl(control, '/log', next);
    rows.push(...page.rows);
    if (!page.more) return rows;
    next = { ...next, after: page.cursor };
  }
}

/**
 * Begins to look at the requests that a sandbox meets. Returns a function that reads those from then on, in the order
 * in which they ended.
 */
export async function requestsFromNow(
  sandbox: Pick<Sandbox, 'control'>,
): Promise<() => Promise<readonly LoggedRequest[]>> {
  const { cursor: after } = await callControl(sandbox.control, '/log', { last: 1, limit: 1 });
  return () => readWholeLog(sandbox, { after });
}

/**
 * Begins to look at the calls that a sandbox meets. Returns a function that tells those of a method from then on, or of
 * all: `POST /api/openapi/v1/bots`, in the order in which they ended. The exchange of a key is none of them.
 */
export async function callsFromNow(
  sandbox: Pick<Sandbox, 'control'>,
): Promise<(method?: string) => Promise<readonly string[]>> {
  const seen = await requestsFromNow(sandbox);
  return async (wanted) =>
    (await seen())
      .filter(({ operation, method }) => operation !== 'createToken' && method === (wanted ?? method))
      .map(({ method, path }) => `${method} ${path?.split('?')[0]}`);
}
