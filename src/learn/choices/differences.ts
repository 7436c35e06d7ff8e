import type { MemberCheck } from '../../contract/member-checks.ts';
import type { Schema } from '../../contract/schema.ts';
import { isId } from '../../lib/ids.ts';
import { isObject, type JsonObject, own } from '../../lib/json-object.ts';
import { counted } from '../../lib/text/numbers.ts';
import { parseTime } from '../../lib/time.ts';
import { type Choice, known, type Outcome, shownName, unknown } from '../choice.ts';
import { type ListName, readFirst, unread } from '../lists.ts';
import type { Heard, Reading } from '../reading.ts';

/** A thing of the API in the forms in which answers show it. */
interface Resource {
  readonly noun: string;
  /** Reads rows of a list, and one thing by itself, if there is one. @throws Stopped */
  read(service: Reading): Promise<Forms>;
}

interface Forms {
  /** What the list was answered. */
  readonly list: Heard;
  /** Rows, with the schema of each. */
  readonly forms: readonly (readonly [schema: Schema, rows: readonly JsonObject[]])[];
}

/** A member that is otherwise than specified, with an example that says nothing of whose it is. */
interface Odd {
  readonly member: string;
  readonly example: string;
}

interface Differences {
  readonly unknown: readonly Odd[];
  readonly missing: readonly string[];
  readonly otherwise: readonly Odd[];
}

const resources: readonly Resource[] = [
  {
    noun: 'teams',
    read: async (service) => {
      const { team, teamDetail } = await import('../../contract/teams.ts');
      return pagedForms(service, 'listTeams', team, teamDetail);
    },
  },
  {
    noun: 'bots',
    read: async (service) => {
      const { bot, botDetail } = await import('../../contract/bots.ts');
      return pagedForms(service, 'listBots', bot, botDetail);
    },
  },
  {
    noun: 'documents',
    read: async (service) => {
      const { specifiedDocument: document } = await import('../../contract/documents.ts');
      return pagedForms(service, 'listDocuments', document, document);
    },
  },
  {
    noun: 'API keys',
    read: async (service) => {
      const { key } = await import('../../contract/keys.ts');
      const list = await service.get('/api/openapi/v1/api-keys');
      return { list, forms: [[key, Array.isArray(list.data) ? list.data.filter(isObject) : []]] };
    },
  },
];

async function pagedForms(service: Reading, name: ListName, row: Schema, detail: Schema): Promise<Forms> {
  const { list, one } = await readFirst(service, name);
  return {
    list,
    forms: [
      [row, list.rows],
      [detail, one?.outcome === 'answered' && isObject(one.data) ? [one.data] : []],
    ],
  };
}

/** For each resource: how its answers differ from the specification. */
export const answerChoices: readonly Choice[] = resources.map(({ noun, read }) => ({
  name: `members of ${noun}`,
  specification: 'Resources and their fields',
  section: 'members',
  async learn(service) {
    const { list, forms } = await read(service);
    const failed = unread(noun, list);
    if (failed) return failed;
    if (forms.every(([, rows]) => rows.length === 0))
      return unknown(`There are no ${noun} to read.`, `Some ${noun} that this key may read.`);
    return differencesIn(forms);
  },
}));

/** Returns how rows differ from their schemas. */
export async function differencesIn(forms: Forms['forms']): Promise<Outcome> {
  const { memberChecks } = await import('../../contract/member-checks.ts');
  const differences = mergedDifferences(forms.map(([schema, rows]) => [memberChecks(schema), rows]));
  const count = forms.reduce((sum, [, rows]) => sum + rows.length, 0);
  return known(wordsOf(differences), differences, `Of ${counted(count, 'answer')}, each member.`);
}

/** Rows, with what the contract says of their members. */
type Checked = readonly (readonly [members: ReadonlyMap<string, MemberCheck>, rows: readonly JsonObject[]])[];

function mergedDifferences(forms: Checked): Differences {
  const unknownOnes = new Map<string, string>();
  const otherwise = new Map<string, string>();
  const missing = new Set<string>();
  const compare = (members: Checked[number][0], rows: readonly JsonObject[], prefix: string): void => {
    if (rows.length === 0) return;
    for (const [name, check] of members) {
      const present = rows.filter((row) => Object.hasOwn(row, name));
      // A member that may be left out is missing in no answer.
      if (present.length === 0 && !check.accepts(undefined)) missing.add(prefix + name);
      const values = present.map((row) => own(row, name));
      // What is odd in an object is told of its members.
      const isOpen = (value: unknown): value is JsonObject => check.members.size > 0 && isObject(value);
      const odd = values.find((value) => !isOpen(value) && !check.accepts(value));
      if (odd !== undefined) otherwise.set(prefix + name, exampleOf(odd, check));
      compare(check.members, values.filter(isOpen), `${prefix}${name}.`);
    }
    for (const row of rows)
      for (const [name, value] of Object.entries(row))
        if (!members.has(name)) unknownOnes.set(prefix + shownName(name), exampleOf(value));
  };
  for (const [members, rows] of forms) compare(members, rows, '');
  const listed = (odd: ReadonlyMap<string, string>): Odd[] =>
    [...odd].map(([member, example]) => ({ member, example })).sort((a, b) => (a.member < b.member ? -1 : 1));
  return { unknown: listed(unknownOnes), missing: [...missing].sort(), otherwise: listed(otherwise) };
}

function wordsOf({ unknown: more, missing, otherwise }: Differences): string {
  const odd = (some: readonly Odd[]): string =>
    some.map(({ member, example }) => `${member} (${example})`).join(', ');
  const parts = [
    more.length > 0 && `more: ${odd(more)}`,
    missing.length > 0 && `missing: ${missing.join(', ')}`,
    otherwise.length > 0 && `of another kind or value: ${odd(otherwise)}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'as specified' : parts.join('; ');
}

/** Returns what a value looks like, without what it says; of an enumeration the word itself, which is nobody's. */
function exampleOf(value: unknown, check?: MemberCheck): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `a ${typeof value}`;
  if (check?.isEnumeration && isWordOfPrograms(value)) return `"${value}"`;
  if (isId(value)) return 'a UUID';
  if (parseTime(value) !== undefined) return 'a time';
  const masked = value
    .slice(0, 24)
    .replace(/\p{L}/gu, 'x')
    .replace(/\p{N}/gu, '9')
    .replace(/[^x9 ._@:/-]/g, '·');
  return `text such as ${masked}`;
}

/** True for a word as enumerations have them. One that is written as names are may be somebody's. */
function isWordOfPrograms(text: string): boolean {
  return shownName(text) === text && (text === text.toLowerCase() || text === text.toUpperCase());
}
