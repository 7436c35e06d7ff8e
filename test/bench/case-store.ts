import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Store } from '../../src/sandbox/store/store.ts';
import { Secret } from '../../src/secrets/secret.ts';

/** Opens a store: on the database that `BOTCTL_SANDBOX_DATABASE` names, or in its data directory where it names none. */
export async function openCaseStore(data: string, files: string): Promise<Store> {
  const named = process.env.BOTCTL_SANDBOX_DATABASE;
  if (named === undefined) return openStore(data);
  const url = new URL(named);
  const password = new Secret(passwordIn(url) ?? '');
  return openStore(data, { server: { url: withoutPassword(url), password, files } });
}

/** Runs a case, and says why where it fails. */
export function runCase(measure: (words: readonly string[]) => Promise<void>): void {
  measure(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  });
}
