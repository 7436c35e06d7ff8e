import { refusal, type Scripted, startScriptedServer, success } from '../../support/scripted-server.ts';

// A scripted server refuses or ignores one of several filters, returns no totals, and has hundreds of teams at once:
// the sandbox ignores all filters or none, always returns totals, and would create the teams again for each test.

type Team = Readonly<Record<string, unknown>>;

/** Choices in which a service's `GET /teams` differs from the sandbox's. */
export interface Behaviour {
  /** Query names that it filters by; an unknown one is ignored, or refused with `refusesUnknown`. */
  readonly knows?: readonly ('name' | 'paying')[];
  readonly refusesUnknown?: boolean;
  /** Whether it refuses the list for any query. */
  readonly refusesAll?: boolean;
  /** Whether its `meta` contains the totals. */
  readonly tellsTotals?: boolean;
}

/** A service that only lists teams. */
export interface ListService {
  /** The environment that signs botctl in to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The queries of the list, in the order of arrival. */
  readonly queries: URLSearchParams[];
}

/** Returns a team for a list service; its id is derived from `number`. */
export function team(number: number, members: Team = {}): Team {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return { id, name: `Team ${number}`, paying: true, ...members };
}

/** Starts a service on a free port; it stops with the test. */
export async function listService(teams: readonly Team[], behaviour: Behaviour = {}): Promise<ListService> {
  const queries: URLSearchParams[] = [];
  const server = await startScriptedServer();
  server.on('GET /api/openapi/v1/teams', ({ path }) => {
    const query = new URL(path, server.url).searchParams;
    queries.push(query);
    return list(teams, query, behaviour);
  });
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'a-key',
    BOTCTL_KEY_SECRET: 'the secret of a key',
  };
  return { env, queries };
}

function list(teams: readonly Team[], query: URLSearchParams, behaviour: Behaviour): Scripted {
  const { knows = ['name', 'paying'], tellsTotals = true } = behaviour;
  const known = new Set<string>(['page', 'limit', ...knows]);
  const unknown = [...query.keys()].find((name) => !known.has(name));
  if (behaviour.refusesAll || (behaviour.refusesUnknown && unknown !== undefined)) {
    return refusal(400, 'BAD_REQUEST', `refused: ${unknown ?? 'all'}`);
  }
  const name = known.has('name') ? (query.get('name') ?? '') : '';
  const paying = known.has('paying') ? query.get('paying') : null;
  const found = teams.filter(
    (one) =>
      String(one.name).toLowerCase().includes(name.toLowerCase()) &&
      (paying === null || String(one.paying) === paying),
  );
  const page = Number(query.get('page') ?? 1);
  const limit = Number(query.get('limit') ?? 20);
  const totals = tellsTotals ? { total: found.length, totalPages: Math.ceil(found.length / limit) } : {};
  return success(found.slice((page - 1) * limit, page * limit), { page, limit, ...totals });
}
