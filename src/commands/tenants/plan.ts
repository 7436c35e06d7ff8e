import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, path } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { planArguments } from '../../tenants/plan-arguments.ts';
import { applyRisks, checkPrune, filesArgument, inputOptions } from './options.ts';
import { forUnverified, warnOfUnverified } from './unverified.ts';

export const plan = defineCommand({
  name: 'plan',
  summary: 'Show what apply would change',
  description:
    'Compares the files, the state file (what was applied last) and the service, and changes nothing. Fields that ' +
    'the files leave out are not managed. An object that is not in the state file is searched for: a team by name, a ' +
    'bot by its name in the team, a document by name, size and number of characters. Devices are never compared, ' +
    'because the API does not show them. It ends with exit code 2 if a change is impossible, or has a risk that ' +
    '--allow does not name.',
  arguments: { files: filesArgument },
  options: {
    ...inputOptions,
    check: flag(
      '--check',
      'exit with 11 if apply would change anything, or the service changed since the last apply',
    ),
    out: option('--out <file>', 'also save the plan for tenants apply --plan (mode 0600, no secrets)', path),
  },
  examples: [
    { line: 'botctl tenants plan', does: 'Show what the files in tenants/ would change' },
    { line: 'botctl tenants plan --check', does: 'Make a job fail if something has to change' },
    { line: 'botctl tenants plan --allow unpublish', does: 'Accept that published bots are unpublished' },
    {
      line: 'botctl tenants plan -o markdown > plan.md',
      does: 'Write it for a pull request',
    },
    { line: 'botctl tenants plan --out plan.json', does: 'Save it, to apply exactly this later' },
  ],
  needs: 'api',
  effect: 'reads',
  allow: applyRisks,
  checkInput: checkPrune,
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'kind' },
      { name: 'action', importance: 8 },
      { name: 'name' },
      { name: 'id', kind: 'id' },
      // Only the names of fields and risks: their values are in other members.
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
    async markdown(rows, { redact }) {
      const [{ planMarkdown }, { isPlanRow }] = await Promise.all([
        import('../../tenants/render/markdown.ts'),
        import('../../tenants/render/rows.ts'),
      ]);
      return planMarkdown(rows.filter(isPlanRow), redact);
    },
  },
  async confirm(_session, { out, files }) {
    if (out === undefined) return undefined;
    const { replacesPlan } = await import('../../tenants/saved-plan/plan-file.ts');
    const isReplaced = replacesPlan(out, files ?? []);
    return isReplaced
      ? { level: 'yes', statement: `${out} exists.`, question: 'Replace it with the plan?' }
      : undefined;
  },
  async run(session, { files, target, check, out, ...line }) {
    const [{ makePlan }, { isDone, planRows }, failures, { totalsText }] = await Promise.all([
      import('../../tenants/make-plan.ts'),
      import('../../tenants/render/rows.ts'),
      import('../../tenants/plan-failure.ts'),
      import('../../tenants/render/sections.ts'),
    ]);
    const input = { ...line, paths: files, targets: target, unverified: forUnverified(session) };
    const result = await makePlan(session, input);
    const rows = planRows(result.plan);
    const risks = failures.risksOf(result.plan);
    const allowed = risks.length > 0 ? ['--allow', risks.join(',')] : [];
    const applied = command('tenants', 'apply', ...planArguments(input), ...allowed);
    if (out !== undefined) {
      const { writePlan } = await import('../../tenants/saved-plan/plan-file.ts');
      await writePlan(session, out, result, input);
    }
    const failure =
      failures.planFailure(result.plan, input, session.allows) ??
      (check ? failures.driftFailure(rows, applied) : undefined);
    return withFailure(rows, () => {
      // The warnings come after the plan, which may be longer than the screen.
      const { terminal, io } = session;
      warnOfUnverified(session, result.plan, input);
      // Without one of these options apply fails in a job, so a successful plan must mention them.
      const makesDevices = result.plan.objects.some(
        ({ kind, action }) => kind === 'device' && action === 'create',
      );
      if (makesDevices && !failure)
        terminal.note(
          'The plan creates devices. In a job, add --secrets-file FILE to apply to save their tokens, or --discard-token.',
        );
      if (out !== undefined)
        terminal.done(
          remark`Saved the plan. Apply exactly this: ${command('tenants', 'apply', '--plan', out)}`,
        );
      else if (io.stdout.isTTY === true && !failure && rows.some(isDone))
        terminal.note(remark`Apply it with: ${applied}`);
      // The output has only rows of values, as in a log, so the totals are added.
      if (io.stdout.isTTY !== true && isBare(session.options.output)) terminal.note(`${totalsText(rows)}.`);
      return failure;
    });
  },
});

/** Returns whether a format has no headings and totals. */
function isBare(output: Session['options']['output'] = 'tsv'): boolean {
  return output === 'tsv' || output === 'csv';
}
