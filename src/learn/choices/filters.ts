import { isObject, ownMember } from '../../lib/json-object.ts';
import { fold } from '../../lib/text/compare.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import type { QueryMember } from '../../settings/list-query.ts';
import { type Choice, knownOutcome, type Outcome, unknownOutcome } from '../choice.ts';
import type { ListReader, ReadResult } from '../list-reader.ts';
import {
  brokenAt,
  candidatesFor,
  containsRow,
  haveSameRows,
  isSteady,
  type ListName,
  lists,
  type Sample,
  sampleOf,
  unreadOutcome,
} from '../lists.ts';

/** A filter of a list, as the specification describes it. */
interface FilterKind {
  readonly member: QueryMember;
  /** The member of a row that the filter compares. */
  readonly column: string;
  readonly specification: string;
  readonly candidates: readonly string[];
  /** The additional rows needed to determine it. */
  readonly others: string;
  /** Returns true for a value that can be used to test the filter. */
  isValue(value: unknown): value is string | boolean;
  /** Returns true if a filter by `wanted` should return a row with this value. */
  holds(shown: unknown, wanted: string | boolean): boolean;
}

const isSame = (shown: unknown, wanted: string | boolean): boolean => shown === wanted;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const name: FilterKind = {
  member: 'name',
  column: 'name',
  specification: 'partial match, name not specified',
  candidates: ['name', 'q', 'search', 'query', 'filter[name]', 'term', 'keyword', 'title'],
  others: 'with a different name',
  // Excludes characters that a service may treat as a pattern.
  isValue: (value): value is string => isText(value) && /^[\p{L}\p{M}\p{N} .-]{3,60}$/u.test(value),
  holds: (shown, wanted) => typeof shown === 'string' && fold(shown).includes(fold(String(wanted))),
};

const team: FilterKind = {
  member: 'team',
  column: 'team_id',
  specification: 'by team id, name not specified',
  candidates: ['team_id', 'teamId', 'team', 'filter[team_id]', 'tenant_id', 'tenantId', 'tenant'],
  others: 'in another team',
  isValue: isText,
  holds: isSame,
};

const paying: FilterKind = {
  member: 'paying',
  column: 'paying',
  specification: 'by payment status, name not specified',
  candidates: [
    ...['paying', 'is_paying', 'isPaying', 'filter[paying]', 'paid', 'payment_status', 'paymentStatus'],
  ],
  others: 'with a different payment status',
  isValue: (value) => typeof value === 'boolean',
  holds: isSame,
};

const type: FilterKind = {
  member: 'type',
  column: 'type',
  specification: 'pdf, txt, docx, doc, name not specified',
  candidates: [
    ...['type', 'kind', 'file_type', 'fileType', 'filter[type]', 'document_type', 'extension', 'format'],
  ],
  others: 'of a different type',
  isValue: isText,
  holds: isSame,
};

function nameOr(...more: readonly string[]): FilterKind {
  return { ...name, candidates: [...name.candidates, ...more] };
}

/** The filters of each list (specification, Teams, Bots and Documents). */
const filters: readonly (readonly [list: ListName, kind: FilterKind])[] = [
  ['listTeams', nameOr('team_name', 'teamName')],
  ['listTeams', paying],
  ['listBots', team],
  ['listBots', nameOr('bot_name', 'botName')],
  ['listDocuments', team],
  ['listDocuments', nameOr('document_name', 'documentName', 'filename', 'file_name')],
  ['listDocuments', type],
];

/** A choice for each filter of each list: its name. */
export const filterChoices: readonly Choice[] = filters.map(([list, kind]) => ({
  name: choiceName(list, kind.member),
  specification: kind.specification,
  learn: (service) => learnFilter(service, list, kind),
}));

/** The choices by the query member of their filter. */
export const filtersByMember: readonly { readonly member: QueryMember; readonly choice: string }[] =
  filters.map(([list, { member }]) => ({ member, choice: choiceName(list, member) }));

function choiceName(list: ListName, member: QueryMember): string {
  return `filter of ${lists[list]} by ${member}`;
}

/** A value to filter a list by, and the page of the list without the filter. */
interface Trial {
  readonly list: ListName;
  readonly kind: FilterKind;
  readonly sample: Sample;
  readonly value: string | boolean;
}

