import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type * as z from 'zod/mini';
import { errorStatus } from '../contract/envelope.ts';
import { uuid } from '../contract/schema.ts';
import { command, Remark, type RemarkText, remark } from '../lib/text/remark.ts';
import { mostSimilar } from '../lib/text/similar.ts';
import { Secret } from '../secrets/secret.ts';
import {
  advanceRequest,
  type ControlCalls,
  type ControlPath,
  type controlError,
  deactivateRequest,
  maxBodyBytes,
  phoneRequest,
  pictureType,
  publishRequest,
  seedRequest,
} from './control-protocol.ts';
import { check } from './http/check.ts';
import { PairingRefused } from './messaging-network.ts';
import { ActionRefused } from './phone/actions.ts';
import { NothingRead } from './phone/camera.ts';
import { scanPicture, scanScreen } from './phone/phone.ts';
import { publishBot } from './routes/bots.ts';
import type { ControlAddress } from './sandbox.ts';
import { seed } from './seed.ts';
import { Refusal, type Service } from './service.ts';
import { isDiskFull } from './store/disk.ts';

/** A running control channel. */
export interface Control extends ControlAddress {
  close(): Promise<void>;
}

/**
 * Starts the control channel: a listener of its own, on a free loopback port, for a caller with its token.
 * It does what the API has no call for: hold a picture before the phone, use that phone, publish a bot,
 * advance the clock, fill the database.
 */
