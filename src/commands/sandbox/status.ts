import { defineCommand, type ResultOrFailed, withFailure } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/options.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { OutputShape } from '../../output/shape.ts';
import { stateFields } from './fields.ts';
import { sandboxesHere } from './noted-sandboxes.ts';
import { callSandbox, dataOption } from './running.ts';

/** What tells several from each other, where a table has no room for more. */
const telling: ReadonlySet<string> = new Set(['data', 'base_url', 'database']);

/** The shapes of its result: of one sandbox, or of all. */
const outputs: Readonly<Record<'one' | 'all', OutputShape>> = {
  one: { kind: 'record', fields: stateFields },
  all: {
    kind: 'list',
    fields: [
      ...stateFields.map((field) => (telling.has(field.name) ? { ...field, importance: 9 } : field)),
      { name: 'error' },
    ],
    empty: { none: remark`No sandbox is running. Start one: ${command('sandbox', 'start')}` },
  },
};

export const status = defineCommand({
  name: 'status',
  summary: 'Show the sandbox that runs: where it is, its time, how much it holds',
  description:
    'With --all it shows each sandbox that "sandbox start" of this user runs on this machine. Faults, limits and ' +
    'the log are of each alone, also where several serve one database; name the one that is meant by --data.',
  options: {
    data: dataOption,
    all: flag('--all', 'every sandbox that runs on this machine'),
  },
  examples: [
    { line: 'botctl sandbox status', does: 'See whether one runs, and where' },
    {
      line: 'botctl sandbox status --data ./sandbox -o json',
      does: 'The same of a certain one, for a script',
    },
    { line: 'botctl sandbox status --all', does: 'See which ones run here, and on which database' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: outputs.one,
  outputFor: (options) => (options.all ? outputs.all : undefined),
  checkInput({ data, all }) {
    if (all && data !== undefined) throw usageFailure(['--all and --data exclude each other.']);
  },
  run: (context, { data, all }) => (all ? readAll(context) : callSandbox(context, data, '/status', {})),
});

/** Reads how each is. One that can't say it, as where its database is away, has a row with the reason. */
async function readAll(context: Context): Promise<ResultOrFailed<readonly Row[]>> {
  const { callControl, findControl } = await import('../../sandbox/control/client.ts');
  const { signal } = context;
  const failures: Failure[] = [];
  const here = sandboxesHere(context);
  const rows = await Promise.all(
    here.map(async (data): Promise<Row> => {
      try {
        return await callControl(findControl(data, signal), '/status', {});
      } catch (error) {
        if (!(error instanceof Failure) || signal.aborted) throw error;
        failures.push(error);
        return { data, error: error.message };
      }
    }),
  );
  const [first] = failures;
  if (!first) return rows;
  const said = `${failures.length} of ${here.length} sandboxes could not say how they are.`;
  return withFailure(rows, failures.length === here.length ? first : new Failure('partlyDone', said));
}
