import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import type { Address, Desired } from '../../tenants/desired.ts';
import { fileOptions, filesArgument } from './options.ts';

export const validate = defineCommand({
  name: 'validate',
  summary: 'Check tenant files',
  description:
    'Reports all problems at once, with file, line and column, and then ends with exit code 2. Does not call the service. ' +
    'Files and environment variables that the tenant files name must exist. Documents must have a type that can be ' +
    'uploaded, and everything must fit into the quotas in the files.',
  arguments: { files: filesArgument },
  options: fileOptions,
  examples: [
    { line: 'botctl tenants validate draft.yaml', does: 'Check a file' },
    { line: 'botctl tenants validate', does: 'Check the files in tenants/' },
    {
      line: 'botctl tenants validate many.yaml --each tenants.csv -o json',
      does: 'Check a tenant per row, and print the problems as JSON',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [
      { name: 'file' },
      { name: 'line', kind: 'number' },
      { name: 'column', kind: 'number' },
      { name: 'field' },
      { name: 'problem', importance: 9 },
    ],
    // The position has the form that compilers use, which editors and terminals open.
    async draw(rows, { paint, redact, columns }) {
      const [{ sanitise }, { rulerFor, wrap }] = await Promise.all([
        import('../../terminal/sanitise.ts'),
        import('../../terminal/width.ts'),
      ]);
      const shown = (value: unknown): string => redact(sanitise(String(value)));
      const ruler = await rulerFor(rows.map(({ problem }) => String(problem)));
      const parts = rows.map(({ file, line, column, problem }) => {
        const lines = wrap(ruler, shown(problem), columns - 2).map((one) => `  ${one}\n`);
        return `${paint.heading(`${shown(file)}:${line}:${column}`)}\n${lines.join('')}`;
      });
      return parts.join('');
    },
  },
  async run({ io, terminal, signal, reporter }, { files, ...variables }) {
    const [{ readTenants }, { contentProblems }] = await Promise.all([
      import('../../tenants/files/read-tenants.ts'),
      import('../../tenants/files/check-contents.ts'),
    ]);
    const { desired, problems: ofForm } = await readTenants(io, { paths: files, ...variables });
    const isKnown = await knownIn(files ?? []);
    const ofContent = await contentProblems({ signal, reporter }, desired.tenants, isKnown);
    const problems = [...ofForm, ...ofContent];
    const rows = problems.map(({ place, field, message }) => ({ ...place, field, problem: message }));
    if (problems.length === 0) {
      tellMissing(terminal, desired, isKnown);
      terminal.done(`No problems found in ${contentsOf(desired)}.`);
    }
    return withFailure(rows, problems.length === 0 ? undefined : failureOf(problems.length));
  },
});

/**
 * Returns a function that checks whether the state file next to the files has an object at an address. A state file
 * that can't be read has no objects.
 */
async function knownIn(files: readonly string[]): Promise<(address: Address) => boolean> {
  const [{ statePathFor }, { readState }] = await Promise.all([
    import('../../tenants/make-plan.ts'),
    import('../../tenants/state-file.ts'),
  ]);
  try {
    const { entries } = readState(statePathFor(files));
    return (address) => entries.get(address)?.id !== undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return () => false;
    throw thrown;
  }
}

/** The maximum number of tenants that are listed by name; the others are counted. */
const maxNamed = 5;

/**
 * Reports tenants without the fields that a create needs. That is not an error: only the service knows whether the team
 * exists.
 */
function tellMissing(
  { note }: Context['terminal'],
  { tenants }: Desired,
  isKnown: (address: Address) => boolean,
): void {
  const incomplete = tenants.filter(
    ({ address, administrator, fields }) => !isKnown(address) && !(administrator && fields.plan_name),
  );
  const [first] = incomplete;
  if (!first) return;
  const named = firstFew(
    incomplete.map(({ address }) => address),
    maxNamed,
  );
  note(
    remark`A team that does not exist yet needs administrator and plan_name, and these tenants lack them: ${named}. Check whether their teams exist: ${command('tenants', 'plan')}`,
  );
}

/** Returns the contents of the files as text: `2 tenants with 1 document, 3 bots and 0 devices`. */
function contentsOf({ tenants }: Desired): string {
  const sum = (kind: 'documents' | 'bots' | 'devices'): number =>
    tenants.reduce((total, tenant) => total + tenant[kind].length, 0);
  const [documents, bots, devices] = [sum('documents'), sum('bots'), sum('devices')];
  const inner = `${pluralize(documents, 'document')}, ${pluralize(bots, 'bot')} and ${pluralize(devices, 'device')}`;
  return `${pluralize(tenants.length, 'tenant')} with ${inner}`;
}

function failureOf(problems: number): Failure {
  const message = `Found ${pluralize(problems, 'problem')} in the files.`;
  return new Failure('invalidInput', message, {
    hint: remark`See what the files can contain: ${command('help', 'tenants')}`,
  });
}