export async function startControl(service: Service): Promise<Control> {
  const token = new Secret(randomBytes(32).toString('base64url'));
  const expected = digest(`Bearer ${token.reveal()}`);
  const server = createServer((request, response) => {
    answer(service, expected, request).then(
      (body) => reply(response, 200, body),
      (error: unknown) => reply(response, statusOf(error), errorOf(error)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the control channel has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

/** A request to the control channel that is refused. */
class ControlProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 405 | 413,
    message: string,
    readonly hint?: RemarkText,
  ) {
    super(message);
  }
}

async function answer(service: Service, expected: Buffer, request: IncomingMessage): Promise<unknown> {
  const given = digest(request.headers.authorization ?? '');
  if (!timingSafeEqual(given, expected))
    throw new ControlProblem(401, 'The token of the control channel is wrong.');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (!isControlPath(pathname)) throw new ControlProblem(404, `The control channel has no ${pathname}.`);
  if (request.method !== 'POST') throw new ControlProblem(405, 'The control channel takes POST only.');
  const body = await readBody(request);
  return actions[pathname](service, {
    body,
    type: request.headers['content-type'] ?? '',
    phoneNumber: searchParams.get('number') ?? undefined,
    stalls: searchParams.has('stall'),
  });
}

interface ControlRequest {
  readonly body: Buffer;
  readonly type: string;
  readonly phoneNumber: string | undefined;
  readonly stalls: boolean;
}

type Actions = {
  readonly [P in ControlPath]: (service: Service, request: ControlRequest) => Promise<ControlCalls[P]>;
};

const actions: Actions = {
  async '/scan'(service, { body, type, phoneNumber, stalls }) {
    if (phoneNumber !== undefined && !/^\+[1-9]\d{6,14}$/.test(phoneNumber)) {
      throw new ControlProblem(400, 'The number of the phone must be a plus and digits.');
    }
    const device = type.startsWith(pictureType)
      ? await scanPicture(service.network, body, { phoneNumber, stalls })
      : await scanScreen(service.network, body.toString('utf8'), { phoneNumber, stalls });
    return { device_id: device.id, name: device.name, phone_number: device.phone_number ?? '' };
  },

  async '/phone'(service, { body }) {
    const { action, device: named } = parseJson(phoneRequest, body);
    const { device, changed } = await service.network.act(await deviceNamed(service, named), action);
    return {
      device_id: device.id,
      name: device.name,
      status: device.status,
      connected: device.connected,
      logged_in: device.logged_in,
      blocked: device.blocked,
      last_disconnect_reason: device.last_disconnect_reason,
      changed,
    };
  },

  async '/publish'(service, { body }) {
    const { bot } = parseJson(publishRequest, body);
    const only = await oneNamed(service, 'bots', bot);
    const { published } = await publishBot(service, only.id);
    return { bot_id: only.id, name: only.name, published };
  },

  async '/deactivate'({ store: { db } }, { body }) {
    const { key: named } = parseJson(deactivateRequest, body);
    const found = await db
      .selectFrom('api_keys')
      .select(['key_id', 'name'])
      .where((key) => key.or([key('key_id', '=', named), key('name', '=', named)]))
      .execute();
    const [only, ...others] = found;
    if (!only) {
      const list = command('keys', 'list');
      throw new ControlProblem(404, `The sandbox has no key ${named}.`, remark`See them all: ${list}`);
    }
    if (others.length > 0) {
      const ids = found.map(({ key_id: id }) => id).join(', ');
      throw new ControlProblem(400, `Several keys are named ${named}: ${ids}.`, 'Give the id of one.');
    }
    await db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', only.key_id).execute();
    return { ...only, is_active: false };
  },

  async '/clock'({ clock }, { body }) {
    await clock.advance(parseJson(advanceRequest, body).milliseconds);
    return { now: clock.now().toISOString() };
  },

  '/seed': async (service, { body }) => seed(service, parseJson(seedRequest, body)),
};

/** The id of the device that has an id or an exact name. */
async function deviceNamed(service: Service, named: string): Promise<string> {
  return (await oneNamed(service, 'devices', named)).id;
}

/** The nouns of the tables whose rows are named, and the command that lists them. */
const nouns = {
  bots: { one: 'bot', list: remark`See them all: ${command('bots', 'list')}` },
  devices: { one: 'device', list: remark`See those you know: ${command('device', 'list')}` },
} as const;

/**
 * Returns the row that has an id or an exact name.
 * @throws ControlProblem if none has, with a similar name, or if several have the name, with their teams
 */
async function oneNamed(
  { store: { db } }: Service,
  table: 'bots' | 'devices',
  named: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const found = await db
    .selectFrom(table)
    .select(['id', 'name', 'team_id'])
    .where(uuid.safeParse(named).success ? 'id' : 'name', '=', named)
    .execute();
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (only) {
    const teams = await db.selectFrom('teams').select(['id', 'name']).execute();
    const nameOf = new Map(teams.map(({ id, name }) => [id, name]));
    const told = found.map(({ id, team_id: teamId }) => `${id} (team ${nameOf.get(teamId) ?? teamId})`);
    throw new ControlProblem(
      400,
      `Several ${table} are named ${named}: ${told.join(', ')}.`,
      'Give the id of one.',
    );
  }
  const all = await db.selectFrom(table).select('name').execute();
  const similar = mostSimilar(named, new Set(all.map(({ name }) => name)));
  const { one, list } = nouns[table];
  const hint = similar === undefined ? list : `Did you mean ${similar}?`;
  throw new ControlProblem(404, `The sandbox has no ${one} ${named}.`, hint);
}

function isControlPath(path: string): path is ControlPath {
  return Object.hasOwn(actions, path);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new ControlProblem(413, `More than ${maxBodyBytes} bytes were sent.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw tooLarge;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function parseJson<S extends z.ZodMiniType>(schema: S, body: Buffer): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ControlProblem(400, 'The body is not JSON.');
  }
  return check(schema, value, 'body');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function statusOf(error: unknown): number {
  if (error instanceof ControlProblem) return error.status;
  if (error instanceof NothingRead) return 400;
  if (error instanceof PairingRefused || error instanceof ActionRefused) return 409;
  if (error instanceof Refusal) return errorStatus[error.code];
  return 500;
}

function errorOf(error: unknown): z.infer<typeof controlError> {
  const why = error instanceof Error ? error.message : String(error);
  const words = isDiskFull(error) ? `The disk of the sandbox is full: ${why}` : why;
  const isHinted =
    error instanceof ControlProblem ||
    error instanceof NothingRead ||
    error instanceof PairingRefused ||
    error instanceof ActionRefused;
  const hint = isHinted ? error.hint : undefined;
  return {
    error: words,
    ...(hint !== undefined && { hint: hint instanceof Remark ? hint.parts : [hint] }),
  };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  // The rest of a refused body isn't read, so the connection can't be used again.
  if (status >= 400) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
