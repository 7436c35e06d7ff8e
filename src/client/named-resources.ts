import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { idIn } from '../contract/loose.ts';
import { isId, isSameId } from '../lib/ids.ts';
import { isObject, ownMember } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { CachedNoun, NamedResource } from '../settings/completion-cache.ts';
import { readListing } from './listing.ts';

/** The kind of object in the responses of an endpoint. */
interface Subject {
  readonly noun: CachedNoun;
  /** The member that contains the object, if it isn't the data itself. */
  readonly member?: string;
  /** The path parameter with the id of the object that the call removes. */
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
 * Returns the objects named in a successful response, or the one that the call removed. Skips anything that does not
 * match the contract.
 * @param path the values of the path parameters
 * @param data the content of the envelope
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
 * Returns the problem with a response about another object than the one in the path, or undefined. Later requests use
 * the id in the response, so it must never be the id of an object that was not asked for. A key id is no UUID and is
 * requested exactly as typed: its caller compares it.
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
