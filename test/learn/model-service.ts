import fc from 'fast-check';
import type { RawAnswer, RawRequest } from '../../src/client/raw-request.ts';
import { Failure } from '../../src/lib/errors.ts';

/** The choices of a service where the specification leaves them open, and its deviations from it. */
export interface Habits {
  readonly teams: number;
  readonly bots: number;
  readonly documents: number;
  readonly page: string;
  readonly limit: string;
  readonly name: string;
  readonly team: string;
  readonly paying: string;
  readonly type: string;
  readonly unknown: 'ignores' | 'refuses' | 'refuses in a success' | 'compares with members' | 'breaks';
  readonly defaultPage: number;
  readonly maxPage: number;
  readonly tooLong: 'cuts' | 'refuses' | 'takes the usual length';
  readonly total: 'true' | 'of the page' | 'none' | 'one more' | 'constant';
  readonly limitTold: 'real' | 'as asked' | 'none' | 'of the page';
  readonly beyond: 'empty' | 'last' | 'refuses';
  readonly firstPage: 0 | 1;
  readonly early: 'first' | 'refuses';
  readonly finds: 'parts' | 'beginnings' | 'wholes' | 'any word' | 'nothing';
  readonly ofCase: 'any' | 'own';
  readonly ofAccents: 'any' | 'own';
  /** Leaves out every 4th or 7th row of a list; 0 for none. */
  readonly hidden: 0 | 4 | 7;
  /** A parameter whose meaning differs from its name. */
  readonly decoy: {
    readonly name: string;
    readonly is: 'skips rows' | 'finds text' | 'breaks' | 'gives a file';
  };
  readonly paging: 'meta' | 'leaf' | 'direct';
  readonly stats: boolean;
  /** True if filters are accepted but have no effect. */
  readonly ignoresFilters: boolean;
  /** True if each answer has its rows in another order. */
  readonly reorders: boolean;
  /** True if each row is twice in a list. */
  readonly doubles: boolean;
  /** After this many requests a row is added or removed; undefined if rows do not change. */
  readonly change: { readonly after: number; readonly is: 'comes' | 'goes' | 'comes last' } | undefined;
}

/** A service as specified, with enough rows to detect its choices. */
export const specified: Habits = {
  ...{ teams: 24, bots: 9, documents: 8, page: 'page', limit: 'limit', name: 'name', team: 'team_id' },
  ...{
    paying: 'paying',
    type: 'type',
    unknown: 'refuses',
    defaultPage: 20,
    maxPage: 100,
    tooLong: 'refuses',
  },
  ...{ total: 'true', limitTold: 'real', beyond: 'empty', firstPage: 1, early: 'refuses', finds: 'parts' },
  ...{ ofCase: 'any', ofAccents: 'own', hidden: 0, decoy: { name: 'n', is: 'breaks' }, paging: 'meta' },
  ...{ stats: false, change: undefined, ignoresFilters: false, reorders: false, doubles: false },
};

const few = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 30 }));

/** Generates services with any of these choices. */
export const habits: fc.Arbitrary<Habits> = fc.record({
  teams: few,
  bots: few,
  documents: few,
  page: fc.constantFrom('page', 'pageNumber', 'p', 'seite'),
  limit: fc.constantFrom('limit', 'per_page', 'n', 'laenge'),
  name: fc.constantFrom('name', 'q', 'nombre'),
  team: fc.constantFrom('team_id', 'teamId', 'equipo'),
  paying: fc.constantFrom('paying', 'isPaying', 'paga'),
  type: fc.constantFrom('type', 'kind', 'tipo'),
  unknown: fc.constantFrom('ignores', 'refuses', 'refuses in a success', 'compares with members', 'breaks'),
  defaultPage: fc.integer({ min: 1, max: 25 }),
  maxPage: fc.constantFrom(1, 3, 10, 50, 100, 1000),
  tooLong: fc.constantFrom('cuts', 'refuses', 'takes the usual length'),
  total: fc.constantFrom('true', 'true', 'of the page', 'none', 'one more', 'constant'),
  limitTold: fc.constantFrom('real', 'real', 'as asked', 'none', 'of the page'),
  beyond: fc.constantFrom('empty', 'last', 'refuses'),
  firstPage: fc.constantFrom(0, 1),
  early: fc.constantFrom('first', 'refuses'),
  finds: fc.constantFrom('parts', 'beginnings', 'wholes', 'any word', 'nothing'),
  ofCase: fc.constantFrom('any', 'own'),
  ofAccents: fc.constantFrom('any', 'own'),
  hidden: fc.constantFrom(0, 0, 0, 4, 7),
  decoy: fc.record({
    name: fc.constantFrom('n', 'p', 'size', 'take', 'pg', 'format', 'kind', 'pageNo', 'count'),
    is: fc.constantFrom('skips rows', 'finds text', 'breaks', 'gives a file'),
  }),
  paging: fc.constantFrom('meta', 'leaf', 'direct'),
  stats: fc.boolean(),
  ignoresFilters: fc.constantFrom(false, false, false, true),
  reorders: fc.constantFrom(false, false, false, false, true),
  doubles: fc.constantFrom(false, false, false, false, true),
  change: fc.option(
    fc.record({
      after: fc.integer({ min: 2, max: 60 }),
      is: fc.constantFrom('comes', 'goes', 'comes last'),
    }),
    { nil: undefined, freq: 3 },
  ),
});

export interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
}

const words = ['Padaria', 'Café Ärzte', 'loja', 'Oficina São', 'Bar', 'MERCADO', 'Ateliê'];

const idOf = (kind: number, at: number): string =>
  `${kind}0000000-0000-4000-8000-${String(at * 7919).padStart(12, '0')}`;

function rowsOf({ teams, bots, documents }: Habits): Readonly<Record<string, Row[]>> {
  const rows = (kind: number, count: number, more: (at: number) => object): Row[] =>
    Array.from({ length: count }, (_, at) => ({
      id: idOf(kind, at),
      name: `${words[(at * 3) % words.length]}${at % 4 === 3 ? '' : ` ${at + 1}`}`,
      ...more(at),
      created_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
    }));
  return {
    teams: rows(1, teams, (at) => ({ paying: at % 3 === 0, plan_name: 'pro' })),
    bots: rows(2, bots, (at) => ({ team_id: idOf(1, at % 3), role: 'sales' })),
    documents: rows(3, documents, (at) => ({
      team_id: idOf(1, at % 2),
      type: at % 2 ? 'pdf' : 'txt',
      size: at,
    })),
  };
}

const base = '/api/openapi/v1/';

/** A service in memory that records its requests. */
export class ModelService {
  readonly baseUrl = 'http://127.0.0.1:1';
  /** The current rows of each list. */
  get rows(): Readonly<Record<string, readonly Row[]>> {
    return this.#rows;
  }
  readonly asked: string[] = [];
  readonly #habits: Habits;
  readonly #rows: Readonly<Record<string, Row[]>>;

  constructor(habits: Habits) {
    this.#habits = habits;
    this.#rows = rowsOf(habits);
  }

  request({ method, path }: RawRequest): Promise<RawAnswer> {
    if (method !== 'GET') throw new Error(`${method} ${path}`);
    this.asked.push(path);
    this.#change();
    return Promise.resolve(this.answer(path));
  }

  /** Returns the answer for a path. */
  answer(path: string): RawAnswer {
    const { pathname, searchParams } = new URL(path, this.baseUrl);
    const [kind = '', id] = pathname.slice(base.length).split('/');
    const rows = this.#rows[kind];
    if (!rows) return kind === 'api-keys' ? success([]) : refusal(404, 'NOT_FOUND', 'notFound');
    if (id === undefined) return this.#list(kind, rows, searchParams);
    const one = rows.find((row) => row.id === id);
    return one ? success(one) : refusal(404, 'NOT_FOUND', 'notFound');
  }

