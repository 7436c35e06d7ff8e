import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import { argument, flag, path } from '../../cli/options.ts';
import { contents } from './contents.ts';
import { dataOption, runningSandbox } from './running.ts';
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
  async prepare(context, { data }) {
    const control = await runningSandbox(context, data);
    const { readState } = await import('../../sandbox/control/client.ts');
    return { control, state: await readState(control) };
  },
  async confirm(_context, { file, replace }, { state }) {
    if (!replace) return undefined;
    return {
      level: 'yes',
      question: `The sandbox at ${state.base_url} loses all that it holds: ${contents(state)}. Put ${file} in its place?`,
    };
  },
  async run({ settings, terminal }, { file, replace }, { control }) {
    const { importSandbox } = await import('../../sandbox/control/client.ts');
    const reading = terminal.progress('Reading what was exported');
    const { gone_keys: gone, ...state } = await importSandbox(control, {
      file: resolve(file),
      replace,
    }).finally(() => reading.stop());
    terminal.done(`Imported ${file}.`);
    for (const profile of settings.profiles.list()) {
      if (profile.sandboxData !== state.data || !gone.includes(profile.keyId)) continue;
      terminal.warn(
        `The key of the profile "${profile.name}" is gone. Start the sandbox again, and it stores the first one there.`,
      );
    }
    return state;
  },
});
