import { resolve } from 'node:path';
import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { option, path } from '../../cli/options.ts';
import { remarkText } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import type { Finding } from './check.ts';
import { drawFinding, tones, verdictIn } from './draw.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what is wrong, and say what to do about it',
  description:
    'Checks this machine, the config files and their modes, which credentials win, the way to the service ' +
    '(proxy, DNS, TLS), the key, the clocks, what the service calls its parameters, and the terminal. ' +
    'Changes nothing but the cached access token. Ends with the exit code of the first check that is ' +
    'broken; a warning breaks nothing. --bundle writes a report without secrets to hand to the person who helps.',
  options: {
    bundle: option('--bundle <file>', 'write a report without secrets to this file, as JSON', path),
  },
  examples: [
    { line: 'botctl doctor', does: 'Check everything' },
    { line: 'botctl doctor -o json', does: 'The same for a script' },
    { line: 'botctl doctor --bundle report.json', does: 'Write a report for support' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [
      { name: 'check', importance: 9 },
      { name: 'verdict', kind: 'state', importance: 9, tone: (verdict) => tones[verdictIn(verdict)] },
      { name: 'found' },
      { name: 'remedy' },
    ],
    drawEach: drawFinding,
  },
  async confirm(_context, { bundle }) {
    if (bundle === undefined) return undefined;
    return (await import('./bundle.ts')).bundleConfirmation(resolve(bundle));
  },
  async run(context, { bundle }) {
    const { runChecks, failureBy } = await import('./run-checks.ts');
    const all: Finding[] = [];
    return withFailure(findings(context, bundle, runChecks(context), all), () => failureBy(all));
  },
});

/** The rows of the findings, which are collected in `all` meanwhile: for the bundle, and for how the command ends. */
async function* findings(
  context: Context,
  bundle: string | undefined,
  found: AsyncIterable<Finding>,
  all: Finding[],
): AsyncGenerator<Row> {
  for await (const finding of found) {
    all.push(finding);
    const { check, verdict, remedy } = finding;
    const told = remedy === undefined ? null : remarkText(remedy, context.options);
    yield { check, verdict, found: finding.found, remedy: told };
  }
  if (bundle === undefined) return;
  const { writeBundle } = await import('./bundle.ts');
  await writeBundle(resolve(bundle), context, all);
  context.terminal.done(`Wrote the report to ${bundle}. Secrets are left out; read it before you send it.`);
}
