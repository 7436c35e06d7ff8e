import { type Command, defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { argument } from '../../cli/options.ts';
import { type Parse, someTimeUpTo, ValueError } from '../../lib/parse.ts';
import { parseTime } from '../../lib/time.ts';
import type { Row } from '../../output/fields.ts';
import { longestAdvanceMs } from '../../sandbox/clock.ts';
import type { ControlRequest } from '../../sandbox/control/calls.ts';
import { callSandbox, dataOption } from './running.ts';

const output = {
  kind: 'record',
  fields: [
    { name: 'now', heading: 'Its time' },
    { name: 'frozen', kind: 'flag' },
  ],
} as const;

/** What every command of the clock is like. */
const clockCommand = { options: { data: dataOption }, needs: 'nothing', effect: 'changes', output } as const;

/** Returns milliseconds since 1970. */
export const timeWithZone: Parse<number> = (raw) => {
  const time = parseTime(raw.trim());
  if (time === undefined || time >= Date.UTC(10_000, 0, 1))
    throw new ValueError(`must be a time with its zone, such as 2027-01-31T18:00:00Z, not "${raw}"`);
  return time;
};

const advance = defineCommand({
  ...clockCommand,
  name: 'clock advance',
  summary: "Set the running sandbox's clock forward",
  description:
    'Codes, tokens and keys expire as if the time had passed. The clock never goes back. One that is frozen ' +
    'stands still at the later moment.',
  arguments: {
    time: argument('how far, such as 30s, 5m, 2h or 90d', someTimeUpTo(longestAdvanceMs, '36600d')),
  },
  examples: [
    { line: 'botctl sandbox clock advance 30s', does: 'See the next QR code, or the end of the last one' },
  ],
  run: (context, { time, data }) =>
    change(context, data, { action: 'advance', milliseconds: time }, "Set the sandbox's clock forward."),
});

const set = defineCommand({
  ...clockCommand,
  name: 'clock set',
  summary: "Set the running sandbox's clock to a later time",
  description:
    'Codes, tokens and keys expire as if it had become that time. The clock never goes back: a time that has ' +
    'been is refused. One that is frozen stands still at the new moment.',
  arguments: { time: argument('the time, with its zone (ISO 8601)', timeWithZone) },
  examples: [
    {
      line: 'botctl sandbox clock set 2099-12-31T23:59:00Z',
      does: 'See what happens at the turn of a year',
    },
  ],
  run: (context, { time, data }) =>
    change(
      context,
      data,
      { action: 'set', time: new Date(time).toISOString() },
      "Set the sandbox's clock to that time.",
    ),
});

const freeze = defineCommand({
  ...clockCommand,
  name: 'clock freeze',
  summary: "Stop the running sandbox's clock",
  description:
    'Until "clock resume" all that happens there happens at one moment: codes, tokens and keys never age, and ' +
    'the simulated phone scans nothing by itself, since its seconds do not pass. "clock advance" and "clock ' +
    'set" move that moment. It stays frozen when the sandbox is started again.',
  examples: [{ line: 'botctl sandbox clock freeze', does: 'Keep a QR code valid for as long as you look' }],
  run: (context, { data }) =>
    change(
      context,
      data,
      { action: 'freeze' },
      "The sandbox's clock stands still.",
      "The sandbox's clock stands still already.",
    ),
});

const resume = defineCommand({
  ...clockCommand,
  name: 'clock resume',
  summary: "Let the running sandbox's clock go on",
  description:
    'It goes on from the moment that it was frozen at, so it may be behind the time of this machine then.',
  examples: [{ line: 'botctl sandbox clock resume', does: 'Let time pass again' }],
  run: (context, { data }) =>
    change(
      context,
      data,
      { action: 'resume' },
      "The sandbox's clock goes on.",
      "The sandbox's clock is running already.",
    ),
});

/** @param already the note where nothing changed */
async function change(
  context: Context,
  data: string | undefined,
  request: ControlRequest<'/clock'>,
  done: string,
  already = done,
): Promise<Row> {
  const { changed, ...state } = await callSandbox(context, data, '/clock', request);
  if (changed) context.terminal.done(done);
  else context.terminal.note(already);
  return state;
}

export const clockCommands: readonly Command[] = [advance, set, freeze, resume];
