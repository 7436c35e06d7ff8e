import { isPasswordlessAddress } from '../lib/database-address.ts';
import { inputFailure } from '../lib/errors.ts';
import { isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { parseTime } from '../lib/time.ts';
import { isRegion } from '../phone-numbers/regions.ts';
import {
  largestPage,
  type PagingMember,
  pagingMembers,
  type QueryMember,
  queryMembers,
} from './list-query.ts';

/** The service's names of list parameters, if they differ from the contract's. */
export type QueryNames = Readonly<Partial<Record<QueryMember, string>>>;

/** The settings of a profile's service. */
export interface ProfileSettings {
  readonly queryNames?: QueryNames | undefined;
  /** Items per page, 1 to 100. */
  readonly pageSize?: number | undefined;
  /** The page size that `doctor --learn` stored; any other one was set by the user. */
  readonly learnedPageSize?: number | undefined;
  /** The paging parameters that are not sent, because the service refuses every known name for them. */
  readonly unsent?: readonly PagingMember[] | undefined;
  /** The number of the first page, if it is not 1. */
  readonly firstPage?: 0 | undefined;
  /** Time at which `doctor --learn` last detected the parameter names, in ISO format. */
  readonly learnedAt?: string | undefined;
  /** Absolute path of a PEM file with certificates to trust. */
  readonly caFile?: string | undefined;
  /** If true, commands that change or delete data ask the user to type the profile's name. */
  readonly protected?: boolean | undefined;
  /** Two-letter country code: phone numbers are parsed as dialled there. */
  readonly region?: string | undefined;
  /** The style in which QR codes are drawn; chosen by the terminal if not set. */
  readonly qr?: string | undefined;
  /** The address of the database for campaigns and opt-outs, without a password. */
  readonly database?: string | undefined;
  /** The address of the database for the desk (shared devices and their history), without a password. */
  readonly deskDatabase?: string | undefined;
  /** The name of the person using this profile, as shown to colleagues at a desk. It is not verified. */
  readonly operator?: string | undefined;
}

/** The contract's names of list parameters. */
export const contractNames: Readonly<Record<QueryMember, string>> = {
  page: 'page',
  limit: 'limit',
  name: 'name',
  paying: 'paying',
  team: 'team_id',
  type: 'type',
};

/** Returns the parameter names by the contract's names, as the client expects them. */
export function namesForClient(names: QueryNames = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    queryMembers.flatMap((member) => {
      const name = names[member];
      return name === undefined ? [] : [[contractNames[member], name]];
    }),
  );
}

/**
 * Checks that no two parameters have the same name.
 * @throws ValueError
 */
export function checkQueryNames(names: QueryNames): void {
  const taken = new Map<string, QueryMember>();
  for (const member of queryMembers) {
    const name = names[member] ?? contractNames[member];
    const other = taken.get(name);
    if (other !== undefined)
      throw new ValueError(`must not use the name "${name}" for both ${other} and ${member}`);
    taken.set(name, member);
  }
}

/**
 * Returns the names to store: later ones replace earlier ones, and names equal to the contract's are omitted.
 * @throws Failure `invalidInput` if two parameters would have the same name
 */
export function mergedNames(earlier: QueryNames = {}, later: QueryNames): QueryNames | undefined {
  const all = { ...earlier, ...later };
  const members = queryMembers.filter(
    (member) => all[member] !== undefined && all[member] !== contractNames[member],
  );
  const names: QueryNames = Object.fromEntries(members.map((member) => [member, all[member]]));
  try {
    checkQueryNames(names);
  } catch (error) {
    throw error instanceof ValueError ? inputFailure([`A profile ${error.message}.`]) : error;
  }
  return members.length > 0 ? names : undefined;
}

/** Describes how lists are requested, for the settings that differ from the defaults or from earlier settings. */
export function listWords(settings: ProfileSettings, earlier: ProfileSettings = {}): readonly string[] {
  const [own, before] = [allListWords({}), allListWords(earlier)];
  return allListWords(settings)
    .filter((words) => !own.includes(words) || !before.includes(words))
    .map((words) => (own.includes(words) ? `${words} again` : words));
}

