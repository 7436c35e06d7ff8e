import * as z from 'zod/mini';
import { errorStatus } from '../../contract/envelope.ts';
import { memberNames } from '../../contract/known-path.ts';
import { isObject } from '../../lib/json-object.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import { ControlProblem } from '../control/problem.ts';
import { type Changed, type Exchange, queryOf } from '../http/exchange.ts';
import { jsonReply, type Reply } from '../http/reply.ts';

/** Bytes that a unit of size may stand for. */
const bytesIn = { bytes: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 };

const sizeUnits = ['bytes', 'kB', 'KiB', 'MB', 'MiB'] as const;

const memberName = z.string().check(z.minLength(1), z.maxLength(100));

/** What the specification leaves open, and a service may do otherwise than this one. What is not given stays as it is. */
export const behaviourRequest = z.strictObject({
  /** Puts everything back first. */
  reset: z.optional(z.boolean()),
  /** Answers as if no query were given, but for the page. */
  ignore_filters: z.optional(z.boolean()),
  /** Answers the first page, of the size of its own. */
  ignore_paging: z.optional(z.boolean()),
  /** Gives members of answers other names. */
  rename: z.optional(z.array(z.strictObject({ from: memberName, to: memberName }))),
  /** Adds members that nobody has heard of to each object in the data of an answer. */
  extra_members: z.optional(z.boolean()),
  unauthorized_status: z.optional(z.int().check(z.minimum(400), z.maximum(499))),
  /** Lets several teams have an administrator of one e-mail address. */
  shared_emails: z.optional(z.boolean()),
  /** In what documents show their size, as a whole number of them, rounded up. */
  size_unit: z.optional(z.enum(sizeUnits)),
});

export type BehaviourRequest = z.infer<typeof behaviourRequest>;

/** The choices that are in force. */
type Choices = Required<Omit<BehaviourRequest, 'reset'>>;

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

/** How a sandbox does what the specification leaves open, in memory: a restart forgets it. */
export class Behaviour {
  readonly #atFirst: Choices;
  readonly #shareEmails: (shared: boolean) => Promise<boolean>;
  #now: Choices;

  /**
   * @param sharedEmails whether teams may share an e-mail address at first
   * @param shareEmails lets them, or not; false if they may not, and do already
   */
  constructor(sharedEmails: boolean, shareEmails: (shared: boolean) => Promise<boolean>) {
    this.#atFirst = {
      ignore_filters: false,
      ignore_paging: false,
      rename: [],
      extra_members: false,
      unauthorized_status: errorStatus.UNAUTHORIZED,
      shared_emails: sharedEmails,
      size_unit: 'bytes',
    };
    this.#now = this.#atFirst;
    this.#shareEmails = shareEmails;
  }

  /** False if answers are as the sandbox gives them by itself. */
  get isChanged(): boolean {
    const { ignore_filters, ignore_paging, rename, extra_members, unauthorized_status, size_unit } =
      this.#now;
    const isOther = unauthorized_status !== errorStatus.UNAUTHORIZED || size_unit !== 'bytes';
    return ignore_filters || ignore_paging || rename.length > 0 || extra_members || isOther;
  }

  get choices(): Choices {
    return this.#now;
  }

  /**
   * Makes choices, all or none of them.
   * @throws ControlProblem for a name that no answer has, and if teams share an e-mail address that may not
   */
  async choose({ reset = false, rename = [], ...given }: BehaviourRequest): Promise<void> {
    const before = reset ? this.#atFirst : this.#now;
    for (const { from, to } of rename) checkRenaming(from, to);
    const renamed = new Set(rename.map(({ from }) => from));
    const renaming = [...before.rename.filter(({ from }) => !renamed.has(from)), ...rename];
    const next: Choices = {
      ignore_filters: given.ignore_filters ?? before.ignore_filters,
      ignore_paging: given.ignore_paging ?? before.ignore_paging,
      rename: renaming,
      extra_members: given.extra_members ?? before.extra_members,
      unauthorized_status: given.unauthorized_status ?? before.unauthorized_status,
      shared_emails: given.shared_emails ?? before.shared_emails,
      size_unit: given.size_unit ?? before.size_unit,
    };
    const isSettled =
      next.shared_emails === this.#now.shared_emails || (await this.#shareEmails(next.shared_emails));
    if (!isSettled) {
      const words = 'Teams share the e-mail address of an administrator, so that has to stay allowed.';
      const rest = command('sandbox', 'behave', '--reset', '--shared-emails');
      throw new ControlProblem(400, words, remark`Put the rest back: ${rest}`);
    }
    this.#now = next;
  }

  /** Serves a request by the choices. */
  async serve({ url }: Exchange, serve: (changed?: Changed) => Promise<Reply>): Promise<Reply> {
    const { ignore_filters, ignore_paging, rename, extra_members, unauthorized_status, size_unit } =
      this.#now;
    const query = queryOf(url);
    for (const name of [...query.keys()]) {
      if (pagingMembers.has(name) ? ignore_paging : ignore_filters) query.delete(name);
    }
    const reply = await serve({ query });
    if (rename.length === 0 && !extra_members && size_unit === 'bytes')
      return withStatus(reply, unauthorized_status);
    const names = new Map(rename.map(({ from, to }) => [from, to]));
    const envelope = withSizes(JSON.parse(reply.body.toString()), bytesIn[size_unit]);
    const body =
      extra_members && isObject(envelope) && envelope.success === true
        ? { ...envelope, data: extended(envelope.data) }
        : envelope;
    const { status, headers } = withStatus(reply, unauthorized_status);
    return { ...jsonReply(status, withNames(body, names)), headers };
  }
}

function checkRenaming(from: string, to: string): void {
  const known = memberNames();
  if (!known.has(from)) {
    const similar = mostSimilar(from, known);
    const hint = similar === undefined ? undefined : `Did you mean ${similar}?`;
    throw new ControlProblem(400, `No answer of the API has a member ${from}.`, hint);
  }
  if (known.has(to))
    throw new ControlProblem(400, `A member ${to} is there already, so ${from} can't be called that.`);
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
