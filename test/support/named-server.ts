import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { databaseOf, runAt } from './statements.ts';

/**
 * Lets the tests of a project run on the server that `BOTCTL_TEST_DATABASE` names. Returns what removes their databases
 * when all have run.
 */
export default function useNamedServer(project: TestProject): () => Promise<void> {
  return provideServer(project, process.env.BOTCTL_TEST_DATABASE ?? '');
}

/** The same of a server by its address. */
export function provideServer(project: TestProject, server: string): () => Promise<void> {
  // Several runs may share the server.
  const names = `botctl_test_${randomBytes(4).toString('hex')}_`;
  project.provide('testServer', server);
  project.provide('testDatabases', names);
  return async () => {
    const admin = databaseOf(server, 'postgres');
    const left = await runAt(admin, `select datname from pg_database where starts_with(datname, '${names}')`);
    for (const { datname } of left) await runAt(admin, `drop database ${datname} with (force)`);
  };
}
