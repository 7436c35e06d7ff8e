/**
 * The service of the bench in its own process: it answers 20 teams, a token, a document and pages of bots from memory.
 * The first segment of the path is the number of bots: `/100000/api/openapi/v1/bots`. Every team and bot exists by its
 * id, and with such a segment so does a document of each team. Every device is connected, and accepts every message;
 * `/api/bench/messages` returns the number of messages, and `/api/bench/readings` the number of reads of device
 * statuses. Exits with its parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const time = '2026-01-01T00:00:00.000Z';

function id(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function team(index: number) {
  return {
    id: id(index),
    name: `Team number ${index}`,
    plan_name: 'pro',
    paying: index % 2 === 0,
    banned: false,
    created_at: time,
    updated_at: time,
  };
}

const teams = Array.from({ length: 20 }, (_, index) => team(index));

const document = {
  id: id(0),
  team_id: id(0),
  name: 'bench.txt',
  type: 'txt',
  size: 0,
  provider_id: 'file-0',
  file_url: `${id(0)}/file-0.txt`,
  chars: 1,
  created_at: time,
  updated_at: time,
};

const deviceStatus = {
  connected: true,
  logged_in: true,
  status: 'started',
  phone_number: '5511912345678',
  message: 'connected',
};

const answers: Readonly<Record<string, Buffer>> = {
  'GET /api/openapi/v1/teams': envelope(teams, { page: 1, limit: 100, total: teams.length, totalPages: 1 }),
  'GET /api/openapi/v1/documents': envelope([], { page: 1, limit: 100, total: 0, totalPages: 1 }),
  'POST /api/openapi/v1/documents': envelope(document),
  'POST /api/openapi/v1/send': envelope({
    device_id: id(0),
    name: 'Reception',
    destinationNumber: '5511988887777',
    sendAsAudio: false,
    aiGeneratesMessage: false,
  }),
  'POST /api/openapi/auth/token': envelope({
    access_token: 'a-token-for-the-bench',
    token_type: 'Bearer',
    expires_in: 86_400,
  }),
};

function bot(number: number) {
  return {
    id: id(number),
    team_id: id(number),
    name: `Bot number ${number}`,
    role: 'support',
    description: 'Answers what customers ask about orders, deliveries and returns.',
    provider_id: `asst_${String(number).padStart(24, '0')}`,
    vector_id: null,
    instructions: 'Be brief and kind. Never promise a date that the customer did not get in writing.',
    temperature: 0.7,
    published: number % 3 > 0,
    allow_human: true,
    created_at: time,
    updated_at: time,
  };
}

const pages = new Map<string, Buffer>();

/** Returns a single team, bot or device status, or undefined for any other path. */
function single(path: string): Buffer | undefined {
  const [, noun, digits] = /^\/api\/openapi\/v1\/(teams|bots)\/[-0]+4000-8000-(\d{12})$/.exec(path) ?? [];
  const number = Number(digits);
  if (noun === 'teams') {
    const quotas = { bots: 3, accounts: 1, characters: 100_000, documents: 50, members: 5, credits: 100 };
    return envelope({ ...team(number), quotas, settings: {} });
  }
  const [, device] = /^\/api\/openapi\/v1\/devices\/([-0-9a-f]+)\/status$/.exec(path) ?? [];
  if (device !== undefined) {
    counted.readings += 1;
    return envelope({ ...deviceStatus, device_id: device });
  }
  if (noun !== 'bots') return undefined;
  const documents = [{ document_id: id(number), bot_id: id(number) }];
  const questions = [{ question: 'When are you open?', answer: 'From 8 to 18, every day.' }];
  return envelope({ ...bot(number), questions, actions: [], documents });
}

/** Returns a page of documents, one for each team. */
function pageOfDocuments(total: number, query: URLSearchParams): Buffer {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)];
  const begin = (page - 1) * limit;
  const rows = Array.from({ length: Math.max(Math.min(limit, total - begin), 0) }, (_, at) => ({
    ...document,
    id: id(begin + at),
    team_id: id(begin + at),
  }));
  return envelope(rows, { page, limit, total, totalPages: Math.max(1, Math.ceil(total / limit)) });
}

/** Returns a page of bots, which is created only once. */
function pageOfBots(total: number, query: URLSearchParams): Buffer {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)];
  const name = `${total} ${page} ${limit}`;
  const known = pages.get(name);
  if (known) return known;
  const begin = (page - 1) * limit;
  const bots = Array.from({ length: Math.max(Math.min(limit, total - begin), 0) }, (_, at) =>
    bot(begin + at),
  );
  const made = envelope({ bots, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } });
  pages.set(name, made);
  return made;
}

function envelope(data: unknown, meta?: unknown): Buffer {
  return Buffer.from(JSON.stringify({ success: true, data, meta }));
}

function bodyOf(call: string, total: number, query: URLSearchParams): Buffer | undefined {
  if (call === 'GET /api/bench/messages') return countedSoFar('messages');
  if (call === 'GET /api/bench/readings') return countedSoFar('readings');
  if (call === 'POST /api/openapi/v1/send') counted.messages += 1;
  if (call === 'GET /api/openapi/v1/bots') return pageOfBots(total, query);
  if (call === 'GET /api/openapi/v1/documents' && total > 0) return pageOfDocuments(total, query);
  // A team without quotas accepts every upload.
  if (total === 0 && call === `GET /api/openapi/v1/teams/${id(0)}`) return envelope(teams[0]);
  return answers[call] ?? (call.startsWith('GET ') ? single(call.slice(4)) : undefined);
}

/** The messages and status reads since each was last queried. */
const counted = { messages: 0, readings: 0 };

function countedSoFar(what: keyof typeof counted): Buffer {
  const answered = Buffer.from(JSON.stringify({ count: counted[what] }));
  counted[what] = 0;
  return answered;
}

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, total = '', path = ''] = /^(?:\/(\d+))?(\/api\/.*)$/.exec(pathname) ?? [];
  const body = bodyOf(`${method} ${path}`, Number(total), searchParams) ?? Buffer.alloc(0);
  response.writeHead(body.length > 0 ? 200 : 404, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
}

const server = createServer((request, response) => {
  request.on('end', () => answer(request, response));
  request.resume();
});
// Long enough that no connection closes during a case.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