async function learnFilter(service: ListReader, list: ListName, kind: FilterKind): Promise<Outcome> {
  const noun = lists[list];
  const sample = await sampleOf(service, list);
  const failed = unreadOutcome(noun, sample.result);
  if (failed) return failed;
  const { rows, listing } = sample.result;
  if (!listing)
    return unknownOutcome(
      `The response has no list of ${noun}.`,
      'A list in one of the specified envelopes.',
    );
  // If the order changes, every response is another part of the list, which looks like the effect of a filter.
  if (!(await isSteady(service, list, sample, 'order')))
    return unknownOutcome(`The order of the ${noun} changes, or some were added or deleted.`, 'Try again.');
  const trial = trialOf(list, kind, sample);
  if (!trial)
    return unknownOutcome(
      rows.length === 0
        ? `There are no ${noun}.`
        : rows.length === 1
          ? `There is only one row of ${noun}, which every filter may match.`
          : `The ${pluralize(rows.length, 'row')} can't be told apart by ${kind.column}.`,
      `More ${noun} ${kind.others}.`,
    );
  const tried = candidatesFor(service.settings.queryNames?.[kind.member], [
    ...learnedNames(service, kind),
    ...kind.candidates,
  ]);
  let refused = 0;
  const broken: string[] = [];
  const partial: string[] = [];
  for (const candidate of tried) {
    const heard = await ask(service, trial, candidate, trial.value);
    if (heard.outcome === 'refused') refused += 1;
    if (heard.outcome === 'failed') broken.push(candidate);
    if (!isFiltered(heard, trial)) continue;
    // A row deleted meanwhile isn't found either.
    const missesParts = kind.member === 'name' && !(await findsParts(service, trial, candidate));
    const again = await service.list(list, sample.query, choiceName(list, kind.member));
    if (!haveSameRows(again, sample.result))
      return unknownOutcome(`Some ${noun} were added or deleted while ${candidate} was tried.`, 'Try again.');
    if (missesParts || !hasAll(heard, trial)) {
      partial.push(candidate);
      continue;
    }
    return knownOutcome(
      candidate,
      { name: candidate },
      `${candidate} with the ${kind.column} of a row gave ${pluralize(heard.rows.length, 'row')}, each with that ${kind.column}. Without it there are other rows too.`,
    );
  }
  if (partial.length > 0)
    return unknownOutcome(
      `It is not certain that ${partial.join(' or ')} finds all ${noun}${kind.member === 'name' ? ', also by a part of the name' : ''}.`,
      `Ask the operator of the service. If it does: --query-name ${kind.member}=${partial[0]}.`,
    );
  const which = refused === tried.length ? 'all' : refused === 0 ? 'none' : `${refused}`;
  return unknownOutcome(
    `None of ${tried.join(', ')} filters by ${kind.column}. The service refuses ${which} of them${brokenAt(broken)}.`,
    `Ask the operator of the service for the name, then use --query-name ${kind.member}=WORD.`,
  );
}

/** Returns the names found for the same filter on other lists. */
function learnedNames(service: ListReader, { member }: FilterKind): readonly string[] {
  return filtersByMember
    .filter((other) => other.member === member)
    .flatMap(({ choice }) => nameIn(service.found(choice)) ?? []);
}

/** Returns the parameter name in the value of a choice, or undefined if there is none. */
export function nameIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.name === 'string' ? value.name : undefined;
}

/** Returns a value that only some rows have, so that a filter by it has an effect; undefined if there is none. */
function trialOf(list: ListName, kind: FilterKind, sample: Sample): Trial | undefined {
  const { rows } = sample.result;
  const values = rows.map((row) => ownMember(row, kind.column));
  const value = values.find(
    (one): one is string | boolean =>
      kind.isValue(one) &&
      values.some((other) => (kind.isValue(other) || typeof other === 'string') && !kind.holds(other, one)),
  );
  return value === undefined ? undefined : { list, kind, sample, value };
}

function ask(
  service: ListReader,
  { list, sample }: Pick<Trial, 'list' | 'sample'>,
  candidate: string,
  value: string | boolean,
): Promise<ReadResult> {
  return service.list(list, { ...sample.query, [candidate]: value });
}

/** Returns true if a response has rows, and each of them has the value. */
function isFiltered({ rows }: ReadResult, { kind, value }: Trial): boolean {
  return rows.length > 0 && rows.every((row) => kind.holds(ownMember(row, kind.column), value));
}

/** Returns true if a response has each row of the sample whose value contains the requested text exactly. */
function hasAll(heard: ReadResult, { kind, sample, value }: Trial): boolean {
  return sample.result.rows.every((row) => {
    const shown = ownMember(row, kind.column);
    const isMeant = kind.member === 'name' ? textIn(shown).includes(String(value)) : shown === value;
    return !isMeant || containsRow(row, heard);
  });
}

/** Matches a word of unaccented letters, which has a single spelling. */
const plainWord = /(?<![\p{L}\p{M}\p{N}_])[a-z]{5,}(?![\p{L}\p{M}\p{N}_])/iu;

/**
 * Returns true if a filter matches letters inside a word. Searching lists by name requires that: a filter that only
 * matches whole words or prefixes would omit rows.
 */
async function findsParts(service: ListReader, trial: Trial, candidate: string): Promise<boolean> {
  const names = trial.sample.result.rows.map((row) => textIn(ownMember(row, 'name')));
  const part = names
    .map((name) => plainWord.exec(name)?.[0])
    .find((word) => word !== undefined)
    ?.slice(1, -1);
  if (part === undefined) return false;
  const { rows } = await ask(service, trial, candidate, part);
  // A full-text index also finds a word that begins with the part, so such a match proves nothing.
  return rows.some((row) => {
    const name = fold(textIn(ownMember(row, 'name')));
    return name.includes(fold(part)) && !wordsIn(name).some((word) => word.startsWith(fold(part)));
  });
}

function wordsIn(name: string): readonly string[] {
  return name.split(/[^\p{L}\p{M}\p{N}]+/u);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
