import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import { argument, path } from '../../cli/options.ts';
import { replacesFile } from '../../lib/files/file-failure.ts';
import { dataOption, runningSandbox } from './running.ts';
import { contentFields } from './state-fields.ts';

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Write all that the running sandbox holds to a file',
  description:
    'It has the rows of one moment, how its clock was set, the files of documents, and keys by their hashes, never ' +
    'a secret; faults, behaviour and the request log are not in it. Calls that come meanwhile wait for their answers until ' +
    'the rows are read. Anyone who has the file can read messages and device tokens: it is for you only, mode 0600. ' +
    'botctl sandbox import brings it back, here or in another sandbox.',
  arguments: { file: argument('file to write', path) },
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox export state.sandbox', does: 'Save its state, for as many runs as you like' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'record',
    fields: [{ name: 'file' }, { name: 'bytes', kind: 'number' }, ...contentFields],
  },
  async prepare(context, { file, data }) {
    const control = await runningSandbox(context, data);
    return { control, replace: replacesFile(file) };
  },
  async confirm(_context, { file }, { replace }) {
    return replace
      ? { level: 'yes', statement: `${file} exists.`, question: 'Replace it with the export?' }
      : undefined;
  },
  async run({ terminal }, { file }, { control, replace }) {
    const { exportSandbox } = await import('../../sandbox/control/client.ts');
    const writing = terminal.progress('Writing what the sandbox holds');
    const exported = await exportSandbox(control, { file: resolve(file), replace }).finally(() =>
      writing.stop(),
    );
    terminal.done(`Exported the sandbox to ${file}.`);
    return { file, ...exported };
  },
});
