import { command, remark } from '../../../lib/text/remark.ts';
import { type Feed, readOrWait } from '../../feed.ts';
import type { Service } from '../../service.ts';
import { type Actions, parseJson } from '../action.ts';
import { oneNamed } from '../named.ts';
import { ControlProblem } from '../problem.ts';
import { type FeedRequest, feedRequest, messagesRequest } from '../protocol.ts';

const earliest = 0;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** What the sandbox has seen. */
export const feedActions: Actions<'/log' | '/messages'> = {
  async '/log'({ service, requestLog }, { body, signal }) {
    const asked = parseJson(feedRequest, body);
    if (!requestLog) {
      const start = command('sandbox', 'start');
      throw new ControlProblem(
        400,
        'This sandbox keeps no log of its requests.',
        remark`Stop it, and start it without --log-size 0: ${start}`,
      );
    }
    return page(service, requestLog, asked, {}, signal);
  },

  async '/messages'({ service }, { body, signal }) {
    const { device, to, ...asked } = parseJson(messagesRequest, body);
    const deviceId = device === undefined ? undefined : (await oneNamed(service, 'devices', device)).id;
    return page(service, service.network.messages, asked, { deviceId, to }, signal);
  },
};

/** Returns a page of a feed as a caller has asked for it. */
async function page<Row, Filter>(
  { clock }: Service,
  feed: Feed<Row, Filter>,
  { wait = 0, ago, since: given, ...query }: FeedRequest,
  filter: Filter,
  signal: AbortSignal,
) {
  const from = ago === undefined ? Date.parse(given ?? '') : clock.now().getTime() - ago;
  // There is nothing before these times, nor after them.
  const since = Number.isNaN(from) ? undefined : new Date(Math.min(Math.max(from, earliest), latest));
  const { rows, cursor, more } = await readOrWait(feed, { ...query, ...filter, since }, wait, signal);
  return {
    rows: [...rows],
    cursor,
    more,
    ...(since && { since: since.toISOString() }),
    ended: signal.aborted,
  };
}
