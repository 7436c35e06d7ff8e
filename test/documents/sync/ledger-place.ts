import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../../../src/documents/sync/ledger.ts';
import type { LedgerLine } from '../../../src/documents/sync/ledger-text.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The service of these tests' ledgers. */
export const origin = 'http://127.0.0.1:1';

/** A folder of documents and its ledger, which does not exist yet. */
export class LedgerPlace {
  readonly directory = temporaryDirectory();
  readonly path = join(this.directory, '.botctl-docs.json');

  constructor() {
    mkdirSync(join(this.directory, 'handbook'));
  }

  read(team = 'aurora', from = this.path): Ledger {
    return Ledger.read(from, join(this.directory, 'handbook'), { origin, team });
  }

  text(): string {
    return readFileSync(this.path, 'utf8');
  }

  /** Returns the stored document of each file of a team. */
  idsOf(team: string): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries([...this.read(team).lines.values()].map((one) => [one.path, one.id]));
  }
}

/** Returns the line of a file and its document. */
export function ledgerLine(file: string, id: string, at = '2026-01-01T00:00:00.000Z'): LedgerLine {
  return { path: file, id, name: file, sha256: `hash of ${id}`, at };
}
