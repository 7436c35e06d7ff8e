import type { ResourceRow } from '../client/api.ts';
import { asText, type JsonObject } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/sentence.ts';

/** The id and name of an object of the service. */
export interface Named {
  readonly id: string;
  /** Absent if the service doesn't show one. */
  readonly name?: string | undefined;
  /** Its name for a sentence: the name or, if the service doesn't show one, its id. */
  readonly label: string;
}

/** Returns the names of an object, given its id and its members in the service. */
export function namedBy(id: string, { name }: JsonObject): Named {
  const known = typeof name === 'string' && name !== '' ? name : undefined;
  return { id, name: known, label: inSentence(known ?? id) };
}

/** The members that rows of teams, bots and documents share; absent if the service shows no text there. */
export interface ListedRow {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  /** In the service's format. */
  readonly createdAt?: string | undefined;
}

/** Returns the typed members of a row. */
export function toListedRow(row: ResourceRow): ListedRow {
  const { id, name, team_id: teamId, created_at: createdAt } = row;
  return { id, name: asText(name), teamId: asText(teamId), createdAt: asText(createdAt) };
}
