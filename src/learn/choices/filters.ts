import { isObject, type JsonObject, own } from '../../lib/json-object.ts';
import { fold } from '../../lib/text/compare.ts';
import { counted } from '../../lib/text/numbers.ts';
import type { QueryMember } from '../../settings/list-query.ts';
import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import {
  areSame,
  brokenAt,
  candidatesFor,
  isSame,
  type ListName,
  lists,
  type Sample,
  sampleOf,
  unread,
} from '../lists.ts';
import type { HeardList, Reading } from '../reading.ts';

/** A filter of a list, as the specification describes it. */
interface FilterKind {
  readonly member: QueryMember;
  /** The member of a row that it goes by. */
  readonly column: string;
  readonly specification: string;
  readonly candidates: readonly string[];
  /** What the rows must be for it to be told. */
  readonly remedy: string;
  /** True for a value that may be asked for. */
  isValue(value: unknown): value is string | boolean;
  /** True if a row with this value belongs to the answer. */
  holds(shown: unknown, wanted: string | boolean): boolean;
}

const names: Omit<FilterKind, 'candidates' | 'remedy'> = {
  member: 'name',
  column: 'name',
  specification: 'partial match; its name is not shown',
  // Nothing that a service may take for a pattern, and something to turn the case of.
  isValue: (value): value is string =>
    typeof value === 'string' && /^[\p{L}\p{M}\p{N} .-]{3,60}$/u.test(value) && /[a-z]/i.test(value),
  holds: (shown, wanted) => typeof shown === 'string' && fold(shown).includes(fold(String(wanted))),
};

const sameText = {
  isValue: (value: unknown): value is string => typeof value === 'string' && value !== '',
  holds: (shown: unknown, wanted: string | boolean) => shown === wanted,
};

function nameOf(noun: string, others: readonly string[]): FilterKind {
  const general = ['name', 'q', 'search', 'query', 'filter[name]', 'term', 'keyword', 'title'];
  return {
    ...names,
    candidates: [...general, `${noun}_name`, `${noun}Name`, ...others],
    remedy: `A ${noun} of another name.`,
  };
}

function teamOf(noun: string): FilterKind {
  return {
    ...sameText,
    member: 'team',
    column: 'team_id',
    specification: 'by the id of the team; its name is not shown',
    candidates: ['team_id', 'teamId', 'team', 'filter[team_id]', 'tenant_id', 'tenantId', 'tenant'],
    remedy: `A ${noun} in another team.`,
  };
}

const paying: FilterKind = {
  member: 'paying',
  column: 'paying',
  specification: 'by payment status; its name is not shown',
  candidates: [
    'paying',
    'is_paying',
    'isPaying',
    'filter[paying]',
    'paid',
    'payment_status',
    'paymentStatus',
  ],
  remedy: 'A team that pays and one that does not.',
  isValue: (value) => typeof value === 'boolean',
  holds: (shown, wanted) => shown === wanted,
};

const type: FilterKind = {
  ...sameText,
  member: 'type',
  column: 'type',
  specification: 'pdf, txt, docx, doc; its name is not shown',
  candidates: [
    'type',
    'kind',
    'file_type',
    'fileType',
    'filter[type]',
    'document_type',
    'extension',
    'format',
  ],
  remedy: 'A document of another type.',
};

/** The filters of each list (specification, Teams, Bots and Documents). */
const filters: readonly (readonly [list: ListName, kind: FilterKind])[] = [
  ['listTeams', nameOf('team', [])],
  ['listTeams', paying],
  ['listBots', teamOf('bot')],
  ['listBots', nameOf('bot', [])],
  ['listDocuments', teamOf('document')],
  ['listDocuments', nameOf('document', ['filename', 'file_name'])],
  ['listDocuments', type],
];

/** A choice for the filter of each list: what it is called and, of names, what it finds. */
export const filterChoices: readonly Choice[] = filters.map(([list, kind]) => ({
  name: choiceName(list, kind.member),
  specification: kind.specification,
  section: 'names',
  learn: (service) => learnFilter(service, list, kind),
}));

/** The filters of the lists, by the member of the query that each is. */
export const filtersByMember: readonly { readonly member: QueryMember; readonly choice: string }[] =
  filters.map(([list, { member }]) => ({ member, choice: choiceName(list, member) }));

function choiceName(list: ListName, member: QueryMember): string {
  return `filter of ${lists[list]} by ${member}`;
}

