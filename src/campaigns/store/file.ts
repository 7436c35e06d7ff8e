import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasSqlite, openSqlite } from '../../database/sqlite-driver.ts';
import { originOf } from '../../settings/base-url.ts';

/** Returns the path of the SQLite file of campaigns and opt-outs. @param data the directory of botctl's data */
export function campaignFile(data: string): string {
  return join(data, 'campaigns.db');
}

/**
 * Returns the names of the campaigns of a service in the file of this machine, for completion. It does not load kysely,
 * which takes long. Returns no names if the file can't be read.
 */
export function campaignNames(data: string, baseUrl: string): readonly string[] {
  const file = campaignFile(data);
  if (!existsSync(file) || !hasSqlite()) return [];
  try {
    const connection = openSqlite(file, true);
    const named =
      'select name_key from campaigns where origin = ? and draft_at is null order by created_at, id';
    const { rows } = connection.query(named, [originOf(baseUrl)]);
    connection.close();
    return rows.map(({ name_key }) => String(name_key));
  } catch {
    return [];
  }
}
