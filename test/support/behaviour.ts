import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { errorStatus } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/lib/json-object.ts';
import { refuseIssues } from '../../src/sandbox/http/check.ts';
import { type Exchange, queryOf, type RequestChanges } from '../../src/sandbox/http/exchange.ts';
import { jsonReply, type Reply, refusal } from '../../src/sandbox/http/reply.ts';

/** The orders in which a service may list objects. */
export const listOrders = ['created_at', 'created_at:desc', 'name', 'name:desc'] as const;

/** Bytes in each unit of size. */
const bytesIn = { bytes: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 };

/** A name and its replacement. */
interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** The choices of a service where the specification leaves them open. */
export interface Behaviour {
  /** Responds as if the query had only paging parameters. */
  readonly ignore_filters: boolean;
  /** Always returns the first page, in the default size. */
  readonly ignore_paging: boolean;
  /** Renames members of responses at any depth. */
  readonly rename: readonly Renaming[];
  /** Omits the code of a device that waits for its scan. */
  readonly withhold_codes: boolean;
  /** Adds unknown members to each object in the data of a response. */
  readonly extra_members: boolean;
  readonly unauthorized_status: number;
  /** The unit of document sizes, which are rounded up. */
  readonly size_unit: keyof typeof bytesIn;
  /** Renames query parameters of lists. */
  readonly rename_query: readonly Renaming[];
  /** Ignores unknown query parameters instead of refusing them. */
  readonly ignore_unknown: boolean;
  /** The largest page, even if a call asks for more. */
  readonly max_limit: number;
  readonly first_page: 0 | 1;
  readonly order: (typeof listOrders)[number];
  /** Matches parts of names case-sensitively. */
  readonly case_sensitive: boolean;
}

/** The choices of the sandbox itself. */
const own: Behaviour = {
  ignore_filters: false,
  ignore_paging: false,
  rename: [],
  withhold_codes: false,
  extra_members: false,
  unauthorized_status: errorStatus.UNAUTHORIZED,
  size_unit: 'bytes',
  rename_query: [],
  ignore_unknown: false,
  max_limit: 100,
  first_page: 1,
  order: 'created_at',
  case_sensitive: false,
};

/** The query parameters of each paged list. */
const lists = {
  listTeams: Object.keys(endpoints.listTeams.query.shape),
  listBots: Object.keys(endpoints.listBots.query.shape),
  listDocuments: Object.keys(endpoints.listDocuments.query.shape),
} as const;

function isList(operation: EndpointName | undefined): operation is keyof typeof lists {
  return operation !== undefined && Object.hasOwn(lists, operation);
}

/** Members of an action that hold the user's own names, which no service renames. */
const usersOwn: ReadonlySet<string> = new Set(['headers']);

const pagingMembers: ReadonlySet<string> = new Set(['page', 'limit']);

/** A text, a number, null, a list and an object. */
const extraMembers = {
  extra_text: 'nobody knows',
  extra_number: 7,
  extra_nothing: null,
  extra_list: [1, 'two'],
  extra_object: { inner: true },
} as const;

type Serve = (changed?: RequestChanges) => Promise<Reply>;

/** Makes a sandbox respond as a service that makes other choices where the specification leaves them open. */
export class DifferingService {
  #now = own;

  /** Changes these choices; renamings are added to earlier ones. `reset` restores the defaults first. */
  choose({
    reset = false,
    rename = [],
    rename_query = [],
    ...given
  }: Partial<Behaviour> & { readonly reset?: boolean }): void {
    const before = reset ? own : this.#now;
    this.#now = {
      ...before,
      ...given,
      rename: [...before.rename, ...rename],
      rename_query: [...before.rename_query, ...rename_query],
    };
  }

  /** The sandbox's option `wrap`. */
  readonly wrap = async (exchange: Exchange, serve: Serve): Promise<Reply> => {
    const choices = this.#now;
    if (isDeepStrictEqual(choices, own)) return serve();
    const { query, unknown } = asked(exchange, choices);
    const served = await list(exchange.operation, query, choices, serve);
    // Authentication errors come before unknown parameters.
    const reply = served.status < 400 && unknown.length > 0 ? unknownNames(unknown) : served;
    const body = shown(JSON.parse(reply.body.toString()), choices);
    const { status, headers } = withStatus(reply, choices.unauthorized_status);
    return { ...jsonReply(status, body), headers };
  };
}

/** Translates a query to the contract's parameter names under these choices; also returns the unknown names. */
function asked(
  { url, operation }: Exchange,
  { ignore_filters, ignore_paging, ignore_unknown, rename_query, first_page, max_limit }: Behaviour,
): { readonly query: URLSearchParams; readonly unknown: readonly string[] } {
  const given = queryOf(url);
  if (!isList(operation)) return { query: given, unknown: [] };
  const theirs = new Map(rename_query.map(({ from, to }) => [from, to]));
  const ours = new Map(lists[operation].map((name) => [theirs.get(name) ?? name, name]));
  const query = new URLSearchParams();
  const unknown: string[] = [];
  for (const [name, value] of given) {
    const contractName = ours.get(name);
    if (contractName === undefined) unknown.push(name);
    else if (!(pagingMembers.has(contractName) ? ignore_paging : ignore_filters))
      query.append(contractName, value);
  }
  const page = query.get('page');
  if (page !== null && /^-?\d+$/.test(page)) query.set('page', String(Number(page) + 1 - first_page));
  const limit = query.get('limit') ?? '20';
  if (/^\d+$/.test(limit) && Number(limit) <= 100)
    query.set('limit', String(Math.min(Number(limit), max_limit)));
  return { query, unknown: ignore_filters || ignore_unknown ? [] : unknown };
}