/** What is asked of a list, and with what. */
interface Trial {
  readonly list: ListName;
  readonly kind: FilterKind;
  readonly sample: Sample;
  /** A row that is there, and its value. */
  readonly row: JsonObject;
  readonly value: string | boolean;
}

async function learnFilter(service: Reading, list: ListName, kind: FilterKind): Promise<Outcome> {
  const noun = lists[list];
  const sample = await sampleOf(service, list);
  const failed = unread(noun, sample.heard);
  if (failed) return failed;
  const { rows, listing } = sample.heard;
  if (!listing)
    return unknown(`The answer holds no list of ${noun}.`, 'A list in one of the specified envelopes.');
  const trial = trialOf(list, kind, sample);
  if (!trial)
    return unknown(
      rows.length === 0
        ? `There are no ${noun}.`
        : rows.length === 1
          ? `Of the ${noun} there is one, which any filter may find.`
          : `No ${kind.column} that may be asked for tells some of the ${counted(rows.length, 'row')} from others.`,
      kind.remedy,
    );
  const tried = candidatesFor(service.queryNames[kind.member], [
    ...learned(service, kind),
    ...kind.candidates,
  ]);
  let refused = 0;
  const broken: string[] = [];
  for (const candidate of tried) {
    const heard = await ask(service, trial, candidate, trial.value);
    if (heard.outcome === 'refused') refused += 1;
    if (heard.outcome === 'failed') broken.push(candidate);
    if (heard.rows.length === 0 || !heard.rows.every((row) => kind.holds(own(row, kind.column), trial.value)))
      continue;
    const how = `${candidate} with the ${kind.column} of a row gave ${counted(heard.rows.length, 'row')}, each with that ${kind.column}; without it others come too.`;
    const match = kind.member === 'name' ? await matchOf(service, trial, candidate) : undefined;
    // That something was not found tells nothing of a row that went meanwhile.
    const again = await service.list(list, sample.asked, choiceName(list, kind.member));
    if (!areSame(again, sample.heard))
      return unknown(`Some ${noun} came or went while ${candidate} was tried.`, 'Another try.');
    if (!match) return known(candidate, { name: candidate }, how);
    return known(`${candidate}: ${wordsOf(match)}`, { name: candidate, ...match }, how);
  }
  const which = refused === tried.length ? 'each' : refused === 0 ? 'none' : `${refused}`;
  return unknown(
    `None of ${tried.join(', ')} finds by ${kind.column}; the service refuses ${which} of them${brokenAt(broken)}.`,
    `Its name, from who runs the service, for --query-name ${kind.member}=WORD.`,
  );
}

/** Names that the same filter of another list has. */
function learned(service: Reading, { member }: FilterKind): readonly string[] {
  return filtersByMember
    .filter((other) => other.member === member)
    .flatMap(({ choice }) => nameIn(service.found(choice)) ?? []);
}

/** Returns the name of a parameter in the value of a filter's choice, or undefined if there is none. */
export function nameIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.name === 'string' ? value.name : undefined;
}

/** Returns a row whose value other rows don't have, so that a filter by it shows; undefined if there is none. */
function trialOf(list: ListName, kind: FilterKind, sample: Sample): Trial | undefined {
  const { rows } = sample.heard;
  for (const row of rows) {
    const value = own(row, kind.column);
    if (kind.isValue(value) && rows.some((other) => tells(other, kind, value)))
      return { list, kind, sample, row, value };
  }
  return undefined;
}

/** True for a row that has a value, and another one. */
function tells(row: JsonObject, { column, isValue, holds }: FilterKind, value: string | boolean): boolean {
  const shown = own(row, column);
  return (isValue(shown) || typeof shown === 'string') && !holds(shown, value);
}

function ask(
  service: Reading,
  { list, sample }: Pick<Trial, 'list' | 'sample'>,
  candidate: string,
  value: string | boolean,
): Promise<HeardList> {
  return service.list(list, { ...sample.asked, [candidate]: value });
}

/** What a filter by name finds. Null is what could not be told. */
interface Match {
  readonly part: 'any' | 'beginning' | 'none' | null;
  readonly case: 'any' | 'own' | null;
  readonly accents: 'any' | 'own' | null;
}

async function matchOf(service: Reading, trial: Trial, candidate: string): Promise<Match> {
  return {
    part: await partOf(service, trial, candidate),
    case: await caseOf(service, trial, candidate),
    accents: await accentsOf(service, trial, candidate),
  };
}

