import { defineCommand } from '../../cli/command.ts';
import { argument, flag, nameOf, onOff, option } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { someText } from '../../lib/parse.ts';
import { resolveTeam } from '../../resources/resolve.ts';
import { changedTo, checkOnce, type Quotas, quotaNames } from '../../resources/teams/quotas.ts';
import { type Team, toTeam } from '../../resources/teams/team.ts';
import { updatedTeamFields } from './fields.ts';
import { quotaChangeOption } from './quota-options.ts';

/** The members of a team that may be written. */
interface TeamInput {
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
  async prepare({ api, askWhich, signal }, { team, name, plan, paying, ban, unban, quota }) {
    const banned = ban ? true : unban ? false : undefined;
    const id = await resolveTeam(api, team, { askWhich, signal });
    const shown = toTeam((await api.call('getTeam', { path: { id }, signal })).data);
    const quotas = changedTo(quota, shown.quotas);
    return { shown, changes: changesOf(shown, { name, plan_name: plan, paying, banned, quotas }) };
  },
  async confirm(_session, _input, { shown, changes }) {
    if (changes.banned !== true) return undefined;
    return { level: 'yes', question: `Ban team ${shown.label} (${shown.id})?` };
  },
  async run({ api, terminal, signal }, _input, { shown, changes }) {
    if (Object.keys(changes).length === 0) {
      terminal.note(`Nothing to change: team ${shown.label} is like that already.`);
      return { ...shown.raw, changes: [] };
    }
    const { data } = await api.call('updateTeam', { path: { id: shown.id }, body: changes, signal });
    terminal.done(`Changed ${Object.keys(changes).join(', ')} of team ${changes.name ?? shown.label}.`);
    const { team } = data;
    if (isObject(team) && isDetail(team, shown)) return { ...team, changes: data.changes };
    const read = await api.call('getTeam', { path: { id: shown.id }, signal });
    return { ...read.data, changes: data.changes };
  },
});

/**
 * True if an answer shows all that a read shows. Which form an update answers is withheld, and another plan may
 * have brought other quotas.
 */
function isDetail(answered: object, { raw }: Team): boolean {
  return Object.keys(raw).every((member) => Object.hasOwn(answered, member));
}

/** Returns what differs from what the service shows. A member that it doesn't show counts as different. */
function changesOf({ raw, quotas: shownQuotas }: Team, { quotas, ...written }: TeamInput): TeamInput {
  const changed = Object.entries(written).filter(
    ([name, value]) => value !== undefined && value !== raw[name],
  );
  return { ...Object.fromEntries(changed), ...changedQuotas(shownQuotas, quotas) };
}

/**
 * Returns all six quotas if one of them changes: what a service does with the missing ones is withheld, and it
 * may take them for zero.
 */
function changedQuotas(shown: Quotas, given: Quotas | undefined): { readonly quotas?: Quotas } {
  if (given === undefined) return {};
  const quotas = { ...shown, ...given };
  return quotaNames.some((name) => quotas[name] !== shown[name]) ? { quotas } : {};
}
