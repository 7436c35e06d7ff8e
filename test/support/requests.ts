import type { FeedRequest } from '../../src/sandbox/control/calls.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { LoggedRequest } from '../../src/sandbox/request-log/request-log.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Reads all pages of a sandbox's request log from a position or a time on. */
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
 * Starts to observe a sandbox's requests. Returns a function that reads those since then, in the order in which they
 * ended.
 */
export async function requestsFromNow(
  sandbox: Pick<Sandbox, 'control'>,
): Promise<() => Promise<readonly LoggedRequest[]>> {
  const { cursor: after } = await callControl(sandbox.control, '/log', { last: 1, limit: 1 });
  return () => readWholeLog(sandbox, { after });
}

/**
 * Starts to observe a sandbox's calls. Returns a function that lists the calls of one method, or all, since then: `POST
 * /api/openapi/v1/bots`, in the order in which they ended. Token exchanges are left out.
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
