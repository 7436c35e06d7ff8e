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
    'Checks this machine, the config files and their modes, the credentials, the connection to the service (proxy, ' +
    'DNS, TLS), the key, the clocks, the query parameters of the service, the databases and the terminal. Without ' +
    'options it changes only the cached access token; --device also sends waiting changes to the desk, and --save ' +
    'changes the profile. Exits with the code of the first failed check; warnings do not count. --learn detects with ' +
    'read-only calls how the service names its query parameters and how long its pages are (see: botctl help ' +
    'specification).',
  options: {
    bundle: option(
      '--bundle <file>',
      'file to write a report to, for a colleague or support: JSON, without secrets',
      path,
    ),
    device: option(
      '--device <device>',
      'device to include in the report, with masked numbers; needs --bundle',
      nameOf('device'),
    ),
    learn: flag('--learn', 'detect query parameters and page sizes, which the specification does not define'),
    save: flag('--save', 'save the result in the profile, after asking; needs --learn'),
  },
  examples: [
    { line: 'botctl doctor', does: 'Check everything' },
    { line: 'botctl doctor -o json', does: 'Print the checks for a script' },
    { line: 'botctl doctor --bundle report.json', does: 'Write a report for support' },
    {
      line: 'botctl doctor --bundle report.json --device Reception',
      does: 'Include a device in the report',
    },
    { line: 'botctl doctor --learn', does: 'Detect the parameters of the service' },
    { line: 'botctl doctor --learn --save', does: 'Save them in the profile' },
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
      // Only learned choices have these.
      { name: 'specification', detail: true },
      { name: 'how', heading: 'How it is known', detail: true },
      { name: 'value', detail: true },
    ],
    drawEach: drawFinding,
  },
  checkInput({ bundle, device, learn, save }) {
    if (bundle === undefined && device !== undefined) throw usageFailure(['--device needs --bundle.']);
    if (!learn && save) throw usageFailure(['--save needs --learn.']);
    if (learn && bundle !== undefined) throw usageFailure(["--bundle and --learn can't be used together."]);
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
      context.terminal.done(`Wrote the report to ${bundle}, without secrets. Read it before you send it.`);
    };
    return withFailure(findings(), () => failureBy(all));
  },
});