function unknownNames(names: readonly string[]): Reply {
  const issues = names.map((path) => ({ path, message: 'is not known here' }));
  return refusal(refuseIssues(issues, 'query'));
}

/** Serves a list in the chosen order and case sensitivity, which the sandbox itself does not support. */
async function list(
  operation: EndpointName | undefined,
  query: URLSearchParams,
  { order, case_sensitive }: Behaviour,
  serve: Serve,
): Promise<Reply> {
  const reply = await serve({ query });
  const isOwn = order === 'created_at' && !(case_sensitive && query.has('name'));
  if (!isList(operation) || isOwn || reply.status !== 200) return reply;
  const all: Row[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const hundred = new URLSearchParams([...query].filter(([name]) => !pagingMembers.has(name)));
    hundred.set('page', String(page));
    hundred.set('limit', '100');
    const { rows, paging } = readList(await serve({ query: hundred }));
    all.push(...rows);
    pages = paging.totalPages;
  }
  const name = query.get('name') ?? '';
  const found = case_sensitive ? all.filter((row) => row.name.includes(name)) : all;
  if (order.startsWith('name')) found.sort((one, other) => (one.name < other.name ? -1 : 1));
  if (order.endsWith(':desc')) found.reverse();
  const { paging, withRows } = readList(reply);
  const { page, limit } = paging;
  const total = found.length;
  const body = withRows(found.slice((page - 1) * limit, page * limit), {
    ...{ page, limit, total, totalPages: Math.ceil(total / limit) },
  });
  return { ...jsonReply(200, body), headers: reply.headers };
}

const row = z.looseObject({ name: z.string() });
const paging = z.looseObject({ page: z.number(), limit: z.number(), totalPages: z.number() });
const besideData = z.looseObject({ data: z.array(row), meta: paging });
const insideData = z.looseObject({ data: z.looseObject({ pagination: paging }) });

type Row = z.infer<typeof row>;

interface List {
  readonly rows: readonly Row[];
  readonly paging: z.infer<typeof paging>;
  /** Returns the envelope with other rows. */
  withRows(rows: readonly Row[], paging: z.infer<typeof besideData>['meta']): unknown;
}

/** Reads a page of a list, whose paging is beside the data or inside it. */
function readList({ body }: Reply): List {
  const envelope: unknown = JSON.parse(body.toString());
  const { data: beside } = besideData.safeParse(envelope);
  if (beside) {
    const { data: rows, meta } = beside;
    return { rows, paging: meta, withRows: (data, other) => ({ ...beside, data, meta: other }) };
  }
  const inside = insideData.parse(envelope);
  const { pagination, ...members } = inside.data;
  const [name = '', rows] = Object.entries(members).find(([, value]) => Array.isArray(value)) ?? [];
  return {
    rows: z.array(row).parse(rows),
    paging: pagination,
    withRows: (data, other) => ({ ...inside, data: { ...members, [name]: data, pagination: other } }),
  };
}

/** Returns an envelope in the form in which a service with these choices returns it. */
function shown(
  envelope: unknown,
  { rename, extra_members, withhold_codes, size_unit, first_page }: Behaviour,
): unknown {
  const sized = withSizes(envelope, bytesIn[size_unit]);
  const counted = first_page === 1 ? sized : countedFrom(first_page, sized);
  const body =
    extra_members && isObject(counted) && counted.success === true
      ? { ...counted, data: extended(counted.data) }
      : counted;
  const names = new Map(rename.map(({ from, to }) => [from, to]));
  return withNames(withhold_codes ? withoutCode(body) : body, names);
}

function withoutCode(envelope: unknown): unknown {
  if (!isObject(envelope) || !isObject(envelope.data)) return envelope;
  const { qr_code: _, ...data } = envelope.data;
  return { ...envelope, data };
}

/** Changes the page number of an envelope to count from another first page. */
function countedFrom(first: number, envelope: unknown): unknown {
  if (!isObject(envelope)) return envelope;
  const renumbered = (paging: unknown): unknown =>
    isObject(paging) && typeof paging.page === 'number'
      ? { ...paging, page: paging.page - 1 + first }
      : paging;
  const { data, meta } = envelope;
  return {
    ...envelope,
    data:
      isObject(data) && 'pagination' in data ? { ...data, pagination: renumbered(data.pagination) } : data,
    ...(meta !== undefined && { meta: renumbered(meta) }),
  };
}

function withStatus(reply: Reply, unauthorized: number): Reply {
  if (reply.status !== errorStatus.UNAUTHORIZED || unauthorized === errorStatus.UNAUTHORIZED) return reply;
  // Only 401 has this header.
  const { 'www-authenticate': _, ...headers } = reply.headers;
  return { ...reply, status: unauthorized, headers };
}

function extended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extended);
  if (!isObject(value)) return value;
  return { ...mapped(value, (inner) => extended(inner)), ...extraMembers };
}

/** Converts the document sizes to another unit. */
function withSizes(value: unknown, unit: number): unknown {
  if (Array.isArray(value)) return value.map((element) => withSizes(element, unit));
  if (!isObject(value)) return value;
  const changed = mapped(value, (inner) => withSizes(inner, unit));
  return typeof changed.size === 'number' ? { ...changed, size: Math.ceil(changed.size / unit) } : changed;
}

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((element) => withNames(element, names));
  if (!isObject(value)) return value;
  return mapped(
    value,
    (inner) => withNames(inner, names),
    (name) => names.get(name) ?? name,
  );
}

function mapped(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
  rename: (name: string) => string = (name) => name,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [rename(name), usersOwn.has(name) ? value : change(value)]),
  );
}
