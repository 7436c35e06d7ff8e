import { createHash } from 'node:crypto';
import { type Migrations, migrationsOf } from '../../database/migrations.ts';
import firstSchema from './migrations/001_first_schema.sql?raw';
import sessionsThatGoDown from './migrations/002_sessions_that_go_down.sql?raw';
import messagesInOrder from './migrations/003_messages_in_order.sql?raw';
import theServiceItself from './migrations/004_the_service_itself.sql?raw';
import theFirstKeyOfEachProcess from './migrations/005_the_first_key_of_each_process.sql?raw';
import documentsOfAType from './migrations/006_documents_of_a_type.sql?raw';
import teamsThatPayAndNamesInOrder from './migrations/007_teams_that_pay_and_names_in_order.sql?raw';

/** Tells one state of the steps from any other. */
export function migrationsHash(): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex');
}

/**
 * The schema, step by step. A step that has landed is never edited; a change is a new step.
 * Written to the floor of PostgreSQL 15, so that the same steps run on a server.
 */
const steps: Readonly<Record<string, string>> = {
  '001_first_schema': firstSchema,
  '002_sessions_that_go_down': sessionsThatGoDown,
  '003_messages_in_order': messagesInOrder,
  '004_the_service_itself': theServiceItself,
  '005_the_first_key_of_each_process': theFirstKeyOfEachProcess,
  '006_documents_of_a_type': documentsOfAType,
  '007_teams_that_pay_and_names_in_order': teamsThatPayAndNamesInOrder,
};

/** The steps of the schema. */
export const migrations: Migrations = migrationsOf(steps);
