import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, optionOr, path } from '../../cli/options.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { integer } from '../../lib/parse.ts';
import { type CommandLine, command, joinRemarks, remark } from '../../lib/text/remark.ts';
import type { PlanInput } from '../../tenants/make-plan.ts';
import type { Plan } from '../../tenants/plan.ts';
import { lineWords } from '../../tenants/plan-line.ts';
import type { PlanRow } from '../../tenants/render/rows.ts';
import {
  applyRisks,
  checkPrune,
  fileOptions,
  filesArgument,
  lockOption,
  pruneOption,
  targetOption,
} from './options.ts';
import { forUnverified, warnOfUnverified } from './unverified.ts';

export const plan = defineCommand({
  name: 'plan',
  summary: 'Show what would make tenants as their files say',
  description:
    'Compares three things: what the files declare, what was applied last, which the lock knows, and what the ' +
    'service shows. What the files leave out is left alone. What the lock does not know is looked for: a team by its ' +
    'name, a bot by its name in the team, a document by name, size and characters. Nothing is changed. ' +
    'The API shows no devices, so what a device is like is never compared. It ends with 2 if something is impossible, ' +
    'or has a risk whose word is not in --allow, on a terminal too: then tenants apply --yes in a job would not do all ' +
    'of it either.',
  arguments: { files: filesArgument },
  options: {
    ...fileOptions,
    lock: lockOption,
    target: targetOption,
    prune: pruneOption,
    check: flag('--check', 'end with 11 where anything would change, or has changed in the service'),
    checkDrift: flag(
      '--check-drift',
      'end with 11 only if the service was changed since the last apply, whatever else the plan says',
    ),
    out: option(
      '--out <file>',
      'write the plan too, for tenants apply --plan; mode 0600, without a secret',
      path,
    ),
    maxBytes: optionOr('--max-bytes <number>', 'length of -o markdown', 60_000, integer({ min: 1000 })),
  },
  examples: [
    { line: 'botctl tenants plan', does: 'See what would change, by the files in tenants/' },
    { line: 'botctl tenants plan --check', does: 'Let a job fail where something has to change' },
    { line: 'botctl tenants plan --allow unpublish', does: 'Accept that published bots are unpublished' },
    { line: 'botctl tenants plan --check-drift', does: 'Let a job fail if somebody changed the service' },
    {
      line: 'botctl tenants plan -o markdown > plan.md',
      does: 'Write it for a pull request',
    },
    { line: 'botctl tenants plan --out plan.json', does: 'Keep it, and have exactly this carried out later' },
  ],
  needs: 'api',
  effect: 'reads',
  heeds: applyRisks,
  checkInput(input) {
    checkPrune(input);
    if (input.check && input.checkDrift)
      throw usageFailure(['--check-drift contradicts --check.'], 'Give one of them.');
  },
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'kind' },
      { name: 'action', importance: 8 },
      { name: 'name' },
      { name: 'id', kind: 'id' },
      // Which ones; the values are in the members that hold them.
      { name: 'fields.field', heading: 'Fields' },
      { name: 'risks.risk', heading: 'Risks' },
      { name: 'reason' },
      { name: 'fields', detail: true },
      { name: 'risks', detail: true },
      { name: 'impossible', detail: true },
      { name: 'unverifiable', detail: true },
      { name: 'unverified', detail: true },
      { name: 'unknown_since', kind: 'time', detail: true },
    ],
    async draw(rows, context) {
      const [{ drawPlan }, { isPlanRow }] = await Promise.all([
        import('../../tenants/render/draw.ts'),
        import('../../tenants/render/rows.ts'),
      ]);
      return drawPlan(rows.filter(isPlanRow), context);
    },
  },
  async markdown(rows, { maxBytes }, redact) {
    const [{ planMarkdown }, { isPlanRow }] = await Promise.all([
      import('../../tenants/render/markdown.ts'),
      import('../../tenants/render/rows.ts'),
    ]);
    return planMarkdown(rows.filter(isPlanRow), maxBytes, redact);
  },
  async confirm(_session, { out, files }) {
    if (out === undefined) return undefined;
    const { replacesPlan } = await import('../../tenants/saved-plan/plan-file.ts');
    const isReplaced = replacesPlan(out, files ?? []);
    return isReplaced
      ? { level: 'yes', statement: `${out} exists.`, question: 'Replace it with the plan?' }
      : undefined;
  },
  async run(session, { files, lock, target, prune, check, checkDrift, out, var: variables, vars, each }) {
    const [{ makePlan }, { isDone, planRows }, { refusalOf, risksOf }, { totalsText }] = await Promise.all([
      import('../../tenants/make-plan.ts'),
      import('../../tenants/render/rows.ts'),
      import('../../tenants/plan-risks.ts'),
      import('../../tenants/render/sections.ts'),
    ]);
    const unverified = forUnverified(session);
    const input = { paths: files, lock, targets: target, prune, var: variables, vars, each, unverified };
    const made = await makePlan(session, input);
    const rows = planRows(made.plan);
    const risks = risksOf(made.plan);
    const allowed = risks.length > 0 ? ['--allow', risks.join(',')] : [];
    const applied = command('tenants', 'apply', ...lineWords(input), ...allowed);
    if (out !== undefined) {
      const { writePlan } = await import('../../tenants/saved-plan/plan-file.ts');
      await writePlan(session, out, made, input);
    }
    const failure = checkDrift
      ? made.lock.entries.size === 0
        ? withoutState()
        : await driftIn(rows)
      : ((await unknownIn(rows)) ??
        (await unclearIn(made.plan, input)) ??
        refusalOf(made.plan, input, session.allows) ??
        (check ? await pendingIn(rows, applied) : undefined));
    return withFailure(rows, () => {
      // Below the plan, which may be longer than the screen.
      const { terminal, io } = session;
      warnOfUnverified(session, made.plan, input);
      // An apply in a job is refused without either, so a plan that succeeds must say it.
      const makesDevices = made.plan.objects.some(
        ({ kind, action }) => kind === 'device' && action === 'create',
      );
      if (makesDevices && !failure)
        terminal.note(
          'The plan creates devices. In a job, apply needs --secrets-file FILE or --discard-tokens for their tokens.',
        );
      if (out !== undefined)
        terminal.done(
          remark`Wrote the plan. Carry out exactly this: ${command('tenants', 'apply', '--plan', out)}`,
        );
      else if (io.stdout.isTTY === true && !failure && rows.some(isDone))
        terminal.note(remark`Make them so: ${applied}`);
      // Lines of values alone, as in a log: what they come to stands below them.
      if (io.stdout.isTTY !== true && isBare(session.options.output)) terminal.note(`${totalsText(rows)}.`);
      return failure;
    });
  },
});

