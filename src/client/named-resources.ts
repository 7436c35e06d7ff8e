import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { idIn } from '../contract/loose.ts';
import { isId, isSameId } from '../lib/ids.ts';
import { isObject, ownMember } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { CachedNoun, NamedResource } from '../settings/completion-cache.ts';
import { readListing } from './listing.ts';

/** The kind of thing in the answers of an endpoint. */
interface Subject {
  readonly noun: CachedNoun;
  /** The member that holds the thing, where it isn't the data itself. */
  readonly member?: string;
  /** The parameter of the path that names what the call removes. */
  readonly removes?: string;
}

const subjects: Partial<Readonly<Record<EndpointName, Subject>>> = {
  listTeams: { noun: 'team' },
  createTeam: { noun: 'team', member: 'team' },
  getTeam: { noun: 'team' },
  updateTeam: { noun: 'team', member: 'team' },
  listBots: { noun: 'bot' },
  createBot: { noun: 'bot' },
  getBot: { noun: 'bot' },
  updateBot: { noun: 'bot' },
  deleteBot: { noun: 'bot', removes: 'id' },
  listDocuments: { noun: 'document' },
  createDocument: { noun: 'document' },
  getDocument: { noun: 'document' },
  updateDocument: { noun: 'document' },
  listKeys: { noun: 'key' },
  createKey: { noun: 'key' },
  getKey: { noun: 'key' },
  deleteKey: { noun: 'key', removes: 'keyId' },
};

/**
 * The things that a successful answer names, or that the call has removed. Whatever isn't as the contract
 * says is passed over.
 * @param path the parameters that were put into the path
 * @param data what stands in the envelope
 */
export function resourcesIn(
  endpoint: EndpointName,
  path: Readonly<Record<string, string>>,
  data: unknown,
): readonly NamedResource[] {
  const subject = subjects[endpoint];
  if (!subject) return [];
  const { noun, member, removes } = subject;
  if (removes !== undefined) {
    const id = ownMember(path, removes);
    return id === undefined ? [] : [{ noun, id, name: undefined }];
  }
  const single = member !== undefined && isObject(data) ? ownMember(data, member) : data;
  const things = endpoint.startsWith('list') ? (readListing(data, undefined)?.elements ?? []) : [single];
  return things.flatMap((thing) => {
    if (!isObject(thing)) return [];
    const id = noun === 'key' ? thing.key_id : thing.id;
    if (typeof id !== 'string' || typeof thing.name !== 'string') return [];
    const { name, team_id: teamId } = thing;
    return [{ noun, id, name, ...(typeof teamId === 'string' && { teamId }) }];
  });
}

/**
 * Returns what is wrong with an answer about another thing than the one in the path, or undefined. What an answer shows
 * decides what is asked and sent next, by the id in it: that must never be the id of something nobody named. A key,
 * whose id is no UUID, is asked for by whatever was typed: who asks compares.
 */
export function subjectMismatch(
  endpoint: Endpoint,
  path: Readonly<Record<string, string>> | undefined,
  data: unknown,
): string | undefined {
  const [asked] = Object.values(path ?? {});
  const shown = idIn(endpoint.data, data);
  if (asked === undefined || !isId(asked) || shown === undefined || isSameId(shown, asked)) return undefined;
  return `it is about ${oneLine(shown, 80)}`;
}
