import type { ResourceRow } from '../client/api.ts';
import type { PlannedFile } from '../documents/sync/planned-file.ts';
import type { ListedDocument } from '../documents/sync/sync-plan.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Usage } from '../resources/teams/usage.ts';
import type { Address } from './desired.ts';

/** The match of a declared object in the service. */
export type Found =
  /** `locked`: the object of the state file. `alike`: it has no entry there and is the only match. */
  | { readonly state: 'locked' | 'alike'; readonly row: ResourceRow }
  /** `gone`: the state file has an id that no longer exists. */
  | { readonly state: 'gone' | 'absent'; readonly row?: undefined };

/** The state of the service that a plan needs. Teams and bots are in their detail form. */
export interface Live {
  readonly found: ReadonlyMap<Address, Found>;
  /** The usage of quotas by team id, if bots and documents were listed. */
  readonly usage: ReadonlyMap<string, Partial<Usage>>;
  /** The names of the listed teams, bots and documents by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The planned changes of the files of documents. */
  readonly files: ReadonlyMap<Address, FileState>;
  /** The documents of the tenants' teams, by the addresses of the teams. */
  readonly documents: ReadonlyMap<Address, readonly ListedDocument[]>;
  /** Ambiguous objects; these take precedence over `found` and `files`. */
  readonly ambiguous: ReadonlyMap<Address, Ambiguity>;
  /** Devices of the device book that are not in the state file. */
  readonly bookedDevices: ReadonlyMap<Address, BookedDeviceEntry>;
  /** The states of the secret fields of bots whose values in the service differ from the files. */
  readonly secrets: ReadonlyMap<Address, SecretStates>;
}

/** By field. A missing field was never applied. */
export type SecretStates = ReadonlyMap<string, SecretState>;

/**
 * Whether a secret is the same as at the last apply, or was changed in the files or in the service. `unverified` if an earlier
 * version applied it, which recorded nothing to compare with.
 */
export type SecretState = 'same' | 'files' | 'service' | 'unverified';

/** The entry of the device book for a device that the files declare. */
export interface BookedDeviceEntry {
  /** A sentence that describes it. */
  readonly says: string;
  /** The only device of its name in the team; undefined if the create has had no response. */
  readonly id?: string;
  /** True if it is the declared device: the state file has no entry of the tenant, and the book names no other bot. */
  readonly isIt: boolean;
}

/** The reason why an address matches several objects of the service. */
export interface Ambiguity {
  /** A sentence that lists the candidates. */
  readonly says: string;
  /** The id of the candidate; undefined if several objects of one name have to be created. */
  readonly candidate?: string;
}

/** Returns the ambiguity of several objects with one name. @param more other properties that they share */
export function ambiguity(
  noun: string,
  name: string,
  rows: readonly { readonly id: string }[],
  more = '',
): Ambiguity {
  const ids = rows.map(({ id }) => id).join(', ');
  const says = `It may be any of ${rows.length} ${noun}s that are named ${inSentence(name)}${more}: ${ids}.`;
  return { says, candidate: rows[0]?.id ?? '' };
}

/** The result of comparing the file of a document. */
export interface FileState {
  /** Undefined if the file could not be read. */
  readonly planned: PlannedFile | undefined;
  /** Why it could not be read. */
  readonly unread?: string | undefined;
  /** The former documents of the file that have the name of a current one. */
  readonly before: readonly ListedDocument[];
}
