import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { durationUpTo } from '../../lib/parse.ts';
import { longestAdvanceMs } from '../../sandbox/clock.ts';
import { callSandbox, dataOption } from './running.ts';

export const clockAdvance = defineCommand({
  name: 'clock advance',
  summary: 'Advance the clock of the sandbox',
  description: "Codes, tokens and keys expire as if that time had passed. The clock can't be set back.",
  arguments: {
    time: argument('time to add, such as 30s, 5m, 2h or 90d', durationUpTo(longestAdvanceMs, '36600d')),
  },
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox clock advance 30s', does: 'Show the next QR code, or expire the last one' },
    { line: 'botctl sandbox clock advance 90d', does: 'Expire a key that is valid for 90 days' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'now', heading: 'Clock' }] },
  async run(context, { time, data }) {
    const state = await callSandbox(context, data, '/clock', { milliseconds: time });
    context.terminal.done('Advanced the clock of the sandbox.');
    return state;
  },
});
