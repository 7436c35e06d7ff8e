import { flag } from './options.ts';

/** The option to take what is there under the name instead of creating another one. */
export const ifAbsentOption = flag(
  '--if-absent',
  'create none if one of exactly that name is there, and give that one',
);
