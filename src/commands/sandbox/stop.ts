import { defineCommand } from '../../cli/command.ts';
import { Failure } from '../../lib/errors.ts';
import { readControlFile } from '../../sandbox/store/control-file.ts';
import { isInUse } from '../../sandbox/store/ownership.ts';
import { callSandbox, dataOption } from './running.ts';

/**
 * How long to wait after the drain delay, in milliseconds: a sandbox waits for calls in flight, and then for its
 * database.
 */
const patience = 60_000;

/** The interval between two checks, in milliseconds. */
const pause = 20;

export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the sandbox',
  description:
    'Waits for the drain delay, if there is one, then at most two seconds (40 with --database) for calls in flight, and ' +
    'until a sandbox can be started on the same data again. The data is kept for the next start.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox stop', does: 'Stop the sandbox' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'data' }, { name: 'pid', heading: 'Process', kind: 'id' }] },
  async run(context, { data }) {
    const { clock, terminal, signal } = context;
    const stopping = await callSandbox(context, data, '/stop', {});
    const ends = terminal.progress('Stopping the sandbox');
    try {
      let end = clock.now() + patience;
      while (isInUse(stopping.data)) {
        const controlFile = readControlFile(stopping.data);
        // Another sandbox has started.
        if (controlFile !== undefined && controlFile.pid !== stopping.pid) break;
        // It still serves during its drain delay.
        if (controlFile !== undefined) end = clock.now() + patience;
        if (clock.now() >= end) {
          const words = `The sandbox (process ${stopping.pid}) is still running ${patience / 1000} s after it was asked to stop.`;
          throw new Failure('notReached', words);
        }
        await clock.sleep(pause, signal);
      }
    } finally {
      ends.stop();
    }
    terminal.done('Stopped the sandbox.');
    return stopping;
  },
});
