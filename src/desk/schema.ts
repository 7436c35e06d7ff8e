import { sql } from 'kysely';
import type { ServerSchema } from '../database/server-database.ts';
import { command, remark } from '../lib/text/remark.ts';
import { version } from '../lib/version.ts';
import { deskVariable } from '../settings/database-name.ts';
import create from './schema.sql?raw';

/**
 * The schema of a desk, which is on PostgreSQL alone. A migration that has landed is never edited; a change is a new one, and
 * `help desk` grants the privileges of its tables.
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

/** The advisory lock of the device book; a trigger acquires it for each insert, so places are in the order of the commits. */
export const bookLock = 10;

/** The advisory lock of the table `service_keys`. */
export const accountLock = 11;

/** The first statements of each session: after an answer, a write is on the disk. */
export const sessionBegin = ['set synchronous_commit = on'];
