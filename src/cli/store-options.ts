import { campaignVariable, passwordlessDatabase } from '../settings/database-name.ts';
import { option } from './options.ts';

/** The option for the database of campaigns and opt-outs, if they are not on this machine. */
export const storeOptions = {
  database: option(
    '--database <url>',
    'PostgreSQL database of campaigns and opt-outs: postgres://ana@host/name',
    passwordlessDatabase(campaignVariable),
  ),
};

/** The parsed value of `storeOptions`. */
export interface StoreInput {
  readonly database: URL | undefined;
}
