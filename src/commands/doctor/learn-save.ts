import { isDeepStrictEqual } from 'node:util';
import { confirm } from '../../cli/confirm.ts';
import type { Context } from '../../cli/context.ts';
import { learnLine } from '../../client/words/list-failure.ts';
import type { Finding } from '../../learn/choice.ts';
import { filtersByMember, nameIn } from '../../learn/choices/filters.ts';
import { listQueryIn, listQueryName } from '../../learn/choices/list-query.ts';
import { firstPageName, largestPageName, pageNumberName, pageSizeName } from '../../learn/lists.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { ValueError } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { largestPage, pagingMembers, type QueryMember, queryMembers } from '../../settings/list-query.ts';
import {
  checkQueryNames,
  contractNames,
  type ProfileSettings,
  type QueryNames,
  storedSettings,
} from '../../settings/profile-settings.ts';
import type { Identity } from '../../settings/settings.ts';

/**
 * Checks that the findings could be stored in the end.
 * @throws Failure without a profile, for another address than the profile's, or if no question can be asked
 */
export function checkSaving({ prompts, options, settings }: Context, identity: Identity): void {
  const { profile, baseUrl } = identity;
  if (profile === undefined)
    throw new Failure(
      'usage',
      'What is learned is stored in a profile, and the key is from the environment.',
      {
        hint: remark`Make one with ${command('login')}, or leave --save out.`,
      },
    );
  const own = settings.profiles.get(profile)?.baseUrl;
  if (own !== undefined && own !== baseUrl)
    throw new Failure('usage', `Profile ${profile} is of ${own}, and this would be learned of ${baseUrl}.`, {
      hint: remark`Leave --save out, or give that address a profile: ${command('login', '--profile', placeholder('NAME'), '--base-url', baseUrl)}`,
    });
  if (options.yes || prompts.available) return;
  throw new Failure('notConfirmed', 'Not confirmed: what is learned is stored in the profile.', {
    hint: 'Answer ahead with --yes, since nobody can be asked here.',
  });
}

/** The findings of a run. */
export interface Learned {
  readonly found: ReadonlyMap<string, Finding>;
  /** Begin of the run: milliseconds since 1970. */
  readonly since: number;
  /** False if the run ended before it had asked for everything. */
  readonly isWhole: boolean;
}

/**
 * Stores the findings in the profile, after a question.
 * @throws Failure `declined` if the answer is no, and as `Profiles.configure`
 */
export async function saveLearned(
  context: Context,
  { profile = '', settings = {} }: Identity,
  learned: Learned,
): Promise<undefined> {
  const { terminal } = context;
  if (!isEnough(learned)) {
    terminal.note(
      learned.isWhole
        ? 'Nothing is stored: nothing was found that lists can be asked with.'
        : 'Nothing is stored: the run ended before it knew what lists call page and page size.',
    );
    return undefined;
  }
  const { change, different } = changeBy(learned);
  for (const member of different)
    terminal.note(
      `Lists call ${member} by different names, and a profile has one for all; it stays as it is.`,
    );
  const words = wordsOf(settings, change(settings)).join(', ');
  const statement = `In profile ${profile}: ${words || 'lists are asked by the names that botctl has'}.`;
  await confirm({ level: 'yes', statement, question: 'Store that?' }, context);
  await context.settings.profiles.configure(profile, change);
  terminal.done(`Stored in profile ${profile}: ${words || 'that it was learned'}.`);
  return undefined;
}

/** Returns the settings after a change in words, and those that go back to the default. */
function wordsOf(before: ProfileSettings, after: ProfileSettings): readonly string[] {
  const { queryNames = {}, pageSize, firstPage, unsent = [] } = after;
  const isUnsent = (member: QueryMember): boolean => unsent.some((one) => one === member);
  const isDefaultAgain = (member: QueryMember): boolean =>
    before.queryNames?.[member] !== undefined && queryNames[member] === undefined && !isUnsent(member);
  const words = [
    ...queryMembers.map((member) => queryNames[member] !== undefined && `${member} is ${queryNames[member]}`),
    unsent.length > 0 && `lists are asked for without ${unsent.join(' and ')}`,
    pageSize === undefined
      ? before.pageSize !== undefined && `${largestPage} rows on a page again`
      : `${pageSize} rows on a page`,
    firstPage !== undefined && `pages are counted from ${firstPage}`,
    ...queryMembers.map((member) => isDefaultAgain(member) && `${member} is ${contractNames[member]} again`),
    before.firstPage !== undefined &&
      firstPage === undefined &&
      !isUnsent('page') &&
      'pages are counted from 1 again',
  ];
  return words.filter((one) => one !== false);
}

