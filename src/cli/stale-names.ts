import type { Api, PagedEndpoint, PagesInput } from '../client/api.ts';
import { learnCommand } from '../client/words/list-failure.ts';
import { type Remark, remark } from '../lib/text/remark.ts';
import { refusesInput } from '../resources/first-accepted.ts';
import { namesForClient } from '../settings/profile-settings.ts';
import type { Identity } from '../settings/settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { accepts, requestedFilters } from './list/filters.ts';

/**
 * Returns the API with a note, printed once, if the service no longer supports the profile's name for a filter, or for
 * the page size. Lists and lookups of names work without them, only slower.
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
  const ofFilter = remark`The service no longer filters this list by the name that profile ${profile} has for a filter. Detect the current settings: ${learnCommand(identity)}`;
  const ofSize = (rows: number, asked: number): Remark =>
    remark`The service returns ${String(rows)} rows per page, but profile ${profile} asks for ${String(asked)} with ${stored.limit ?? ''}. Detect the current settings: ${learnCommand(identity)}`;
  const pages: Api['pages'] = async function* <N extends PagedEndpoint>(name: N, input?: PagesInput<N>) {
    const asked = requestedFilters(input?.query ?? {}).filter(({ member }) => Object.hasOwn(stored, member));
    const perPage = Object.hasOwn(stored, 'limit') ? input?.perPage : undefined;
    let isFirst = true;
    let length: number | undefined;
    try {
      for await (const page of api.pages(name, input)) {
        // Only the last page may be shorter; a page that others follow has the requested length.
        if (perPage !== undefined && length !== undefined && length !== perPage && page.rows.length > 0)
          noteOnce(ofSize(length, perPage));
        length ??= page.rows.length;
        const isIgnored = () => asked.some((filter) => page.rows.some((row) => !accepts(filter, row)));
        // A refusal may have another cause, unless the same list then succeeds with fewer parameters.
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
