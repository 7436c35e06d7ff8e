import { defineCommand } from '../../cli/command.ts';
import { choice, flag, manyOptions, onOff, option } from '../../cli/options.ts';
import { integer, type Parse, pair, ValueError } from '../../lib/parse.ts';
import { callSandbox, dataOption } from './running.ts';

interface Renaming {
  readonly from: string;
  readonly to: string;
}

const renaming: Parse<Renaming> = (raw) => {
  const { name: from, value: to } = pair(raw);
  if (to === '') throw new ValueError(`must be NAME=OTHER, not "${raw}"`);
  if (Math.max(from.length, to.length) > 100) throw new ValueError('must be names of up to 100 characters');
  return { from, to };
};

const renamings: Parse<readonly Renaming[]> = (raw) => raw.split(',').map(renaming);

export const behave = defineCommand({
  name: 'behave',
  summary: 'Let the running sandbox do otherwise what the specification leaves open',
  description:
    'What is not named stays as it is; without an option it only shows how things are. It holds until --reset, or ' +
    'until the sandbox is reset or stopped.',
  options: {
    ignoreFilters: flag('--ignore-filters', 'answer lists as if no filter were given'),
    ignorePaging: flag('--ignore-paging', 'answer the first page whichever is asked for'),
    rename: manyOptions(
      '--rename <name=other>',
      'give a member of answers another name, at any depth; may be repeated',
      renaming,
    ),
    extraMembers: flag('--extra-members', 'add unknown members to every object in the data of an answer'),
    unauthorizedStatus: option(
      '--unauthorized-status <number>',
      'answer UNAUTHORIZED with this status, 400 to 499',
      integer({ min: 400, max: 499 }),
    ),
    sharedEmails: onOff(
      '--shared-emails',
      'let several teams have an administrator of one e-mail address, in all instances of a database',
      'let only one team have it',
    ),
    sizeUnit: option(
      '--size-unit <unit>',
      'show the size of documents in bytes, kB, KiB, MB or MiB, rounded up',
      choice('bytes', 'kB', 'KiB', 'MB', 'MiB'),
    ),
    renameQuery: manyOptions(
      '--rename-query <name=other>',
      'give a parameter of lists another name; several with commas: page=p,name=q',
      renamings,
    ),
    ignoreUnknown: flag('--ignore-unknown', 'leave out parameters of lists that it does not know'),
    maxLimit: option(
      '--max-limit <number>',
      'put this many rows on a page at most, 1 to 100',
      integer({ min: 1, max: 100 }),
    ),
    firstPage: option('--first-page <number>', 'count pages from 0 or 1', integer({ min: 0, max: 1 })),
    order: option(
      '--order <field>',
      'order lists by created_at or name; with :desc the other way round',
      choice('created_at', 'created_at:desc', 'name', 'name:desc'),
    ),
    caseSensitive: flag('--case-sensitive', 'find parts of names in their own case only'),
    reset: flag('--reset', 'put everything back first'),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox behave --ignore-filters', does: 'See that lists stay right all the same' },
    {
      line: 'botctl sandbox behave --rename provider_id=ai_id --extra-members --unauthorized-status 419',
      does: 'Meet a service that made other choices',
    },
    {
      line: 'botctl sandbox behave --rename-query page=pageNumber,name=q --max-limit 50 --first-page 0 --order name',
      does: 'Meet one whose lists are asked in another way',
    },
    { line: 'botctl sandbox behave --reset', does: 'Put everything back' },
    { line: 'botctl sandbox behave', does: 'Show how it is' },
  ],
  needs: 'nothing',
  effect: 'changes',
  readsOnly: ({ data: _, rename = [], renameQuery = [], firstPage, sharedEmails, ...input }) =>
    rename.length + renameQuery.length === 0 &&
    firstPage === undefined &&
    sharedEmails === undefined &&
    !Object.values(input).some(Boolean),
  output: {
    kind: 'record',
    fields: [
      { name: 'ignore_filters', kind: 'flag' },
      { name: 'ignore_paging', kind: 'flag' },
      { name: 'rename' },
      { name: 'extra_members', kind: 'flag' },
      { name: 'unauthorized_status', kind: 'number' },
      { name: 'shared_emails', kind: 'flag' },
      { name: 'size_unit' },
      { name: 'rename_query' },
      { name: 'ignore_unknown', kind: 'flag' },
      { name: 'max_limit', kind: 'number' },
      { name: 'first_page', kind: 'number' },
      { name: 'order' },
      { name: 'case_sensitive', kind: 'flag' },
    ],
  },
  async run(context, { ignoreFilters, ignorePaging, rename, extraMembers, ...input }) {
    return callSandbox(context, input.data, '/behave', {
      reset: input.reset,
      ignore_filters: ignoreFilters || undefined,
      ignore_paging: ignorePaging || undefined,
      rename: [...rename],
      extra_members: extraMembers || undefined,
      unauthorized_status: input.unauthorizedStatus,
      shared_emails: input.sharedEmails,
      size_unit: input.sizeUnit,
      rename_query: input.renameQuery.flat(),
      ignore_unknown: input.ignoreUnknown || undefined,
      max_limit: input.maxLimit,
      first_page: input.firstPage,
      order: input.order,
      case_sensitive: input.caseSensitive || undefined,
    });
  },
});
