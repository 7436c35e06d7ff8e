import { isDeepStrictEqual } from 'node:util';
import { confirm } from '../../cli/confirm.ts';
import type { Context } from '../../cli/context.ts';
import { learnCommand } from '../../client/words/list-failure.ts';
import { nameIn } from '../../learn/choices/filters.ts';
import { listQueryIn, listQueryName } from '../../learn/choices/list-query.ts';
import { namingChoices } from '../../learn/learn.ts';
import type { ListReader } from '../../learn/list-reader.ts';
import { firstPageName, largestPageName, pageNumberName, pageSizeName } from '../../learn/lists.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { largestPage, pagingMembers, type QueryMember, queryMembers } from '../../settings/list-query.ts';
import { listWords, mergedNames, type ProfileSettings } from '../../settings/profile-settings.ts';
import type { Identity } from '../../settings/settings.ts';

/**
 * Checks before learning that the findings can be stored.
 * @throws Failure if there is no profile, the address is not the profile's, or no question can be asked
 */
export async function checkSaving(context: Context, { profile, baseUrl }: Identity): Promise<void> {
  if (profile === undefined)
    throw new Failure('usage', 'The result is saved in a profile, but the key is from the environment.', {
      hint: remark`Create a profile with ${command('login')}, or leave out --save.`,
    });
  const own = context.settings.profiles.get(profile)?.baseUrl;
  if (own !== undefined && own !== baseUrl)
    throw new Failure('usage', `Profile ${profile} is for ${own}, not for ${baseUrl}.`, {
      hint: remark`Leave out --save, or create a profile for that address: ${command('login', '--profile', placeholder('NAME'), '--base-url', baseUrl)}`,
    });
  if (!context.prompts.available)
    await confirm({ level: 'yes', statement: 'The result is saved in the profile.' }, context);
}

/** A learning run with its findings. */
export interface Run {
  readonly reading: ListReader;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/**
 * Asks the user, and stores the findings in the profile.
 * @throws Failure `declined` if the answer is no, and as `Profiles.configure`
 */
export async function saveLearned(
  context: Context,
  { profile = '', settings = {} }: Identity,
  run: Run,
): Promise<void> {
  const { terminal } = context;
  const { reading } = run;
  if (!isEnough(reading)) {
    const why = reading.end
      ? 'the run ended before the paging parameters were known'
      : 'no working parameters were found';
    terminal.note(`Nothing was saved: ${why}.`);
    return;
  }
  for (const member of queryMembers.filter((one) => namesOf(one, reading).length > 1))
    terminal.note(
      `Lists use different names for ${member}, but a profile has one for all lists. It was not changed.`,
    );
  const words = listWords(changed(settings, run), settings).join(', ');
  const statement = `New settings of profile ${profile}: ${words || 'none, the defaults work'}.`;
  await confirm({ level: 'yes', statement, question: 'Save them?' }, context);
  await context.settings.profiles.configure(profile, (earlier) => changed(earlier, run));
  terminal.done(`Saved to profile ${profile}: ${words || 'nothing differs from the defaults'}.`);
}

/** Prints the command that stores the findings, if they would change the profile. */
export function noteUnsaved({ terminal }: Context, identity: Identity, run: Run): void {
  const { profile, settings = {} } = identity;
  if (profile === undefined || !isEnough(run.reading)) return;
  const words = listWords(changed(settings, run), settings);
  if (isDeepStrictEqual(words, listWords(settings))) return;
  terminal.note(remark`The result is not used yet. To save it, run: ${learnCommand(identity)}`);
}

/** Returns whether the findings are enough to read lists, so that they may be stored. */
function isEnough(reading: ListReader): boolean {
  const isKnown = (name: string): boolean => reading.found(name) !== undefined;
  return (!reading.end && isKnown(listQueryName)) || [pageNumberName, pageSizeName].every(isKnown);
}

/** Returns the names that the lists of the service have for a member of their query. */
function namesOf(member: QueryMember, reading: ListReader): readonly string[] {
  const choices = namingChoices.filter((one) => one.member === member);
  return [...new Set(choices.flatMap(({ choice }) => nameIn(reading.found(choice)) ?? []))];
}

/** Returns the settings with the findings. @throws Failure `invalidInput` if two members had the same name */
function changed(earlier: ProfileSettings, { reading, since }: Run): ProfileSettings {
  const query = listQueryIn(reading.found(listQueryName));
  const first = reading.found(firstPageName) ?? query?.first;
  const refused = query ? pagingMembers.filter((member) => query[member] === null) : (earlier.unsent ?? []);
  const unsent = refused.filter((member) => namesOf(member, reading).length === 0);
  const names = queryMembers.flatMap((member) => {
    const found = namesOf(member, reading);
    if (found.length === 1) return [[member, found[0]]];
    return unsent.some((one) => one === member) ? [[member, undefined]] : [];
  });
  return {
    ...earlier,
    queryNames: mergedNames(earlier.queryNames, Object.fromEntries(names)),
    ...sizes(earlier, reading.found(largestPageName) ?? query?.size),
    unsent: unsent.length > 0 ? unsent : undefined,
    firstPage: first === 0 ? 0 : first === 1 || unsent.includes('page') ? undefined : earlier.firstPage,
    learnedAt: isoTime(since),
  };
}

/** Returns the page size that the user chose, limited to the maximum of the service. It replaces a learned one. */
function sizes(
  { pageSize, learnedPageSize }: ProfileSettings,
  largest: unknown,
): Pick<ProfileSettings, 'pageSize' | 'learnedPageSize'> {
  if (typeof largest !== 'number') return { pageSize, learnedPageSize };
  const chosen = pageSize === learnedPageSize ? undefined : pageSize;
  if (largest >= (chosen ?? largestPage)) return { pageSize: chosen, learnedPageSize: undefined };
  return { pageSize: largest, learnedPageSize: largest };
}
