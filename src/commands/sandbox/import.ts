import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import { argument, flag, path } from '../../cli/options.ts';
import { bookedDevices, findFilled, lossOf, noteLostDevices, warnOfProfiles } from './emptying.ts';
import { dataOption } from './running.ts';
import { stateFields } from './state-fields.ts';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Fill the running sandbox with what was exported from one',
  description:
    'All of it or nothing: a file that was cut short or edited is refused. The keys of the export are valid with their ' +
    'secrets, and the key that the sandbox began with stays so. Its clock goes on as the exported one was set, or ' +
    'stands still where that did; a device that waited for its phone goes on waiting if its codes have not ended by ' +
    'then, with codes of this sandbox. With --replace the export takes the place of all that is there, and faults and ' +
    'behaviour are as at the start. Calls that come meanwhile wait for their answers.',
  arguments: { file: argument('file that sandbox export wrote', path) },
  options: {
    replace: flag('--replace', 'put it in the place of all that the sandbox holds'),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox import saved.sandbox --replace', does: 'Bring a saved state back' },
    {
      line: 'botctl sandbox import colleague.sandbox',
      does: 'Have in an empty sandbox what another one held',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: stateFields },
  prepare: (context, { data }) => findFilled(context, data),
  async confirm(_context, { file, replace }, { state }) {
    if (!replace) return undefined;
    return { level: 'yes', statement: lossOf(state), question: `Put ${file} in its place?` };
  },
  async run(context, { file, replace, data }, { control, state: before }) {
    const { importSandbox } = await import('../../sandbox/control/client.ts');
    const reading = context.terminal.progress('Reading what was exported');
    const {
      gone_keys: gone,
      absent_devices: absent,
      ...state
    } = await importSandbox(control, {
      file: resolve(file),
      replace,
      known_devices: [...bookedDevices(context, before)],
    }).finally(() => reading.stop());
    context.terminal.done(`Imported ${file}.`);
    warnOfProfiles(context, state, (keyId) => gone.includes(keyId));
    noteLostDevices(context, absent, data);
    return state;
  },
});
