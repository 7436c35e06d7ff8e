import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import { argument, choice, manyOptions, nameOf, onOff, option, withForm } from '../../cli/options.ts';
import { protectedProfileQuestion } from '../../cli/profile-changes.ts';
import { usageFailure } from '../../lib/errors.ts';
import { integer, type Parse, pair, ValueError } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { codeStyles } from '../../qr/styles.ts';
import { campaignVariable, deskVariable, passwordlessDatabase } from '../../settings/database-name.ts';
import { findProfile } from '../../settings/identity.ts';
import { largestPage, type PagingMember, type QueryMember, queryMembers } from '../../settings/list-query.ts';
import {
  isQueryName,
  mergedNames,
  operatorName,
  type ProfileSettings,
} from '../../settings/profile-settings.ts';
import { profileFields, profileRow } from './fields.ts';

/** The settings that can be unset, each with the option that sets it. */
const optionOf = {
  'query-names': '--query-name',
  'page-size': '--page-size',
  'first-page': '--first-page',
  'ca-file': '--ca-file',
  region: '--region',
  qr: '--qr',
  database: '--database',
  'desk-database': '--desk-database',
  operator: '--operator',
} as const;
const unsettable = [
  'query-names',
  'page-size',
  'first-page',
  'ca-file',
  'region',
  'qr',
  'database',
  'desk-database',
  'operator',
] as const;

/** Parses `page=p`: a member of the query, and the service's name for it. */
const queryName: Parse<{ readonly member: QueryMember; readonly name: string }> = (raw) => {
  const { name: typed, value: name } = pair(raw);
  const member = queryMembers.find((candidate) => candidate === typed);
  if (member === undefined)
    throw new ValueError(`must start with one of ${queryMembers.join(', ')}, as in page=p, not "${raw}"`);
  if (!isQueryName(name)) throw new ValueError(`must end with the name of a query parameter, not "${raw}"`);
  return { member, name };
};

