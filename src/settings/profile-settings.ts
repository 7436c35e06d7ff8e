import { isPublicDatabase } from '../lib/database-address.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { ValueError } from '../lib/parse.ts';
import { parseTime } from '../lib/time.ts';
import { isRegion } from '../phone-numbers/regions.ts';
import {
  largestPage,
  type PagingMember,
  pagingMembers,
  type QueryMember,
  queryMembers,
} from './list-query.ts';

/** The names that a service has for the members of a list's query, if they differ from botctl's own. */
export type QueryNames = Readonly<Partial<Record<QueryMember, string>>>;

/** The settings of a profile's service. */
export interface ProfileSettings {
  readonly queryNames?: QueryNames | undefined;
  /** Items per page, 1 to 100. */
  readonly pageSize?: number | undefined;
  /** The page size that `doctor --learn` stored; any other one was chosen by a person. */
  readonly learnedPageSize?: number | undefined;
  /** The members of paging that lists go without, since the service refuses every name that is known for them. */
  readonly unsent?: readonly PagingMember[] | undefined;
  /** The number of the first page where that is not 1. */
  readonly firstPage?: 0 | undefined;
  /** When `doctor --learn` last found out what the service calls its parameters: an ISO time. */
  readonly learnedAt?: string | undefined;
  /** Absolute path of a PEM file with certificates to trust. */
  readonly caFile?: string | undefined;
  /** Whatever changes or destroys then asks for the name of the profile. */
  readonly protected?: boolean | undefined;
  /** Two letters: phone numbers are read as people dial them there. */
  readonly region?: string | undefined;
  /** The style in which codes are drawn, if it isn't chosen by the terminal. */
  readonly qr?: string | undefined;
  /** The address of the database of campaigns and opt-outs, without a password. */
  readonly database?: string | undefined;
}

/** The contract's names of the members of a query. */
export const contractNames: Readonly<Record<QueryMember, string>> = {
  page: 'page',
  limit: 'limit',
  name: 'name',
  paying: 'paying',
  team: 'team_id',
  type: 'type',
};

/** The query names as the client takes them: by the contract's names. */
export function namesForClient(names: QueryNames = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    queryMembers.flatMap((member) => {
      const name = names[member];
      return name === undefined ? [] : [[contractNames[member], name]];
    }),
  );
}

/**
 * Checks that no two members of a query go by the same name.
 * @throws ValueError
 */
export function checkQueryNames(names: QueryNames): void {
  const taken = new Map<string, QueryMember>();
  for (const member of queryMembers) {
    const name = names[member] ?? contractNames[member];
    const other = taken.get(name);
    if (other !== undefined) throw new ValueError(`must not call both ${other} and ${member} "${name}"`);
    taken.set(name, member);
  }
}

/** True if a text can name a member of a query, such as `page` or `page[number]`. */
export function isQueryName(text: string): boolean {
  return /^[\w.[\]$~-]{1,64}$/.test(text);
}

/**
 * The settings in a profile of the config file.
 * @param label where the profile stands in the file
 * @throws ValueError that completes "The config file …"
 */
export function parseProfileSettings(raw: JsonObject, label: string): ProfileSettings {
  const { page_size: pageSize, ca_file: caFile, protected: isProtected, region, qr } = raw;
  const { first_page: firstPage, learned_at: learnedAt, learned_page_size: learnedPageSize, database } = raw;
  if (pageSize !== undefined && !isPageSize(pageSize))
    throw new ValueError(`must hold a whole number from 1 to ${largestPage} as ${label}.page_size`);
  if (learnedPageSize !== undefined && !isPageSize(learnedPageSize))
    throw new ValueError(`must hold a whole number from 1 to ${largestPage} as ${label}.learned_page_size`);
  if (firstPage !== undefined && firstPage !== 0)
    throw new ValueError(`must hold 0 as ${label}.first_page, or nothing`);
  if (learnedAt !== undefined && (typeof learnedAt !== 'string' || parseTime(learnedAt) === undefined))
    throw new ValueError(`must hold a time as ${label}.learned_at`);
  if (caFile !== undefined && (typeof caFile !== 'string' || caFile === ''))
    throw new ValueError(`must hold text as ${label}.ca_file`);
  if (isProtected !== undefined && typeof isProtected !== 'boolean')
    throw new ValueError(`must hold true or false as ${label}.protected`);
  if (region !== undefined && (typeof region !== 'string' || !isRegion(region)))
    throw new ValueError(`must hold a region of two letters, such as BR, as ${label}.region`);
  if (qr !== undefined && typeof qr !== 'string') throw new ValueError(`must hold text as ${label}.qr`);
  if (database !== undefined && (typeof database !== 'string' || !isPublicDatabase(database)))
    throw new ValueError(`must hold the address of a database, without a password, as ${label}.database`);
  return {
    queryNames: parseQueryNames(raw.query_names, `${label}.query_names`),
    pageSize,
    learnedPageSize,
    unsent: parseUnsent(raw.unsent, `${label}.unsent`),
    firstPage,
    learnedAt,
    caFile,
    protected: isProtected,
    region,
    qr,
    database,
  };
}

/** The settings as the config file holds them. One that is undefined has no member. */
export function storedSettings(settings: ProfileSettings): JsonObject {
  return {
    query_names: settings.queryNames,
    page_size: settings.pageSize,
    learned_page_size: settings.learnedPageSize,
    unsent: settings.unsent,
    first_page: settings.firstPage,
    learned_at: settings.learnedAt,
    ca_file: settings.caFile,
    protected: settings.protected,
    region: settings.region,
    qr: settings.qr,
    database: settings.database,
  };
}

function isPageSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largestPage;
}

function parseUnsent(value: unknown, label: string): readonly PagingMember[] | undefined {
  if (value === undefined) return undefined;
  const members = pagingMembers.filter((member) => Array.isArray(value) && value.includes(member));
  if (!Array.isArray(value) || members.length === 0 || members.length !== value.length)
    throw new ValueError(
      `must hold a list of ${pagingMembers.join(' and ')}, each once at most, as ${label}`,
    );
  return members;
}

function parseQueryNames(value: unknown, label: string): QueryNames | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new ValueError(`must hold an object as ${label}`);
  const names: Partial<Record<QueryMember, string>> = {};
  for (const [key, name] of Object.entries(value)) {
    const member = queryMembers.find((candidate) => candidate === key);
    if (member === undefined)
      throw new ValueError(`must hold no ${key} in ${label}, only ${queryMembers.join(', ')}`);
    if (typeof name !== 'string' || !isQueryName(name))
      throw new ValueError(`must hold the name of a query member as ${label}.${key}`);
    names[member] = name;
  }
  try {
    checkQueryNames(names);
  } catch (error) {
    throw error instanceof ValueError
      ? new ValueError(`is wrong at ${label}, which ${error.message}`)
      : error;
  }
  return names;
}
