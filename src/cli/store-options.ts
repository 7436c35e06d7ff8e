import { campaignVariable, passwordlessDatabase } from '../settings/database-name.ts';
import { option } from './options.ts';

/** Where campaigns and opt-outs are, if not on this machine. */
export const storeOptions = {
  database: option(
    '--database <url>',
    'PostgreSQL database of campaigns and opt-outs: postgres://ana@host/name',
    passwordlessDatabase(campaignVariable),
  ),
};

/** What was typed of it. */
export interface StoreInput {
  readonly database: URL | undefined;
}
