import { resolve } from 'node:path';
import { defineCommand, withFailure } from '../../cli/command.ts';
import { flag, nameOf, option, path } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { remarkText } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { Finding } from './check.ts';
import { drawFinding, tones, verdictIn } from './draw-finding.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Diagnose problems and suggest fixes',
  description:
    'Checks this machine, the config files and their modes, which credentials win, the way to the service ' +
    '(proxy, DNS, TLS), the key, the clocks, what the service calls its parameters, the databases of campaigns, of the desk and of ' +
    'the sandbox, and the terminal. ' +
    'Changes nothing but the cached access token. Ends with the exit code of the first check that is ' +
    'broken; a warning breaks nothing. --bundle writes a report without secrets to hand to the person who helps; with --device it ' +
    'has the status, the history and the entry of that device, numbers masked; reading them from a desk sends the changes that wait. ' +
    'With --learn it finds out, by reads alone, what lists call their parameters and how long pages are, which the ' +
    'specification leaves to the service. See: botctl help specification',
  options: {
    bundle: option('--bundle <file>', 'write a report without secrets to this file, as JSON', path),
    device: option(
      '--device <device>',
      'with --bundle: the device in question, by name or id',
      nameOf('device'),
    ),
    learn: flag('--learn', 'find out how this service chose what the specification leaves open'),
    save: flag('--save', 'with --learn: store in the profile what lists are called by, after a question'),
  },
  examples: [
    { line: 'botctl doctor', does: 'Check everything' },
    { line: 'botctl doctor -o json', does: 'The same for a script' },
    { line: 'botctl doctor --bundle report.json', does: 'Write a report for support' },
    {
      line: 'botctl doctor --bundle report.json --device Reception',
      does: 'The same, with all about a device',
    },
    { line: 'botctl doctor --learn', does: 'Find out how this service chose' },
    { line: 'botctl doctor --learn --save', does: 'Use that from now on' },
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
      // Of what was learned alone.
      { name: 'specification', detail: true },
      { name: 'how', heading: 'How it is known', detail: true },
      { name: 'value', detail: true },
    ],
    drawEach: drawFinding,
  },
  checkInput({ bundle, device, learn, save }) {
    if (bundle === undefined && device !== undefined) throw usageFailure(['--device goes with --bundle.']);
    if (!learn && save) throw usageFailure(['--save goes with --learn.']);
    if (learn && bundle !== undefined) throw usageFailure(['--bundle is of the checks, and not of --learn.']);
  },
  async confirm(_context, { bundle }) {
    if (bundle === undefined) return undefined;
    const { replacesFile } = await import('../../lib/files/file-failure.ts');
    const file = resolve(bundle);
    if (!replacesFile(file)) return undefined;
    return { level: 'yes', statement: `${file} exists.`, question: 'Replace it with the report?' };
  },
  async run(context, { bundle, device, learn, save }) {
    if (learn) return (await import('./learn.ts')).learnService(context, save);
    const [{ deviceForm, writeBundle }, { runChecks, failureBy }] = await Promise.all([
      import('./bundle.ts'),
      import('./run-checks.ts'),
    ]);
    const form = device === undefined ? undefined : await deviceForm(context, device);
    const all: Finding[] = [];
    const rows: Row[] = [];
    const findings = async function* (): AsyncGenerator<Row> {
      for await (const finding of runChecks(context)) {
        const { check, verdict, found, remedy, kind } = finding;
        const text = remedy === undefined ? null : remarkText(remedy, context.options);
        const row = { check, verdict, found, remedy: text };
        all.push(finding);
        rows.push({ ...row, kind });
        yield row;
      }
      if (bundle === undefined) return;
      await writeBundle(resolve(bundle), context, rows, form);
      context.terminal.done(
        `Wrote the report to ${bundle}. Secrets are left out; read it before you send it.`,
      );
    };
    return withFailure(findings(), () => failureBy(all));
  },
});
