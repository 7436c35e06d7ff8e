import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { duration, type Parse, ValueError } from '../../lib/parse.ts';
import { dataOption, runningSandbox } from './running.ts';

const positiveDuration: Parse<number> = (raw) => {
  const milliseconds = duration(raw);
  if (milliseconds === 0) throw new ValueError('must be greater than 0');
  return milliseconds;
};

export const clockAdvance = defineCommand({
  name: 'clock advance',
  summary: "Set the running sandbox's clock forward",
  description: 'Codes, tokens and keys expire as if the time had passed. The clock never goes back.',
  arguments: { time: argument('how far, such as 30s, 5m, 2h or 90d', positiveDuration) },
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox clock advance 30s', does: 'See the next QR code, or the end of the last one' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'now', heading: 'Its time' }] },
  async run(context, { time, data }) {
    const control = await runningSandbox(context, data);
    const { advanceClock } = await import('../../sandbox/control/client.ts');
    const advanced = await advanceClock(control, time);
    context.terminal.done("Set the sandbox's clock forward.");
    return advanced;
  },
});