function allListWords(settings: ProfileSettings): readonly string[] {
  const { queryNames = {}, pageSize = largestPage, firstPage = 1, unsent = [] } = settings;
  const sent = queryMembers.filter((member) => !unsent.some((one) => one === member));
  return [
    ...sent.map((member) => `${member} is called ${queryNames[member] ?? contractNames[member]}`),
    ...(unsent.length > 0 ? [`${unsent.join(' and ')} not sent`] : []),
    `${pluralize(pageSize, 'row')} per page`,
    ...(sent.includes('page') ? [`first page ${firstPage}`] : []),
  ];
}

/** Returns whether a text can be a parameter name, such as `page` or `page[number]`. */
export function isQueryName(text: string): boolean {
  return /^[\w.[\]$~-]{1,64}$/.test(text);
}

/** Maximum characters in the name of an operator. */
const longestOperator = 64;

const operatorForm = `1 to ${longestOperator} characters without control characters`;
const databaseForm = 'the address of a database, without a password,';

/**
 * Returns whether a text can be the name of an operator: not blank, and without characters that would garble a line
 * shown to colleagues or that PostgreSQL can't store.
 */
function isOperatorName(text: string): boolean {
  const isClean = !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text);
  return isClean && text.trim() !== '' && [...text].length <= longestOperator;
}

/** Parses the name of an operator, without surrounding white space. */
export const operatorName: Parse<string> = (raw) => {
  const name = raw.trim();
  if (!isOperatorName(name)) throw new ValueError(`must be ${operatorForm}`);
  return name;
};

/**
 * Parses the settings in a profile of the config file.
 * @param label path of the profile in the file
 * @throws ValueError that completes "The config file …"
 */
export function parseProfileSettings(raw: JsonObject, label: string): ProfileSettings {
  const read = <T>(name: string, isValid: (value: unknown) => value is T, form: string): T | undefined => {
    const value = ownMember(raw, name);
    if (value === undefined || isValid(value)) return value;
    throw new ValueError(`must have ${form} in ${label}.${name}`);
  };
  const text = (name: string, form: string, isValid: (text: string) => boolean): string | undefined =>
    read(name, (value): value is string => typeof value === 'string' && isValid(value), form);
  const pageSize = `a whole number from 1 to ${largestPage}`;
  return {
    queryNames: parseQueryNames(raw.query_names, `${label}.query_names`),
    pageSize: read('page_size', isPageSize, pageSize),
    learnedPageSize: read('learned_page_size', isPageSize, pageSize),
    unsent: read('unsent', isUnsent, `a list of ${pagingMembers.join(' and ')}, each once at most,`),
    firstPage: read('first_page', (value) => value === 0, '0, or nothing,'),
    learnedAt: text('learned_at', 'a time', (time) => parseTime(time) !== undefined),
    caFile: text('ca_file', 'text', (path) => path !== ''),
    protected: read('protected', (value) => typeof value === 'boolean', 'true or false'),
    region: text('region', 'a region of two letters, such as BR,', isRegion),
    qr: text('qr', 'text', () => true),
    database: text('database', databaseForm, isPasswordlessAddress),
    deskDatabase: text('desk_database', databaseForm, isPasswordlessAddress),
    operator: text('operator', operatorForm, isOperatorName),
  };
}

/** Returns the settings as stored in the config file. Undefined ones are omitted. */
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
    desk_database: settings.deskDatabase,
    operator: settings.operator,
  };
}

function isPageSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largestPage;
}

function isUnsent(value: unknown): value is readonly PagingMember[] {
  const isMember = (one: unknown): boolean => pagingMembers.some((member) => member === one);
  return (
    Array.isArray(value) && value.length > 0 && value.every(isMember) && new Set(value).size === value.length
  );
}

function parseQueryNames(value: unknown, label: string): QueryNames | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new ValueError(`must have an object in ${label}`);
  const names: Partial<Record<QueryMember, string>> = {};
  for (const [key, name] of Object.entries(value)) {
    const member = queryMembers.find((candidate) => candidate === key);
    if (member === undefined)
      throw new ValueError(`must not have ${key} in ${label}, only ${queryMembers.join(', ')}`);
    if (typeof name !== 'string' || !isQueryName(name))
      throw new ValueError(`must have the name of a query parameter in ${label}.${key}`);
    names[member] = name;
  }
  try {
    checkQueryNames(names);
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`is invalid: ${label} ${error.message}`) : error;
  }
  return names;
}
