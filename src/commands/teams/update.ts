import { defineCommand } from '../../cli/command.ts';
import { renameQuestion } from '../../cli/namesake-questions.ts';
import { argument, nameOf, onOff, option } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { updateOutput, updateRow } from '../../output/field-changes.ts';
import { resolveId } from '../../resources/resolve.ts';
import { changedTo, checkOnce } from '../../resources/teams/quotas.ts';
import { toTeam } from '../../resources/teams/team.ts';
import { updatedTeamFields } from './fields.ts';
import { quotaChangeOption } from './quota-options.ts';

export const update = defineCommand({
  name: 'update',
  summary: 'Change a team',
  description: 'Sends only the fields that differ. If none does, nothing is sent.',
  arguments: { team: argument('the team, by name or id', nameOf('team')) },
  options: {
    name: option('--name <name>', 'new name', nonEmptyText),
    plan: option('--plan <plan>', 'name of its plan', nonEmptyText),
    paying: onOff('--paying', 'mark it as paying', 'mark it as not paying'),
    ban: onOff('--ban', 'ban it', 'lift its ban'),
    quota: quotaChangeOption,
  },
  examples: [
    {
      line: 'botctl teams update "Aurora Coffee" --plan pro --quota bots=10',
      does: 'Change plan and a quota',
    },
    { line: 'botctl teams update "Aurora Coffee" --quota bots=+5', does: 'Allow five more bots' },
    { line: 'botctl teams update "Aurora Coffee" --ban --yes', does: 'Ban a team without a question' },
  ],
  needs: 'api',
  effect: 'changes',
  allow: ['duplicate'],
  output: updateOutput(updatedTeamFields),
  checkInput({ name, plan, paying, ban, quota = [] }) {
    checkOnce(quota);
    const given = [name, plan, paying, ban].some((value) => value !== undefined);
    if (!given && quota.length === 0) {
      throw usageFailure(
        ['No changes given.'],
        'Use --name, --plan, --paying, --no-paying, --ban, --no-ban or --quota.',
      );
    }
  },
  async prepare({ api, askWhich, options }, { team, name, plan, paying, ban: banned, quota }) {
    const [{ exceededBy, teamChanges }, { newPlanWarning }] = await Promise.all([
      import('../../resources/teams/team-changes.ts'),
      import('../../resources/teams/new-plan.ts'),
    ]);
    const id = await resolveId(api, 'team', team, { askWhich });
    const shown = toTeam((await api.call('getTeam', { path: { id } })).data);
    const quotas = changedTo(quota, shown.quotas);
    const changes = teamChanges(shown, { name, plan_name: plan, paying, banned, quotas });
    const exceeded = await exceededBy(api, shown, changes);
    const newPlan = options.yes ? undefined : changes.plan_name;
    const planWarning = newPlan !== undefined && (await newPlanWarning(api, newPlan, id));
    return { shown, changes, warnings: planWarning ? [planWarning, ...exceeded] : exceeded };
  },
  idOf: ({ shown }) => shown.id,
  async confirm(session, _input, { shown, changes, warnings }) {
    const { id, label } = shown;
    const isNamed = session.io.assistant !== undefined && warnings.length > 0;
    const devices = (await session.devices.list()).filter(({ teamId }) => isSameId(teamId, id)).length;
    const known = devices === 0 ? '' : `, ${devices} of them in the device book`;
    const parts = [
      isNamed && `This changes team ${label} (${id}).`,
      ...warnings,
      changes.banned === true &&
        `This bans team ${label} (${id}): the service refuses every message through its devices${known}, until you lift the ban with --no-ban.`,
    ].filter((part) => part !== false);
    const renamed = changes.name && (await renameQuestion(session, { noun: 'team', name: changes.name }, id));
    if (parts.length === 0) return renamed || undefined;
    return { level: 'yes', statement: [...(renamed ? [renamed.statement] : []), ...parts].join(' ') };
  },
  async run(session, { ban }, { shown, changes }) {
    const { changedMembers, sendTeamChanges } = await import('../../resources/teams/team-changes.ts');
    const changed = await sendTeamChanges(session, shown, changes);
    // Refusals of its devices from before the ban was lifted no longer count.
    if (ban === false) await session.devices.dropRefusals(({ teamId }) => isSameId(teamId, shown.id));
    return updateRow(session, changed, changedMembers(shown, changes));
  },
});
