import type { ResourceRow } from '../client/api.ts';

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
  const text = (member: 'name' | 'team_id' | 'created_at'): string | undefined => {
    const value: unknown = row[member];
    return typeof value === 'string' ? value : undefined;
  };
  return { id: row.id, name: text('name'), teamId: text('team_id'), createdAt: text('created_at') };
}
