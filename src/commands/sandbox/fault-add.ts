import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { argumentList, choice, flag, option, path } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { Failure } from '../../lib/errors.ts';
import { readGivenFile } from '../../lib/files/text-input.ts';
import { decimal, integer, type Parse, someText, someTimeUpTo, ValueError } from '../../lib/parse.ts';
import { remark } from '../../lib/text/remark.ts';
import type { FaultEffect, RetryAfter } from '../../sandbox/faults/fault.ts';
import { faultFields } from './fields.ts';
import { callSandbox, dataOption } from './running.ts';

const chance: Parse<number> = (raw) => {
  const rate = decimal({ min: 0, max: 1 })(raw);
  if (rate === 0) throw new ValueError('must be greater than 0');
  return rate;
};

const retryAfter: Parse<RetryAfter> = (raw) => {
  if (raw === 'date' || raw === 'none') return raw;
  if (/^\d+$/.test(raw) && Number(raw) <= 86_400) return Number(raw);
  throw new ValueError(`must be a whole number of seconds up to 86400, date or none, not "${raw}"`);
};

/** Timers of Node count up to 24.8 days. */
const delay = someTimeUpTo(24 * 86_400_000, '24d');

const printable: Parse<string> = (raw) => {
  const text = someText(raw);
  if (/^[\x20-\x7e]{1,200}$/.test(text)) return text;
  throw new ValueError(`must be up to 200 characters of ASCII, not "${raw}"`);
};

const positive = integer({ min: 1 });

/** The options that say what a fault does, as they are given. */
interface Given {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly retryAfter?: RetryAfter | undefined;
  readonly delay?: number | undefined;
  readonly reset?: 'before' | 'after' | undefined;
  readonly truncate?: boolean | undefined;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
  readonly rate?: number | undefined;
  readonly seed?: string | undefined;
}

export const faultAdd = defineCommand({
  name: 'fault add',
  summary: 'Let calls of the running sandbox fail on purpose',
  description:
    'A fault is for an operation, such as listTeams (those of "sandbox openapi"), or for a method and a path, ' +
    'such as "GET /teams/*": * is one segment, ** the rest, and * for the method any; /api/openapi/v1 may be ' +
    'left out. Faults are asked in the order in which they were added, and the first that applies wins. ' +
    'With --status, --body and --reset before the call has not taken effect; with --reset after and ' +
    '--truncate it has. A delay comes first, alone or with one of these. Faults are kept until they are ' +
    'cleared, or the sandbox is reset or stopped.',
  arguments: { target: argumentList('operation, or METHOD PATH-PATTERN', someText) },
  options: {
    status: option(
      '--status <number>',
      'answer with this status, in the error envelope where no --body is given',
      integer({ min: 200, max: 599 }),
    ),
    code: option('--code <code>', 'code in that envelope (by the status where not given)', printable),
    retryAfter: option(
      '--retry-after <seconds>',
      'the header Retry-After: seconds, date for a date soon, or none (1 with 429 where not given)',
      retryAfter,
    ),
    delay: option('--delay <duration>', 'let the request wait that long before anything else', delay),
    reset: option(
      '--reset <when>',
      'reset the connection before or after the call takes effect',
      choice('before', 'after'),
    ),
    truncate: flag('--truncate', 'send half of the answer, then reset the connection'),
    body: option('--body <file>', 'answer with the bytes of a file (status 200 where not given)', path),
    type: option('--type <type>', 'media type of that file (text/html where not given)', printable),
    after: option('--after <number>', 'let that many requests through first', integer({ min: 0 })),
    times: option('--times <number>', 'apply to that many requests, then end', positive),
    rate: option('--rate <chance>', 'apply to a request with this chance, such as 0.1', chance),
    seed: option(
      '--seed <text>',
      'make --rate repeatable (a number that "fault list" shows where not given)',
      someText,
    ),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox fault add listTeams --status 429 --times 2', does: 'See a list wait and go on' },
    {
      line: 'botctl sandbox fault add POST /teams --reset after --times 1',
      does: 'Lose the answer of a create that took effect',
    },
    {
      line: 'botctl sandbox fault add "* /**" --status 500 --rate 0.1 --seed 7',
      does: 'Let a tenth of all calls fail, the same ones each time',
    },
    {
      line: 'botctl sandbox fault add GET /bots --delay 3s --after 2',
      does: 'Make a list slow from its third page on',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: faultFields },
  checkInput: checkGiven,
  async run(context, input) {
    const { target, delay, after, times, rate, seed, data } = input;
    const effect = await effectOf(context, input);
    const fault = await callSandbox(context, data, '/fault/add', {
      ...{ target: target.join(' '), delay, effect, after, times, rate, seed },
    });
    context.terminal.done(`Added fault ${fault.id}.`);
    context.terminal.note(remark`End it: ${sandboxCommands(context).running('fault', 'clear', fault.id)}`);
    return fault;
  },
});

/** @throws Failure `usage` for options that don't go together, or too few */
function checkGiven(given: Given): void {
  const { status, code, retryAfter, delay, reset, truncate = false, body, type, rate, seed } = given;
  const answers = status !== undefined || body !== undefined;
  const effects = [answers, reset !== undefined, truncate].filter(Boolean).length;
  if (effects === 0 && delay === undefined) {
    throw new Failure('usage', 'The fault does nothing.', {
      hint: 'Say what it does: --status, --body, --reset, --truncate or --delay.',
    });
  }
  if (effects > 1) {
    throw new Failure('usage', '--status or --body, --reset and --truncate exclude each other.', {
      hint: 'Give one of them; --delay goes with each. Two effects are two faults.',
    });
  }
  if (body === undefined && status !== undefined && status < 400)
    throw new Failure('usage', `--status ${status} is no error, so it needs a --body.`);
  if (retryAfter !== undefined && !answers) throw needs('--retry-after', '--status or --body');
  if (code !== undefined && (status === undefined || body !== undefined))
    throw needs('--code', '--status without --body');
  if (type !== undefined && body === undefined) throw needs('--type', '--body');
  if (seed !== undefined && rate === undefined) throw needs('--seed', '--rate');
}

function needs(option: string, other: string): Failure {
  return new Failure('usage', `${option} is only for ${other}.`);
}

/** Returns the effect that the options ask for; undefined for a delay alone. */
async function effectOf(context: Context, given: Given): Promise<FaultEffect | undefined> {
  const { status, code, retryAfter: retry_after, reset, truncate, body, type = 'text/html' } = given;
  if (body !== undefined) {
    const bytes = (await readBody(context, body)).toString('base64');
    return { kind: 'body', bytes, type, status: status ?? 200, retry_after };
  }
  if (status !== undefined) return { kind: 'status', status, code, retry_after };
  if (reset !== undefined) return { kind: 'reset', when: reset };
  return truncate ? { kind: 'truncate' } : undefined;
}

async function readBody({ signal }: Context, file: string): Promise<Buffer> {
  const { maxFaultBodyBytes } = await import('../../sandbox/faults/fault.ts');
  const bytes = await readGivenFile(file, maxFaultBodyBytes + 1, signal);
  if (bytes.length <= maxFaultBodyBytes) return bytes;
  throw new Failure('invalidInput', `${file} is larger than ${maxFaultBodyBytes / 1024 ** 2} MiB.`);
}