  #change(): void {
    const { change } = this.#habits;
    const { teams } = this.#rows;
    if (!change || !teams || this.asked.length !== change.after) return;
    const created_at = change.is === 'comes' ? '2025-01-01T00:00:00Z' : '2027-01-01T00:00:00Z';
    const row = { id: idOf(9, 9), name: 'Nova Padaria', paying: true, plan_name: 'pro', created_at };
    if (change.is === 'goes') teams.shift();
    else if (change.is === 'comes') teams.unshift(row);
    else teams.push(row);
  }

  #list(kind: string, all: readonly Row[], query: URLSearchParams): RawAnswer {
    const habits = this.#habits;
    const { page, limit, decoy, maxPage, defaultPage, firstPage } = habits;
    const known = new Map<string, string | undefined>([
      [page, 'page'],
      [limit, 'limit'],
      [habits.name, habits.finds === 'nothing' ? undefined : 'name'],
      ...(kind === 'teams' ? ([[habits.paying, 'paying']] as const) : ([[habits.team, 'team_id']] as const)),
      ...(kind === 'documents' ? ([[habits.type, 'type']] as const) : []),
    ]);
    let rows = habits.doubles ? all.flatMap((row) => [row, row]) : all;
    // Each answer starts at another part of the list.
    const turned = this.asked.length % Math.max(rows.length, 1);
    if (habits.reorders) rows = [...rows.slice(turned), ...rows.slice(0, turned)];
    let skipped = 0;
    for (const [name, value] of query) {
      const column = known.get(name);
      if (column === 'page' || column === 'limit') continue;
      if (column !== undefined && habits.ignoresFilters) continue;
      if (name === decoy.name && !known.has(name)) {
        if (decoy.is === 'breaks') return broken();
        if (decoy.is === 'gives a file') return file();
        if (decoy.is === 'skips rows') skipped = Number(value) || 0;
        if (decoy.is === 'finds text') rows = rows.filter((row) => `${row.id} ${row.name}`.includes(value));
      } else if (column === 'name') rows = rows.filter((row) => this.#finds(row.name, value));
      else if (column !== undefined) rows = rows.filter((row) => String(row[column]) === value);
      else if (habits.unknown === 'refuses') return refusal(400, 'BAD_REQUEST', 'rejected');
      else if (habits.unknown === 'refuses in a success') return refusal(200, 'BAD_REQUEST', 'rejected');
      else if (habits.unknown === 'breaks') return broken();
      else if (habits.unknown === 'compares with members')
        rows = rows.filter((row) => String(row[name]) === value);
    }
    const usual = Math.min(defaultPage, maxPage);
    const isOdd = [page, limit].some((one) => query.has(one) && !/^-?\d+$/.test(query.get(one) ?? ''));
    if (isOdd && habits.early === 'refuses') return refusal(400, 'BAD_REQUEST', 'rejected');
    const asked = query.has(limit) ? Number(query.get(limit)) : usual;
    if (asked > maxPage && habits.tooLong === 'refuses') return refusal(400, 'BAD_REQUEST', 'rejected');
    const size = asked <= maxPage ? asked : habits.tooLong === 'cuts' ? maxPage : usual;
    const pages = Math.max(Math.ceil(rows.length / size), 1);
    let number = (query.has(page) ? Number(query.get(page)) : firstPage) - firstPage + 1;
    if (number < 1 && habits.early === 'refuses') return refusal(400, 'BAD_REQUEST', 'rejected');
    number = Math.max(number, 1);
    if (number > pages && habits.beyond === 'refuses') return refusal(400, 'BAD_REQUEST', 'rejected');
    if (number > pages && habits.beyond === 'last') number = pages;
    const start = (number - 1) * size + skipped;
    const onPage = rows
      .slice(start, start + size)
      .filter((row) => habits.hidden === 0 || all.indexOf(row) % habits.hidden !== habits.hidden - 1);
    const totals = {
      true: rows.length,
      'of the page': onPage.length,
      none: undefined,
      'one more': rows.length + 1,
      constant: 1000,
    };
    const limits = { real: size, 'as asked': asked, none: undefined, 'of the page': onPage.length };
    const numbers = {
      page: number - 1 + firstPage,
      limit: limits[habits.limitTold],
      total: totals[habits.total],
    };
    const stats = habits.stats ? { stats: { active: 2, total: 3, ended: 1 } } : {};
    if (habits.paging === 'leaf')
      return success({
        ...stats,
        [kind]: onPage,
        folha: { pagina: numbers.page, tamanho: size, soma: rows.length },
      });
    if (habits.paging === 'direct') return success(onPage, { ...stats, ...numbers });
    return success(onPage, { ...stats, meta: numbers });
  }

  #finds(name: string, asked: string): boolean {
    const { finds, ofCase, ofAccents } = this.#habits;
    const plain = (text: string): string => {
      const bare = ofAccents === 'any' ? text.normalize('NFD').replace(/\p{M}/gu, '') : text.normalize('NFC');
      return ofCase === 'any' ? bare.toLowerCase() : bare;
    };
    const [whole, part] = [plain(name), plain(asked)];
    if (finds === 'parts') return whole.includes(part);
    if (finds === 'beginnings') return whole.startsWith(part);
    if (finds === 'wholes') return whole === part;
    return part.split(' ').some((word) => whole.split(' ').includes(word));
  }
}

function answerOf(status: number, body: string, failure?: Failure): RawAnswer {
  const bytes = Buffer.from(body);
  return { status, headers: [['date', 'now']], bytes, data: undefined, failure, settled: false };
}

function success(data: unknown, more: object = {}): RawAnswer {
  return answerOf(200, JSON.stringify({ success: true, data, ...more }));
}

function refusal(status: number, code: string, kind: 'rejected' | 'notFound'): RawAnswer {
  const body = JSON.stringify({ success: false, error: 'No.', code });
  return answerOf(status, body, new Failure(kind, 'No.', { status }));
}

function broken(): RawAnswer {
  return answerOf(500, '{}', new Failure('network', 'It failed.', { status: 500 }));
}

function file(): RawAnswer {
  return answerOf(200, 'a;b\n');
}
