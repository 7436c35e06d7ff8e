import { sql } from 'kysely';
import type { ServerSchema } from '../database/server-database.ts';
import { command, remark } from '../lib/text/remark.ts';
import { version } from '../lib/version.ts';
import { deskVariable } from '../settings/database-name.ts';
import create from './schema.sql?raw';

/**
 * The schema of a desk, which exists only for PostgreSQL. A migration is never edited after it was merged; each change
 * is a new one, and `help desk` grants the privileges on its tables.
 */
export const deskSchema: ServerSchema = {
  create: { sqlite: '', postgres: create },
  migrations: { '001_desk': undefined },
  async after(transaction) {
    await sql`update desk set botctl_version = ${version}`.execute(transaction);
  },
  needs: 'a desk needs',
  ownDatabase:
    'Give the desk a database of its own, or a schema: create schema desk, and add ?options=-csearch_path%3Ddesk to its address.',
  variable: deskVariable,
  privileges: remark`Its owner grants the privileges of a role: ${command('help', 'desk')}`,
  neededVersion: { table: 'desk', column: 'botctl_version' },
};

/**
 * The advisory lock of the device book. A trigger acquires it for each insert, so places follow the order of commits.
 */
export const bookLock = 10;

/** The advisory lock of the table `service_keys`. */
export const accountLock = 11;

/** Run at the start of each session: with it, a commit is acknowledged only after it is on the disk. */
export const sessionBegin = ['set synchronous_commit = on'];
