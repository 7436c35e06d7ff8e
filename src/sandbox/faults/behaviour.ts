import { isDeepStrictEqual } from 'node:util';
import type { EndpointName } from '../../contract/endpoints.ts';
import { errorStatus } from '../../contract/envelope.ts';
import { memberNames } from '../../contract/known-path.ts';
import { inputFailure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import type { ControlRequest } from '../control/calls.ts';
import { type Changed, type Exchange, queryOf } from '../http/exchange.ts';
import { jsonReply, type Reply, refusal } from '../http/reply.ts';
import { SandboxProblem } from '../problem.ts';
import { type ListChoices, ownLists } from '../service.ts';
import {
  checkQueryNames,
  isList,
  type KnownQuery,
  knownQuery,
  mergedRenamings,
  type Renaming,
  refuseNames,
} from './query-names.ts';

/** Bytes that a unit of size may stand for. */
const bytesIn = { bytes: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 };

type BehaviourRequest = ControlRequest<'/behave'>;

/** The choices that are in force. */
type Choices = Omit<Required<Omit<BehaviourRequest, 'reset'>>, 'rename' | 'rename_query'> &
  ListChoices & {
    readonly rename: readonly Renaming[];
    readonly rename_query: readonly Renaming[];
  };

/** Members of an action that hold what a user wrote: names that are nobody's to change. */
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

/** Whether teams may share e-mail addresses, which is in the database: other instances may serve it. */
interface SharedEmails {
  isShared(): Promise<boolean>;
  /** Lets them, or not. Returns false if they may not, and do already. */
  share(shared: boolean): Promise<boolean>;
}

/** The sandbox's own behaviour. */
const own: Choices = {
  ignore_filters: false,
  ignore_paging: false,
  rename: [],
  extra_members: false,
  unauthorized_status: errorStatus.UNAUTHORIZED,
  shared_emails: false,
  size_unit: 'bytes',
  rename_query: [],
  ignore_unknown: false,
  first_page: 1,
  ...ownLists,
};

/** How a sandbox does what the specification leaves open, in memory but for shared e-mails: a restart forgets it. */
export class Behaviour {
  readonly #atFirst: Choices;
  readonly #emails: SharedEmails;
  #now: Choices;

  /**
   * @param sharedEmails whether teams may share an e-mail address at first
   */
  constructor(sharedEmails: boolean, emails: SharedEmails) {
    this.#atFirst = { ...own, shared_emails: sharedEmails };
    this.#now = this.#atFirst;
    this.#emails = emails;
  }

  /** True if `serve` has anything to change. Lists and the store apply the other choices themselves. */
  get isChanged(): boolean {
    return !isDeepStrictEqual({ ...this.#now, ...ownLists, shared_emails: own.shared_emails }, own);
  }

  get choices(): Choices {
    return this.#now;
  }

  /**
   * Makes choices, all or none of them.
   * @throws Failure `invalidInput` for a name that no answer has, and if teams share an e-mail address that may not
   */
  async choose({ reset = false, rename = [], rename_query = [], ...given }: BehaviourRequest): Promise<void> {
    const before = reset ? this.#atFirst : this.#now;
    for (const { from, to } of rename) checkRenaming(from, to);
    const queryNames = mergedRenamings(before.rename_query, rename_query);
    checkQueryNames(queryNames);
    const shared = given.shared_emails ?? (reset ? this.#atFirst.shared_emails : undefined);
    const next: Choices = {
      ...before,
      ...given,
      rename: mergedRenamings(before.rename, rename),
      rename_query: queryNames,
      shared_emails: shared ?? (await this.#emails.isShared()),
    };
    if (shared !== undefined && !(await this.#emails.share(shared))) {
      const words = 'Teams share the e-mail address of an administrator, so that has to stay allowed.';
      throw new SandboxProblem(words, { code: 'sharedEmailsInUse' });
    }
    this.#now = next;
  }

  /** Serves a request by the choices. */
  async serve({ url, operation }: Exchange, serve: (changed?: Changed) => Promise<Reply>): Promise<Reply> {
    const choices = this.#now;
    const { rename, extra_members, unauthorized_status, size_unit, first_page } = choices;
    const { query, unknown } = this.#asked(queryOf(url), operation);
    const served = await serve({ query });
    // Who may not ask at all is told that first.
    const reply = served.status < 400 && unknown.length > 0 ? refusal(refuseNames(unknown)) : served;
    if (rename.length === 0 && !extra_members && size_unit === 'bytes' && first_page === 1)
      return withStatus(reply, unauthorized_status);
    const names = new Map(rename.map(({ from, to }) => [from, to]));
    const sized = withSizes(JSON.parse(reply.body.toString()), bytesIn[size_unit]);
    const envelope = first_page === 1 ? sized : countedFrom(first_page, sized);
    const body =
      extra_members && isObject(envelope) && envelope.success === true
        ? { ...envelope, data: extended(envelope.data) }
        : envelope;
    const { status, headers } = withStatus(reply, unauthorized_status);
    return { ...jsonReply(status, withNames(body, names)), headers };
  }

  /** Reads a query as the choices want it, for a sandbox that does as it does by itself. */
  #asked(asked: URLSearchParams, operation: EndpointName | undefined): KnownQuery {
    const { ignore_filters, ignore_paging, ignore_unknown, rename_query, first_page } = this.#now;
    const { query, unknown } = knownQuery(asked, operation, rename_query);
    for (const name of [...query.keys()]) {
      if (pagingMembers.has(name) ? ignore_paging : ignore_filters) query.delete(name);
    }
    const page = isList(operation) ? query.get('page') : null;
    if (page !== null && /^-?\d+$/.test(page)) query.set('page', String(Number(page) + 1 - first_page));
    return { query, unknown: ignore_filters || ignore_unknown ? [] : unknown };
  }
}

/** Shows the number of a page as one of those that are counted from another one. */
function countedFrom(first: number, envelope: unknown): unknown {
  if (!isObject(envelope)) return envelope;
  const shown = (paging: unknown): unknown =>
    isObject(paging) && typeof paging.page === 'number'
      ? { ...paging, page: paging.page - 1 + first }
      : paging;
  const { data, meta } = envelope;
  return {
    ...envelope,
    data: isObject(data) && 'pagination' in data ? { ...data, pagination: shown(data.pagination) } : data,
    ...(meta !== undefined && { meta: shown(meta) }),
  };
}

function checkRenaming(from: string, to: string): void {
  const known = memberNames();
  if (!known.has(from)) {
    const hint = didYouMean(mostSimilar(from, known));
    throw inputFailure([`No answer of the API has a member ${from}.`], hint);
  }
  if (known.has(to))
    throw inputFailure([`A member ${to} is there already, so ${from} can't be called that.`]);
}

function withStatus(reply: Reply, unauthorized: number): Reply {
  if (reply.status !== errorStatus.UNAUTHORIZED || unauthorized === errorStatus.UNAUTHORIZED) return reply;
  // The header belongs to 401 alone.
  const { 'www-authenticate': _, ...headers } = reply.headers;
  return { ...reply, status: unauthorized, headers };
}

function extended(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extended);
  if (!isObject(value)) return value;
  return { ...mapped(value, (inner) => extended(inner)), ...extraMembers };
}

/** Shows sizes of documents in another unit. */
function withSizes(value: unknown, unit: number): unknown {
  if (Array.isArray(value)) return value.map((element) => withSizes(element, unit));
  if (!isObject(value)) return value;
  const shown = mapped(value, (inner) => withSizes(inner, unit));
  return typeof shown.size === 'number' ? { ...shown, size: Math.ceil(shown.size / unit) } : shown;
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
