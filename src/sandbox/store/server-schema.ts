import type { Schema } from '../../database/schema.ts';
import { migrations } from './migrations.ts';

/** What the sandbox keeps in a database on a server. */
export const schema: Schema = {
  migrations,
  needs: 'the sandbox needs',
  ownDatabase: 'Give the sandbox a database of its own.',
};
