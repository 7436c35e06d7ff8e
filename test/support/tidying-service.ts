import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Scripted, type SeenRequest, startScriptedServer, success } from './scripted-server.ts';

// Scripted servers normalize names, redirect, and omit times, which the sandbox never does.

/** How a create loses its answer: before or after its effect; `killed`: the client process ends before the answer. */
export type Loss = 'before' | 'after' | 'half' | 'redirect' | 'error' | 'killed before' | 'killed after';

export interface TidyingOptions {
  /** Normalizes a name that is stored. */
  readonly tidy: (name: string) => string;
  /** The losses of successive creates; later answers arrive. */
  readonly losses: readonly (Loss | 'none')[];
  /** The format in which rows show their creation time. */
  readonly times?: 'iso' | 'none' | 'without zone';
}

export type TidyingService = Awaited<ReturnType<typeof startTidyingService>>;

type Row = Record<string, unknown> & { readonly id: string };
type Noun = 'teams' | 'bots' | 'documents' | 'devices' | 'api-keys';

/**
 * Starts a service that normalizes the names it stores, and can lose the answers to creates. It stops with the test.
 */
export async function startTidyingService({ tidy, losses, times = 'iso' }: TidyingOptions) {
  const server = await startScriptedServer();
  const left = [...losses];
  let kill = (): void => undefined;
  const stored: Record<Noun, Row[]> = { teams: [], bots: [], documents: [], devices: [], 'api-keys': [] };

  const created = (): Record<string, unknown> => {
    const iso = new Date().toISOString();
    return times === 'none' ? {} : { created_at: times === 'iso' ? iso : iso.slice(0, -1) };
  };

  const make = (noun: Noun, { name, ...given }: Record<string, unknown>): Row => {
    const id = randomUUID();
    const row = { id, ...given, ...created(), name: tidy(String(name)) };
    stored[noun].push(row);
    return row;
  };

  const creates: Readonly<Record<Noun, (request: SeenRequest) => unknown>> = {
    teams: ({ body }) => {
      const { team, user } = JSON.parse(String(body));
      return { team: make('teams', team), user: { id: randomUUID(), ...user } };
    },
    bots: ({ body }) => make('bots', { published: false, ...JSON.parse(String(body)) }),
    documents: ({ body }) => make('documents', formIn(body)),
    devices: ({ body }) => make('devices', { status: 'stopped', token: 't', ...JSON.parse(String(body)) }),
    'api-keys': ({ body }) => {
      const row = make('api-keys', { is_active: true, ...JSON.parse(String(body)) });
      return { ...row, key_id: row.id, key_secret: `secret-of-${row.id}` };
    },
  };

  const list = (noun: Noun, query: URLSearchParams): Scripted => {
    const [name, team] = [query.get('name')?.toLowerCase() ?? '', query.get('team_id')];
    const rows = stored[noun].filter(
      (row) => String(row.name).toLowerCase().includes(name) && (team === null || row.team_id === team),
    );
    const shown = query.get('page') === '1' ? rows : [];
    const paging = { page: Number(query.get('page')), limit: 100, total: rows.length, totalPages: 1 };
    if (noun === 'api-keys') return success(stored[noun].map(asKey));
    return noun === 'bots' ? success({ bots: shown, pagination: paging }) : success(shown, paging);
  };

  const answer = (request: SeenRequest, response: ServerResponse): Scripted | undefined => {
    const { pathname, searchParams } = new URL(request.path, server.url);
    const [noun = '', id] = pathname.replace('/api/openapi/v1/', '').split('/');
    if (!isNoun(noun, stored)) return { status: 404, body: 'no such path' };
    if (request.method === 'GET' && id === undefined) return list(noun, searchParams);
    if (id !== undefined) {
      const row = stored[noun].find((one) => one.id === id);
      if (!row) return { status: 404, body: { success: false, error: 'none', code: 'NOT_FOUND' } };
      if (request.method === 'DELETE') {
        stored[noun].splice(stored[noun].indexOf(row), 1);
        return { status: 204 };
      }
      if (request.method === 'PATCH') {
        const { name = row.name, ...changes } = JSON.parse(String(request.body));
        Object.assign(row, changes, { name: tidy(String(name)) });
        return success(noun === 'teams' ? { team: row, changes: [] } : row, { changes: [] });
      }
      return success(noun === 'api-keys' ? asKey(row) : row);
    }
    const loss = left.shift() ?? 'none';
    if (loss === 'before') response.socket?.resetAndDestroy();
    if (loss === 'error') return { status: 500, body: 'sorry' };
    if (loss === 'killed before') kill();
    if (loss === 'before' || loss === 'killed before') return undefined;
    const data = creates[noun](request);
    if (loss === 'none') return success(data);
    if (loss === 'redirect') return { status: 302, headers: { location: pathname } };
    if (loss === 'half') response.writeHead(200, { 'content-length': '1000' }).write('{"success":');
    if (loss === 'killed after') kill();
    else response.socket?.resetAndDestroy();
    return undefined;
  };

  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) server.on(`${method} *`, answer);
  return {
    url: server.url,
    env: {
      ...{ BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'key-1', BOTCTL_KEY_SECRET: 'the-secret-of-key-1' },
    },
    stored,
    /** Stores an object as another client would. */
    make,
    /** Sets the function that ends the client. */
    onKill: (killing: () => void) => {
      kill = killing;
    },
  };
}

function isNoun(word: string, stored: Record<Noun, unknown>): word is Noun {
  return Object.hasOwn(stored, word);
}

function asKey({ id, ...row }: Row): Record<string, unknown> {
  return { ...row, key_id: id };
}

/** Returns the fields of a document's form. */
function formIn(body: Buffer): Record<string, unknown> {
  const text = body.toString('utf8');
  const field = (name: string): string =>
    new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(text)?.[1] ?? '';
  const [, name = '', content = ''] =
    /filename="([^"]*)"[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*?)\r\n--/.exec(text) ?? [];
  return {
    name,
    ...{ team_id: field('team_id'), chars: Number(field('chars')), type: 'txt' },
    size: Buffer.byteLength(content),
  };
}
