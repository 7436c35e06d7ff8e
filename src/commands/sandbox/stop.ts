import { defineCommand } from '../../cli/command.ts';
import { Failure } from '../../lib/errors.ts';
import { readNote } from '../../sandbox/store/note.ts';
import { isInUse } from '../../sandbox/store/ownership.ts';
import { callSandbox, dataOption } from './running.ts';

/** Milliseconds after the drain delay: a sandbox waits for calls in flight, and then for its database. */
const patience = 60_000;

/** Milliseconds between two looks. */
const pause = 20;

export const stop = defineCommand({
  name: 'stop',
  summary: 'End the running sandbox',
  description:
    'It waits for the drain delay of the sandbox, if it has one, until calls in flight have their answers, two seconds at most ' +
    '(with --database 40), and until another one can be started on the same data. What it holds is there again at the next start.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox stop', does: 'End the sandbox, wherever it was started' }],
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
        const note = readNote(stopping.data);
        // Another one has begun.
        if (note !== undefined && note.pid !== stopping.pid) break;
        // It serves on for its drain delay.
        if (note !== undefined) end = clock.now() + patience;
        if (clock.now() >= end) {
          const words = `The sandbox (process ${stopping.pid}) was asked to end, and still runs after ${patience / 1000} s.`;
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