export const set = defineCommand({
  name: 'set',
  summary: 'Change the settings of a profile',
  description:
    'Also saves --ca-file FILE (certificates to trust) and --region BR (country of phone numbers without a country ' +
    'code), which are options of every command. A protected profile asks for its name before anything is changed, ' +
    'deleted or sent; a script answers with --confirm NAME. It does not ask before a create, such as teams create or ' +
    'optouts add.',
  arguments: { name: argument('name of the profile', nameOf('profile')) },
  options: {
    protect: onOff('--protect', 'ask for the name of the profile before a change', 'turn the protection off'),
    pageSize: option('--page-size <number>', 'rows per page', integer({ min: 1, max: largestPage })),
    firstPage: option(
      '--first-page <number>',
      'number of the first page: 0 or 1',
      integer({ min: 0, max: 1 }),
    ),
    queryNames: manyOptions(
      '--query-name <member=name>',
      `name that the service uses for a query parameter: ${queryMembers.join(', ')}`,
      withForm({ kind: 'pair', words: queryMembers.map((name) => ({ name })) }, queryName),
    ),
    qr: option('--qr <style>', 'default style of pairing codes', choice(...codeStyles)),
    database: option(
      '--database <url>',
      'default database of campaigns and opt-outs: PostgreSQL 15 or later',
      passwordlessDatabase(campaignVariable),
    ),
    deskDatabase: option(
      '--desk-database <url>',
      'database of the desk, for shared devices and history: PostgreSQL 15 or later (see: botctl help desk)',
      passwordlessDatabase(deskVariable),
    ),
    operator: option(
      '--operator <name>',
      'your name in the history of a device (not verified)',
      operatorName,
    ),
    unset: manyOptions('--unset <setting>', 'setting to reset to its default', choice(...unsettable)),
  },
  examples: [
    { line: 'botctl profiles set sandbox --protect', does: 'Protect a profile' },
    {
      line: 'botctl profiles set prod --query-name page=p --query-name limit=per_page --page-size 50',
      does: 'Set the paging parameters of the service',
    },
    {
      line: 'botctl profiles set prod --ca-file company.pem',
      does: 'Trust the certificates of your company',
    },
    {
      line: 'botctl profiles set prod --region BR --qr sextant',
      does: 'Read numbers as in Brazil, and draw small codes',
    },
    {
      line: 'botctl profiles set prod --database postgres://ana@db.example/campaigns',
      does: 'Share campaigns with other machines',
    },
    {
      line: 'botctl profiles set prod --desk-database postgres://ana@db.example/desk --operator Ana',
      does: 'Share devices and their history with colleagues',
    },
    { line: 'botctl profiles set prod --unset query-names --unset ca-file', does: 'Reset settings' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: profileFields },
  async prepare(
    context,
    { name, protect, pageSize, firstPage, queryNames, qr, database, deskDatabase, operator, unset },
  ) {
    const { io, askWhich, options, settings } = context;
    const { caFile, region } = options;
    const profile = await findProfile(name, settings.profiles, askWhich);
    const settable: readonly (false | keyof typeof optionOf)[] = [
      pageSize !== undefined && 'page-size',
      firstPage !== undefined && 'first-page',
      caFile !== undefined && 'ca-file',
      queryNames.length > 0 && 'query-names',
      region !== undefined && 'region',
      qr !== undefined && 'qr',
      database !== undefined && 'database',
      deskDatabase !== undefined && 'desk-database',
      operator !== undefined && 'operator',
    ];
    const given = settable.filter((name) => name !== false);
    if (protect === undefined && given.length === 0 && unset.length === 0)
      throw usageFailure(
        ['No setting was given.'],
        remark`Add --protect, --no-protect, --page-size, --first-page, --query-name, --ca-file, --region, --qr, --database, --desk-database, --operator or --unset. See ${command('profiles', 'set', '--help')}`,
      );
    const both = given.filter((name) => unset.includes(name));
    if (both.length > 0)
      throw usageFailure(both.map((name) => `${optionOf[name]} and --unset ${name} can't be used together.`));
    if (caFile !== undefined) (await import('../../client/certificates.ts')).tlsOptionsFor(caFile, io.env);
    const first = (earlier: ProfileSettings): ProfileSettings['firstPage'] =>
      firstPage === undefined ? earlier.firstPage : firstPage === 0 ? 0 : undefined;
    const change = (earlier: ProfileSettings): ProfileSettings => ({
      protected: protect ?? earlier.protected,
      learnedAt: unset.includes('query-names') ? undefined : earlier.learnedAt,
      firstPage: unset.includes('first-page') ? undefined : first(earlier),
      pageSize: unset.includes('page-size') ? undefined : (pageSize ?? earlier.pageSize),
      learnedPageSize:
        unset.includes('page-size') || pageSize !== undefined ? undefined : earlier.learnedPageSize,
      unsent: unset.includes('query-names') ? undefined : without(earlier.unsent, queryNames),
      caFile: unset.includes('ca-file') ? undefined : caFile === undefined ? earlier.caFile : resolve(caFile),
      region: unset.includes('region') ? undefined : (region ?? earlier.region),
      qr: unset.includes('qr') ? undefined : (qr ?? earlier.qr),
      database: unset.includes('database') ? undefined : (database?.href ?? earlier.database),
      deskDatabase: unset.includes('desk-database')
        ? undefined
        : (deskDatabase?.href ?? earlier.deskDatabase),
      operator: unset.includes('operator') ? undefined : (operator ?? earlier.operator),
      queryNames: unset.includes('query-names')
        ? undefined
        : mergedNames(
            earlier.queryNames,
            Object.fromEntries(queryNames.map(({ member, name }) => [member, name])),
          ),
    });
    // Invalid settings are reported before any question.
    const { deskDatabase: nextDesk } = change(profile.settings ?? {});
    const isSame = profile.settings?.deskDatabase === nextDesk;
    const leaving = isSame
      ? undefined
      : (await import('./leave-desk.ts')).deskToLeave(context, profile, nextDesk);
    return { profile, change, leaving };
  },
  async confirm(context, { protect }, { profile, leaving }) {
    const stranded = leaving && (await import('./leave-desk.ts')).strandedChanges(context, profile, leaving);
    const lifts = profile.settings?.protected && protect === false;
    if (!lifts) return stranded;
    const question = protectedProfileQuestion(profile);
    return stranded ? { ...question, statement: `${stranded.statement}\n${question.statement}` } : question;
  },
  async run(context, { database, deskDatabase }, { profile, change, leaving }) {
    const { settings, terminal } = context;
    const { name } = profile;
    const { profiles } = settings;
    await profiles.configure(name, change);
    terminal.done(`Changed profile ${name}.`);
    if (leaving)
      (await import('./leave-desk.ts')).reportRemaining(context, profile, leaving, deskDatabase?.href);
    const changed = await findProfile(name, profiles, undefined);
    if (database !== undefined) await (await import('./report-database.ts')).reportDatabase(context, changed);
    if (deskDatabase !== undefined) await (await import('./check-desk.ts')).checkDesk(context, changed);
    return profileRow(changed, profiles.current());
  },
});

/** Members that now have a name are sent again. */
function without(
  unsent: readonly PagingMember[] = [],
  given: readonly { readonly member: QueryMember }[],
): readonly PagingMember[] | undefined {
  const left = unsent.filter((one) => given.every(({ member }) => member !== one));
  return left.length > 0 ? left : undefined;
}
