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
 * @throws Failure where nothing could be stored in the end: without a profile, for another address than its own, or where
 *   nobody can be asked
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

/** What a run learned. */
export interface Learned {
  readonly found: ReadonlyMap<string, Finding>;
  /** When the first of it was found: milliseconds since 1970. */
  readonly since: number;
  /** False if the run ended before it had asked for everything. */
  readonly isWhole: boolean;
}

/**
 * Stores in the profile what lists are called by, after a question.
 * @throws Failure `declined` when a person says no, and as `Profiles.configure`
 */
export async function saveLearned(
  context: Context,
  { profile = '', settings = {} }: Identity,
  learned: Learned,
): Promise<void> {
  const { terminal } = context;
  const { found, since } = learned;
  if (!isEnough(learned)) {
    terminal.note(
      learned.isWhole
        ? 'Nothing is stored: nothing was found that lists can be asked with.'
        : 'Nothing is stored: the run ended before it knew what lists call page and page size.',
    );
    return;
  }
  const { change, different } = changeBy(found, since);
  for (const member of different)
    terminal.note(
      `Lists call ${member} by different names, and a profile has one for all; it stays as it is.`,
    );
  const { queryNames = {}, pageSize, firstPage, unsent = [] } = change(settings);
  const stored = [
    ...queryMembers.flatMap((member) =>
      queryNames[member] === undefined ? [] : [`${member} is ${queryNames[member]}`],
    ),
    ...(unsent.length > 0 ? [`lists are asked for without ${unsent.join(' and ')}`] : []),
    ...(pageSize === undefined ? [] : [`${pageSize} rows on a page`]),
    ...(pageSize === undefined && settings.pageSize !== undefined
      ? [`${largestPage} rows on a page again`]
      : []),
    ...(firstPage === undefined ? [] : [`pages are counted from ${firstPage}`]),
    ...queryMembers.flatMap((member) =>
      settings.queryNames?.[member] === undefined ||
      queryNames[member] !== undefined ||
      unsent.some((one) => one === member)
        ? []
        : [`${member} is ${contractNames[member]} again`],
    ),
    ...(settings.firstPage !== undefined && firstPage === undefined && !unsent.includes('page')
      ? ['pages are counted from 1 again']
      : []),
  ];
  const statement = `In profile ${profile}: ${stored.join(', ') || 'lists are asked by the names that botctl has'}.`;
  await confirm({ level: 'yes', statement, question: 'Store that?' }, undefined, context);
  await context.settings.profiles.configure(profile, change);
  terminal.done(`Stored in profile ${profile}: ${stored.join(', ') || 'that it was learned'}.`);
}

/** Says how lists come to go by what was learned, where it can be stored and they would be asked in another way. */
export function noteUnsaved({ terminal }: Context, identity: Identity, learned: Learned): void {
  const { profile, settings = {} } = identity;
  if (profile === undefined || !isEnough(learned)) return;
  const { found, since } = learned;
  const after = { ...changeBy(found, since).change(settings), learnedAt: settings.learnedAt };
  if (isDeepStrictEqual(storedForm(after), storedForm(settings))) return;
  terminal.note(remark`Lists don't go by this yet. Store it: ${learnLine(identity)}`);
}

/** True if a run got so far that what it learned may be stored: lists can be read by it. */
function isEnough({ found, isWhole }: Learned): boolean {
  const isKnown = (name: string): boolean => found.get(name)?.known === true;
  return (isWhole && isKnown(listQueryName)) || [pageNumberName, pageSizeName].every(isKnown);
}

function storedForm(settings: ProfileSettings): unknown {
  return JSON.parse(JSON.stringify(storedSettings(settings)));
}

/** How the settings of a profile change by what was found, and the members that lists call by different names. */
function changeBy(
  found: ReadonlyMap<string, Finding>,
  since: number,
): { change(earlier: ProfileSettings): ProfileSettings; readonly different: readonly QueryMember[] } {
  const learned = (choice: string): unknown => {
    const finding = found.get(choice);
    return finding?.known ? finding.value : undefined;
  };
  const { names, different } = namesIn(learned);
  const query = listQueryIn(learned(listQueryName));
  const first = learned(firstPageName) ?? query?.first;
  const largest = learned(largestPageName) ?? query?.size;
  const unsent = query ? pagingMembers.filter((member) => query[member] === null) : undefined;
  return {
    different,
    change: (earlier) => {
      const left = (unsent ?? earlier.unsent ?? []).filter((member) => names[member] === undefined);
      return {
        ...earlier,
        queryNames: merged(without(earlier.queryNames, left), names),
        ...sizes(earlier, largest),
        unsent: left.length > 0 ? left : undefined,
        firstPage: first === 0 ? 0 : first === 1 || left.includes('page') ? undefined : earlier.firstPage,
        learnedAt: isoTime(since),
      };
    },
  };
}

/** The rows on a page: what a person chose, and no more than the service gives. What was learned before gives way. */
function sizes(
  { pageSize, learnedPageSize }: ProfileSettings,
  largest: unknown,
): Pick<ProfileSettings, 'pageSize' | 'learnedPageSize'> {
  if (typeof largest !== 'number') return { pageSize, learnedPageSize };
  const own = pageSize === learnedPageSize ? undefined : pageSize;
  if (largest >= (own ?? largestPage)) return { pageSize: own, learnedPageSize: undefined };
  return { pageSize: largest, learnedPageSize: largest };
}

function without(names: QueryNames = {}, left: readonly QueryMember[]): QueryNames {
  const kept = queryMembers.filter((member) => !left.includes(member));
  return Object.fromEntries(kept.map((member) => [member, names[member]]));
}

/** The names that all lists agree on which have a member, and the members that they don't agree on. */
function namesIn(learned: (choice: string) => unknown): { names: QueryNames; different: QueryMember[] } {
  const names: Partial<Record<QueryMember, string>> = {};
  const different: QueryMember[] = [];
  for (const [member, choice] of [
    ['page', pageNumberName],
    ['limit', pageSizeName],
  ] as const) {
    const name = learned(choice);
    if (typeof name === 'string') names[member] = name;
  }
  for (const member of new Set(filtersByMember.map((filter) => filter.member))) {
    const own = filtersByMember.filter((filter) => filter.member === member);
    const [first, ...others] = new Set(own.flatMap(({ choice }) => nameIn(learned(choice)) ?? []));
    if (others.length > 0) different.push(member);
    else if (first !== undefined) names[member] = first;
  }
  return { names, different };
}

/** A name that is botctl's own needs no mention. */
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