/** Prints the command that stores the findings, if they would change the profile. */
export function noteUnsaved({ terminal }: Context, identity: Identity, learned: Learned): void {
  const { profile, settings = {} } = identity;
  if (profile === undefined || !isEnough(learned)) return;
  const after = { ...changeBy(learned).change(settings), learnedAt: settings.learnedAt };
  if (isDeepStrictEqual(storedForm(after), storedForm(settings))) return;
  terminal.note(remark`Lists don't go by this yet. Store it: ${learnLine(identity)}`);
}

/** True if lists can be read with the findings, so that they may be stored. */
function isEnough({ found, isWhole }: Learned): boolean {
  const isKnown = (name: string): boolean => found.get(name)?.known === true;
  return (isWhole && isKnown(listQueryName)) || [pageNumberName, pageSizeName].every(isKnown);
}

function storedForm(settings: ProfileSettings): unknown {
  return JSON.parse(JSON.stringify(storedSettings(settings)));
}

/** Returns the change of the settings, and the query members that lists call by different names. */
function changeBy({ found, since }: Learned): {
  change(earlier: ProfileSettings): ProfileSettings;
  readonly different: readonly QueryMember[];
} {
  const value = (choice: string): unknown => {
    const finding = found.get(choice);
    return finding?.known ? finding.value : undefined;
  };
  const { names, different } = namesIn(value);
  const query = listQueryIn(value(listQueryName));
  const first = value(firstPageName) ?? query?.first;
  const largest = value(largestPageName) ?? query?.size;
  const refused = query && pagingMembers.filter((member) => query[member] === null);
  return {
    different,
    change: (earlier) => {
      const unsent = (refused ?? earlier.unsent ?? []).filter((member) => names[member] === undefined);
      return {
        ...earlier,
        queryNames: merged(without(earlier.queryNames, unsent), names),
        ...sizes(earlier, largest),
        unsent: unsent.length > 0 ? unsent : undefined,
        firstPage: first === 0 ? 0 : first === 1 || unsent.includes('page') ? undefined : earlier.firstPage,
        learnedAt: isoTime(since),
      };
    },
  };
}

/** Returns the page size: the one that a person chose, but no more than the service gives. It replaces a learned one. */
function sizes(
  { pageSize, learnedPageSize }: ProfileSettings,
  largest: unknown,
): Pick<ProfileSettings, 'pageSize' | 'learnedPageSize'> {
  if (typeof largest !== 'number') return { pageSize, learnedPageSize };
  const chosen = pageSize === learnedPageSize ? undefined : pageSize;
  if (largest >= (chosen ?? largestPage)) return { pageSize: chosen, learnedPageSize: undefined };
  return { pageSize: largest, learnedPageSize: largest };
}

function without(names: QueryNames = {}, omitted: readonly QueryMember[]): QueryNames {
  const others = queryMembers.filter((member) => !omitted.includes(member));
  return Object.fromEntries(others.map((member) => [member, names[member]]));
}

/** Returns the names on which all lists with a member agree, and the members on which they don't. */
function namesIn(value: (choice: string) => unknown): { names: QueryNames; different: QueryMember[] } {
  const names: Partial<Record<QueryMember, string>> = {};
  const different: QueryMember[] = [];
  for (const [member, choice] of [
    ['page', pageNumberName],
    ['limit', pageSizeName],
  ] as const) {
    const name = value(choice);
    if (typeof name === 'string') names[member] = name;
  }
  for (const member of new Set(filtersByMember.map((filter) => filter.member))) {
    const filters = filtersByMember.filter((filter) => filter.member === member);
    const [first, ...others] = new Set(filters.flatMap(({ choice }) => nameIn(value(choice)) ?? []));
    if (others.length > 0) different.push(member);
    else if (first !== undefined) names[member] = first;
  }
  return { names, different };
}

/** Returns the names to store, without those that are botctl's own. @throws Failure if two members have the same name */
function merged(earlier: QueryNames = {}, found: QueryNames): QueryNames | undefined {
  const all = { ...earlier, ...found };
  const names: Partial<Record<QueryMember, string>> = {};
  for (const member of queryMembers)
    if (all[member] !== undefined && all[member] !== contractNames[member]) names[member] = all[member];
  try {
    checkQueryNames(names);
  } catch (error) {
    throw error instanceof ValueError ? inputFailure([`The profile ${error.message}.`]) : error;
  }
  return Object.keys(names).length > 0 ? names : undefined;
}
