import { version } from '../../lib/version.ts';
import type { Faults } from '../faults/faults.ts';
import { type Feed, readOrWait } from '../feed.ts';
import { readPicture } from '../phone/camera.ts';
import { readDrawing } from '../phone/drawing.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { publishBot } from '../routes/bots.ts';
import { createKey, deleteKey } from '../routes/keys.ts';
import { seed } from '../seed.ts';
import type { Service } from '../service.ts';
import type { ControlPath, ControlRequest, ControlResponse, FeedRequest, SandboxCounts } from './calls.ts';
import { findNamed } from './find-named.ts';

/** The parts of a sandbox that the control channel acts on. */
export interface Controlled {
  readonly service: Service;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  /** The part of its status that is fixed at the start. */
  readonly about: Pick<ControlResponse<'/status'>, 'data' | 'database' | 'log' | 'phone'> & {
    readonly keyId: string;
    /** By the machine's clock. */
    readonly startedAt: Date;
  };
  /** Deletes everything except the first key, and resets the clock to the machine's time. */
  reset(): Promise<void>;
  /** Stops the sandbox after the response to this call. */
  stop(): Promise<void>;
}

/** A handler for each control call. The signal aborts when the caller disconnects or the sandbox stops. */
type Handlers = {
  readonly [P in ControlPath]: (
    controlled: Controlled,
    request: ControlRequest<P>,
    signal: AbortSignal,
  ) => Promise<ControlResponse<P>>;
};

/** The handlers of the control calls. */
export const handlers: Handlers = {
  async '/scan'({ service: { network } }, { kind, bytes, phone_number: phoneNumber, stall }) {
    const shown = Buffer.from(bytes, 'base64');
    const presented = { phoneNumber, stalls: stall ?? false };
    // The reader has no access to the codes: it passes the text that it reads to the network.
    const read = kind === 'picture' ? readPicture(shown) : readDrawing(shown.toString('utf8'));
    const device = await network.pair(read, presented);
    return { device_id: device.id, name: device.name, phone_number: device.phone_number ?? '' };
  },

  async '/phone'({ service }, { action, device: named }) {
    const { id } = await findNamed(service, 'device', named);
    const { device, changed } = await service.network.act(id, action);
    const { name, status, connected, logged_in, blocked, last_disconnect_reason } = device;
    return { device_id: id, name, status, connected, logged_in, blocked, last_disconnect_reason, changed };
  },

  async '/publish'({ service }, { bot }) {
    const { id, name } = await findNamed(service, 'bot', bot);
    const { published } = await publishBot(service, id);
    return { bot_id: id, name, published };
  },

  '/key/create': ({ service }, request) => createKey(service, request),

  async '/key/delete'({ service }, { key_id }) {
    await deleteKey(service, key_id);
    return { key_id };
  },

  async '/deactivate'({ service }, { key: named }) {
    const { id, name } = await findNamed(service, 'key', named);
    const { db } = service.store;
    await db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', id).execute();
    return { key_id: id, name, is_active: false };
  },

  async '/clock'({ service: { clock } }, { milliseconds }) {
    await clock.advance(milliseconds);
    return { now: clock.now().toISOString() };
  },

  '/seed': ({ service }, request) => seed(service, request),

  '/status': (controlled) => stateOf(controlled),

  async '/reset'(controlled) {
    await controlled.reset();
    return stateOf(controlled);
  },

  async '/stop'({ about: { data }, stop }) {
    // Stopping waits for this response, so it can't be awaited here.
    void stop().catch(() => undefined);
    return { data, pid: process.pid };
  },

  '/fault/add': async ({ faults }, request) => faults.add(request),

  '/fault/list': async ({ faults }) => faults.list(),

  '/fault/clear': async ({ faults }, { ids }) => ({ cleared: faults.clear(ids) }),

  '/log': ({ service, requestLog }, request, signal) => readPage(service, requestLog, request, {}, signal),

  async '/messages'({ service }, { device, to, ...request }, signal) {
    const deviceId = device === undefined ? undefined : (await findNamed(service, 'device', device)).id;
    return readPage(service, service.network.messages, request, { deviceId, to }, signal);
  },
};

async function stateOf({ service, about }: Controlled): Promise<ControlResponse<'/status'>> {
  const {
    baseUrl,
    clock,
    store: { db },
  } = service;
  const { keyId, startedAt, ...fixed } = about;
  const countOf = async (table: keyof SandboxCounts): Promise<number> => {
    const { total } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  };
  const key = await db.selectFrom('api_keys').select('key_id').where('key_id', '=', keyId).executeTakeFirst();
  return {
    ...fixed,
    base_url: baseUrl,
    pid: process.pid,
    version,
    started_at: startedAt.toISOString(),
    now: clock.now().toISOString(),
    key_id: key?.key_id ?? null,
    teams: await countOf('teams'),
    bots: await countOf('bots'),
    documents: await countOf('documents'),
    devices: await countOf('devices'),
    messages: await countOf('messages'),
  };
}

const earliest = 0;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Reads a page of a feed, or waits for a row if the request asks for it. */
async function readPage<Row, Filter>(
  { clock }: Service,
  feed: Feed<Row, Filter>,
  { wait = 0, ago, since: given, ...query }: FeedRequest,
  filter: Filter,
  signal: AbortSignal,
) {
  const from = ago === undefined ? Date.parse(given ?? '') : clock.now().getTime() - ago;
  // Limits the time to the range of rows.
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
