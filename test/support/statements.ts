import pg from 'pg';

/** Returns the address of a database on a server. */
export function databaseOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Begins a transaction in a database, and runs statements in it. Returns the function that rolls it back. */
export async function holdAt(url: string, statements: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; ${statements}`);
  return () => client.end();
}

/** Runs statements in a database. Returns the rows if there is only one. */
export async function runAt(url: string, statements: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statements)).rows;
  } finally {
    await client.end();
  }
}
