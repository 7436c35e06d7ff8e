import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { isInstalled } from '../database/packages.ts';
import { packageRoot } from '../lib/package-root.ts';
import { openDatabase } from '../sandbox/store/database.ts';
import { engine } from '../sandbox/store/engine.ts';
import { enginePackage } from '../sandbox/store/engine-package.ts';
import { migrationsHash } from '../sandbox/store/migrations.ts';
import type { Tables } from '../sandbox/store/tables.ts';
import { pack, templateFile, templateFormat } from '../sandbox/store/template.ts';
import { withCleanUp } from './clean-up.ts';

/** Holds the hash of what the last template was made of. It isn't shipped. */
const stampFile = join(packageRoot(), 'node_modules', '.cache', 'botctl-build', 'template.stamp');

/**
 * Makes the template of the sandbox's database: initialised, and with the schema of this version. That takes
 * seconds, so an earlier one is kept if nothing that it depends on has changed.
 */
async function buildTemplate(): Promise<void> {
  if (!isInstalled(enginePackage)) {
    say(`The sandbox's database template was not made: ${enginePackage} is not installed.`);
    return;
  }
  const stamp = stampOfTemplate();
  if (existsSync(templateFile()) && (await readFile(stampFile, 'utf8').catch(() => undefined)) === stamp)
    return;
  const home = mkdtempSync(join(tmpdir(), 'botctl-template-'));
  const packed = await withCleanUp(
    // The database's thread may still write there when a signal comes.
    () => rmSync(home, { recursive: true, force: true, maxRetries: 10 }),
    () => packedTemplate(join(home, 'database')),
  );
  await writeFile(templateFile(), packed);
  await writeFile(stampFile, stamp);
  say(`The sandbox's database template was made: ${Math.ceil(packed.length / 1024)} KiB.`);
}

async function packedTemplate(database: string): Promise<Buffer> {
  const db = await openDatabase(database);
  await dropOtherDatabases(db);
  await dropOldLog(db);
  await db.destroy();
  return pack(database);
}

/**
 * Drops the databases that PostgreSQL copies for new ones: a sandbox makes none, and each start for the first time
 * would bring their 600 files to the disk.
 */
async function dropOtherDatabases(db: Kysely<Tables>): Promise<void> {
  await sql`update pg_database set datistemplate = false`.execute(db);
  await sql`drop database template0`.execute(db);
  await sql`drop database template1`.execute(db);
}

/**
 * Begins a new file of the write-ahead log, and removes the one that tells how the database was made, which is half of all
 * bytes.
 */
async function dropOldLog(db: Kysely<Tables>): Promise<void> {
  // A file that is used again keeps its bytes.
  await sql`set wal_recycle = off`.execute(db);
  await sql`select pg_switch_wal()`.execute(db);
  await sql`checkpoint`.execute(db);
}

/** Hash of everything that the template depends on. */
function stampOfTemplate(): string {
  return createHash('sha256')
    .update(JSON.stringify([engine, templateFormat, migrationsHash()]))
    .digest('hex');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

void buildTemplate();
