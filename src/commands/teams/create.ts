import { defineCommand } from '../../cli/command.ts';
import { willAsk } from '../../cli/confirm.ts';
import { namesakeQuestion } from '../../cli/namesake-questions.ts';
import { ifAbsentOption, phone, positional, requiredOption } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { createOrLookUp } from '../../resources/created-lookup.ts';
import { findNamesakes } from '../../resources/namesakes.ts';
import { toQuotas } from '../../resources/teams/quotas.ts';
import { createTeam } from '../../resources/teams/team.ts';
import { createdTeamFields } from './fields.ts';
import { quotaOption } from './quota-options.ts';

/** Checks only what every email address has; the service decides whether it accepts the address. */
const emailAddress: Parse<string> = (raw) => {
  const address = raw.trim();
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new ValueError(`must be an e-mail address, not "${raw}"`);
  return address;
};

export const create = defineCommand({
  name: 'create',
  summary: 'Create a team and its administrator',
  description:
    'The team and its administrator are created together. The plan sets the quotas that you leave out.',
  options: {
    name: positional(requiredOption('--name <name>', 'name of the team', nonEmptyText)),
    plan: requiredOption('--plan <plan>', 'name of its plan', nonEmptyText),
    adminName: requiredOption('--admin-name <name>', 'name of its administrator', nonEmptyText),
    adminEmail: requiredOption(
      '--admin-email <address>',
      'e-mail address of the administrator',
      emailAddress,
    ),
    adminPhone: requiredOption(
      '--admin-phone <number>',
      'phone of the administrator, with country code',
      phone,
    ),
    quota: quotaOption,
    ifAbsent: ifAbsentOption,
  },
  examples: [
    {
      line: 'botctl teams create "Aurora Coffee" --plan starter --admin-name "Ana Souza" --admin-email ana@aurora.example --admin-phone "+55 11 99999-0000"',
      does: 'Create a team',
    },
    {
      line: 'botctl teams create Acme --plan pro --admin-name Jo --admin-email jo@acme.example --admin-phone +14155550100 --quota bots=3 --quota documents=50 -o id',
      does: 'Create a team with quotas, and print only its id',
    },
    {
      line: 'botctl teams create Acme --if-absent --plan pro --admin-name Jo --admin-email jo@acme.example --admin-phone +14155550100 -o id',
      does: 'Print the id of team Acme; create it if missing',
    },
  ],
  needs: 'api',
  effect: 'creates',
  allow: ['duplicate'],
  output: { kind: 'record', fields: createdTeamFields },
  prepare: (session, { name, ifAbsent }) => findNamesakes(session, { noun: 'team', name }, ifAbsent),
  async confirm(session, { name, plan }, namesakes) {
    const question = namesakeQuestion(session, { noun: 'team', name }, namesakes);
    // A script repeats what was written once, but a user may mistype. The check costs a request.
    if (namesakes.instead || !willAsk(session)) return question;
    const { newPlanWarning } = await import('../../resources/teams/new-plan.ts');
    const planWarning = await newPlanWarning(session.api, plan);
    if (planWarning === undefined) return question;
    return { level: 'yes', statement: [question?.statement ?? '', planWarning].join(' ').trim() };
  },
  async run(session, { name, plan, adminName, adminEmail, adminPhone, quota }, { instead, all: before }) {
    if (instead) return instead;
    const { api, terminal } = session;
    const quotas = toQuotas(quota);
    const body = {
      user: { name: adminName, email: adminEmail, phone: `+${adminPhone}` },
      team: { name, plan_name: plan, ...(quotas && { quotas }) },
    };
    const created = await createOrLookUp(session, { noun: 'team', name, set: body.team, before }, () =>
      createTeam(api, { body }).catch(withHint),
    );
    terminal.done(`Created team ${name}, with ${adminName} as its administrator.`);
    return created;
  },
});

/** Adds a hint to a refusal that concerns the email address. Throws that or any other failure. */
function withHint(thrown: unknown): never {
  if (!(thrown instanceof Failure) || thrown.kind !== 'rejected' || !/\be-?mail\b/i.test(thrown.message))
    throw thrown;
  throw thrown.withHint(
    remark`Give another address with --admin-email, or check whether the team exists: ${command('teams', 'list')}`,
  );
}
