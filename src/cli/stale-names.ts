import type { Api, PagedEndpoint, PagesInput } from '../client/api.ts';
import { learnCommand } from '../client/words/list-failure.ts';
import { type Remark, remark } from '../lib/text/remark.ts';
import { refusesInput } from '../resources/first-accepted.ts';
import { namesForClient } from '../settings/profile-settings.ts';
import type { Identity } from '../settings/settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { accepts, requestedFilters } from './list/filters.ts';

/**
 * Returns the API, which tells a person once of a filter, or of a length of pages, that the profile has a name for and the
 * service no longer heeds: lists and lookups of names go on without it, only slower.
 */
export function withStaleNameNotes(api: Api, identity: Identity, terminal: Pick<Terminal, 'note'>): Api {
  const { profile, settings } = identity;
  if (profile === undefined) return api;
  const stored = namesForClient(settings?.queryNames);
  const refused = new Set<PagedEndpoint>();
  let hasNoted = false;
  const noteOnce = (what: Remark): void => {
    if (!hasNoted) terminal.note(what);
    hasNoted = true;
  };
  const ofFilter = remark`Profile ${profile} has a name for a filter of this list that the service no longer heeds. Find out what it is now: ${learnCommand(identity)}`;
  const ofSize = (rows: number, asked: number): Remark =>
    remark`The service gives ${String(rows)} rows on a page where profile ${profile} asks for ${String(asked)} by ${stored.limit ?? ''}. Find out what holds now: ${learnCommand(identity)}`;
  const pages: Api['pages'] = async function* <N extends PagedEndpoint>(name: N, input?: PagesInput<N>) {
    const asked = requestedFilters(input?.query ?? {}).filter(({ member }) => Object.hasOwn(stored, member));
    const perPage = Object.hasOwn(stored, 'limit') ? input?.perPage : undefined;
    let isFirst = true;
    let length: number | undefined;
    try {
      for await (const page of api.pages(name, input)) {
        // The last page is shorter; one that others follow is as long as it was asked for.
        if (perPage !== undefined && length !== undefined && length !== perPage && page.rows.length > 0)
          noteOnce(ofSize(length, perPage));
        length ??= page.rows.length;
        const isIgnored = () => asked.some((filter) => page.rows.some((row) => !accepts(filter, row)));
        // A refusal may be of something else, until the same list comes with less.
        if (isFirst && (refused.has(name) || isIgnored())) noteOnce(ofFilter);
        isFirst = false;
        yield page;
      }
    } catch (thrown) {
      if (isFirst && asked.length > 0 && refusesInput(thrown)) refused.add(name);
      throw thrown;
    }
  };
  return { ...api, pages };
}
