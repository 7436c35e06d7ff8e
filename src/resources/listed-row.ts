import type { ResourceRow } from '../client/api.ts';
import { textOf } from '../lib/json-object.ts';

/** The members that rows of teams, bots and documents share; absent if the service shows no text there. */
export interface ListedRow {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  /** As the service writes the time. */
  readonly createdAt?: string | undefined;
}

/** Returns the typed members of a row. */
export function toListedRow(row: ResourceRow): ListedRow {
  const { id, name, team_id: teamId, created_at: createdAt } = row;
  return { id, name: textOf(name), teamId: textOf(teamId), createdAt: textOf(createdAt) };
}
