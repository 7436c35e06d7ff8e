import type { Reply } from '../../client/api.ts';
import { resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { argument, flag, nameOf, onOff, option, someText } from '../../input/options.ts';
import { updatedTeamFields } from './fields.ts';
import { changedTo, checkOnce, type Quotas, quotaChangeOption, quotaNames, shownQuotas } from './quotas.ts';

type TeamDetail = Reply<'getTeam'>['data'];

/** What may be written to a team. */
interface WrittenTeam {
  readonly name?: string | undefined;
  readonly plan_name?: string | undefined;
  readonly paying?: boolean | undefined;
  readonly banned?: boolean | undefined;
  readonly quotas?: Quotas | undefined;
}

export const update = defineCommand({
  name: 'update',
  summary: 'Change a team',
  description: 'Sends only what differs from what the service shows; nothing at all where nothing does.',
  arguments: { team: argument('the team, by name or id', nameOf('team')) },
  options: {
    name: option('--name <name>', 'new name', someText),
    plan: option('--plan <plan>', 'name of its plan', someText),
    paying: onOff('--paying', 'mark it as paying', 'mark it as not paying'),
    ban: flag('--ban', 'ban it'),
    unban: flag('--unban', 'lift its ban'),
    quota: quotaChangeOption,
  },
  examples: [
    {
      line: 'botctl teams update "Aurora Coffee" --plan pro --quota bots=10',
      does: 'Change plan and a quota',
    },
    { line: 'botctl teams update "Aurora Coffee" --quota bots=+5', does: 'Allow five bots more' },
    { line: 'botctl teams update "Aurora Coffee" --ban --yes', does: 'Ban a team, unasked' },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: updatedTeamFields },
  checkInput({ name, plan, paying, ban, unban, quota = [] }) {
    if (ban && unban) throw usageFailure(['--ban and --unban contradict each other.'], 'Give one of them.');
    checkOnce(quota);
    const given = [name, plan, paying].some((value) => value !== undefined) || ban || unban;
    if (!given && quota.length === 0) {
      throw usageFailure(
        ['Nothing to change was given.'],
        'Give what to change: --name, --plan, --paying, --no-paying, --ban, --unban or --quota.',
      );
    }
  },
  async prepare({ api, signal }, { team, name, plan, paying, ban, unban, quota }) {
    const banned = ban ? true : unban ? false : undefined;
    const id = await resolveTeam(api, team, { for: 'write', signal });
    const { data: present } = await api.call('getTeam', { path: { id }, signal });
    const quotas = changedTo(quota, shownQuotas(present.quotas));
    return { present, changes: changesOf(present, { name, plan_name: plan, paying, banned, quotas }) };
  },
  async confirm(_session, _input, { present, changes }) {
    if (changes.banned !== true) return undefined;
    return { level: 'yes', question: `Ban team ${present.name ?? present.id} (${present.id})?` };
  },
  async run({ api, terminal, signal }, _input, { present, changes }) {
    if (Object.keys(changes).length === 0) {
      terminal.note(`Nothing to change: team ${present.name ?? present.id} is like that already.`);
      return { ...present, changes: [] };
    }
    const { data } = await api.call('updateTeam', { path: { id: present.id }, body: changes, signal });
    terminal.done(
      `Changed ${Object.keys(changes).join(', ')} of team ${changes.name ?? present.name ?? present.id}.`,
    );
    const { team } = data;
    if (typeof team === 'object' && team !== null && isDetail(team, present))
      return { ...team, changes: data.changes };
    const read = await api.call('getTeam', { path: { id: present.id }, signal });
    return { ...read.data, changes: data.changes };
  },
});

/**
 * Whether an answer shows all that a read shows. Which form an update answers is withheld, and another plan may
 * have brought other quotas.
 */
function isDetail(answered: object, present: TeamDetail): boolean {
  return Object.keys(present).every((member) => Object.hasOwn(answered, member));
}

/** What differs from what the service shows. A member that it doesn't show counts as different. */
function changesOf(present: TeamDetail, { quotas, ...written }: WrittenTeam): WrittenTeam {
  const changed = Object.entries(written).filter(
    ([name, value]) => value !== undefined && value !== present[name],
  );
  return { ...Object.fromEntries(changed), ...changedQuotas(shownQuotas(present.quotas), quotas) };
}

/**
 * All six quotas where one of them changes: what a service does with the missing ones is withheld, and it
 * may take them for zero.
 */
function changedQuotas(shown: Quotas, given: Quotas | undefined): { readonly quotas?: Quotas } {
  if (given === undefined) return {};
  const quotas = { ...shown, ...given };
  return quotaNames.some((name) => quotas[name] !== shown[name]) ? { quotas } : {};
}