/** True of a format that shows neither headings nor totals. */
function isBare(output: Session['options']['output'] = 'tsv'): boolean {
  return output === 'tsv' || output === 'csv';
}

/** Nobody knows what became of the create of a device, so that nothing can be said of it. */
async function unknownIn(rows: readonly PlanRow[]): Promise<Failure | undefined> {
  const unknown = rows.filter(({ unknown_since: since }) => since !== null);
  const [first] = unknown;
  if (!first) return undefined;
  const { unknownDevice } = await import('../../tenants/kinds/device.ts');
  const addresses = unknown.map(({ address }) => address).join(', ');
  return new Failure(
    'outcomeUnknown',
    `Whether there is ${addresses} nobody can say: its create was cut off.`,
    { hint: unknownDevice(first.address) },
  );
}

/** Several things may be what the files declare. What else there is to plan is shown all the same. */
async function unclearIn(plan: Plan, input: PlanInput): Promise<Failure | undefined> {
  const unclear = plan.objects.flatMap(({ address, unclear: one }) =>
    one ? [`  ${address}: ${one.says}`] : [],
  );
  if (unclear.length === 0) return undefined;
  const { deciding } = await import('../../tenants/plan-risks.ts');
  return new Failure('ambiguous', ['Nobody can tell which object is meant:', ...unclear].join('\n'), {
    hint: joinRemarks(deciding(plan, input)),
  });
}

async function pendingIn(rows: readonly PlanRow[], applied: CommandLine): Promise<Failure | undefined> {
  const [{ totalsText }, { isDone }, { isRecordedOnly }] = await Promise.all([
    import('../../tenants/render/sections.ts'),
    import('../../tenants/render/rows.ts'),
    import('../../tenants/reasons.ts'),
  ]);
  // What the lock alone learns is no difference.
  const isPending = rows.some((row) => isDone(row) && !isRecordedOnly(row.reason));
  return isPending
    ? new Failure('drift', `The tenants are not as the files say: ${totalsText(rows)}.`, {
        hint: remark`Make them so: ${applied}`,
      })
    : undefined;
}

/** Drift is what moved since the last apply, which the state file alone knows. */
function withoutState(): Failure {
  return new Failure('notFound', 'There is no lock of these tenants, so drift is not known.', {
    hint: 'Commit the file that apply writes (tenants.lock.json), or name it with --lock.',
  });
}

/** The service differs from what the last apply left; what was not applied yet is no drift. */
async function driftIn(rows: readonly PlanRow[]): Promise<Failure | undefined> {
  const { isDrift } = await import('../../tenants/render/rows.ts');
  const drifted = rows.filter(isDrift).map(({ address }) => `  ${address}`);
  if (drifted.length === 0) return undefined;
  const message = ['Changed in the service since the last apply:', ...drifted].join('\n');
  return new Failure('drift', message, {
    hint: 'Write it into the files if it is to stay; the next apply takes it back otherwise.',
  });
}