function wordsOf({ part, case: ofCase, accents }: Match): string {
  const parts = {
    any: 'any part of it',
    beginning: 'its beginning, or that of its words',
    none: 'the whole of it, or whole words',
  };
  const said = [
    part === null ? undefined : parts[part],
    ofCase === null ? undefined : ofCase === 'any' ? 'any case' : 'its own case',
    accents === null ? undefined : accents === 'any' ? 'with or without accents' : 'accents as they are',
  ];
  return said.filter((one) => one !== undefined).join(', ') || 'what it finds is not known';
}

/** The first word of a name, of letters that are written in one way only. */
const firstWord = /^[a-z]{6,}(?![\p{L}\p{M}\p{N}_])/iu;

/** Asks for parts that begin or end inside a word: an index of whole words finds others too. */
async function partOf(service: Reading, trial: Trial, candidate: string): Promise<Match['part']> {
  const words = trial.sample.heard.rows.map((row) => firstWord.exec(nameOfRow(row))?.[0]);
  const word = words.find((one) => one !== undefined);
  if (word === undefined) return null;
  // Where a word begins with it, an index of words finds it too.
  const inner = await finds(
    service,
    trial,
    candidate,
    word.slice(1, -1),
    (name, part) => name.includes(part) && !wordsIn(name).some((one) => one.startsWith(part)),
  );
  if (inner !== false) return inner ? 'any' : null;
  // So few letters that they are no form of the word.
  const beginning = await finds(
    service,
    trial,
    candidate,
    word.slice(0, 4),
    (name, part) => name.startsWith(part) && !wordsIn(name).includes(part),
  );
  return beginning === undefined ? null : beginning ? 'beginning' : 'none';
}

function wordsIn(name: string): readonly string[] {
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
}

/** Whether a part finds names: undefined where the answer doesn't tell. */
async function finds(
  service: Reading,
  trial: Trial,
  candidate: string,
  part: string,
  shows: (name: string, part: string) => boolean,
): Promise<boolean | undefined> {
  const { outcome, listing, rows } = await ask(service, trial, candidate, part);
  if (outcome !== 'answered' || !listing) return undefined;
  if (rows.some((row) => shows(fold(nameOfRow(row)), fold(part)))) return true;
  return rows.length === 0 ? false : undefined;
}

function nameOfRow(row: JsonObject): string {
  const name = own(row, 'name');
  return typeof name === 'string' ? name : '';
}

async function caseOf(service: Reading, trial: Trial, candidate: string): Promise<Match['case']> {
  const turned = String(trial.value).replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return findsOther(service, trial, candidate, turned);
}

async function accentsOf(service: Reading, trial: Trial, candidate: string): Promise<Match['accents']> {
  const { kind, sample } = trial;
  for (const row of sample.heard.rows) {
    const name = own(row, kind.column);
    if (!kind.isValue(name)) continue;
    const bare = String(name).normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
    if (bare !== String(name).normalize('NFC'))
      return findsOther(service, { ...trial, row, value: name }, candidate, bare);
  }
  return null;
}

/** Whether a name is found by another writing of it. */
async function findsOther(
  service: Reading,
  trial: Trial,
  candidate: string,
  written: string,
): Promise<'any' | 'own' | null> {
  const { outcome, rows } = await ask(service, trial, candidate, written);
  if (outcome !== 'answered') return null;
  if (rows.some((row) => isSame(row, trial.row)))
    return (await findsByRest(service, trial, candidate, written)) ? null : 'any';
  return rows.every((row) => String(own(row, 'name')).includes(written)) ? 'own' : null;
}

/** Whether a name is found by the words that another writing leaves as they are, as where any word of several is enough. */
async function findsByRest(
  service: Reading,
  trial: Trial,
  candidate: string,
  written: string,
): Promise<boolean> {
  const same = new Set(wordsIn(nameOfRow(trial.row).normalize('NFC')));
  const rest = written.replace(/[\p{L}\p{M}\p{N}]+/gu, (word) => (same.has(word) ? word : nobodysWord));
  if (!wordsIn(rest).some((word) => same.has(word))) return false;
  const { outcome, rows } = await ask(service, trial, candidate, rest);
  return outcome !== 'answered' || rows.some((row) => isSame(row, trial.row));
}

/** A word that no name has. */
const nobodysWord = 'qzxwvk';
