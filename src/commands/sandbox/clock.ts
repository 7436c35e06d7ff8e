import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { someTimeUpTo } from '../../lib/parse.ts';
import { longestAdvanceMs } from '../../sandbox/clock.ts';
import { callSandbox, dataOption } from './running.ts';

export const clockAdvance = defineCommand({
  name: 'clock advance',
  summary: "Set the running sandbox's clock forward",
  description: 'Codes, tokens and keys expire as if the time had passed. The clock never goes back.',
  arguments: {
    time: argument('how far, such as 30s, 5m, 2h or 90d', someTimeUpTo(longestAdvanceMs, '36600d')),
  },
  options: { data: dataOption },
  examples: [
    { line: 'botctl sandbox clock advance 30s', does: 'See the next QR code, or the end of the last one' },
    { line: 'botctl sandbox clock advance 90d', does: 'Let a key expire that is valid for 90 days' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'now', heading: 'Its time' }] },
  async run(context, { time, data }) {
    const state = await callSandbox(context, data, '/clock', { milliseconds: time });
    context.terminal.done("Set the sandbox's clock forward.");
    return state;
  },
});
