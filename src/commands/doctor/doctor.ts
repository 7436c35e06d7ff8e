import { resolve } from 'node:path';
import { defineCommand, type Row } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Failure } from '../../errors.ts';
import { option, path } from '../../input/options.ts';
import type { Tone } from '../../terminal/fields.ts';
import type { Finding } from './check.ts';
import { drawFinding, tones } from './draw.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what is wrong, and say what to do about it',
  description:
    'Checks this machine, the config files and their modes, which credentials win, the way to the service ' +
    '(proxy, DNS, TLS), the key, the clocks, what the service calls its parameters, and the terminal. ' +
    'Changes nothing but the cached access token. Ends with the exit code of the first check that is ' +
    'broken; a warning breaks nothing. --bundle writes a report without secrets to hand to whoever helps.',
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
      { name: 'verdict', kind: 'state', importance: 9, tone: toneOf },
      { name: 'found' },
      { name: 'remedy' },
    ],
    drawEach: drawFinding,
  },
  async prepare(): Promise<Outcome> {
    return { failure: undefined };
  },
  async confirm(_context, { bundle }) {
    if (bundle === undefined) return undefined;
    return (await import('./bundle.ts')).bundleConfirmation(resolve(bundle));
  },
  run: async (context, { bundle }, outcome) => findings(context, bundle, outcome),
  verdict: (_rows, outcome) => outcome.failure,
});

/** How the command ends; known once every finding was printed. */
interface Outcome {
  failure: Failure | undefined;
}

async function* findings(
  context: Context,
  bundle: string | undefined,
  outcome: Outcome,
): AsyncGenerator<Row> {
  const { examine, failureBy } = await import('./examination.ts');
  const all: Finding[] = [];
  for await (const finding of examine(context)) {
    all.push(finding);
    const { check, verdict, found, remedy } = finding;
    yield { check, verdict, found, remedy: remedy ?? null };
  }
  outcome.failure = failureBy(all);
  if (bundle === undefined) return;
  const { writeBundle } = await import('./bundle.ts');
  writeBundle(resolve(bundle), context, all);
  context.terminal.done(`Wrote the report to ${bundle}. Secrets are left out; read it before you send it.`);
}

function toneOf(verdict: unknown): Tone | undefined {
  return Object.entries(tones).find(([name]) => name === verdict)?.[1];
}
