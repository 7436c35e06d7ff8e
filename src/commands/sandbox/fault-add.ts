import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { argumentList, choice, flag, option, path } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { Failure } from '../../lib/errors.ts';
import { readUserFile } from '../../lib/files/text-input.ts';
import { decimal, durationUpTo, integer, nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
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

/** Timers of Node.js are limited to 24.8 days. */
const delay = durationUpTo(24 * 86_400_000, '24d');

const printable: Parse<string> = (raw) => {
  const text = nonEmptyText(raw);
  if (/^[\x20-\x7e]{1,200}$/.test(text)) return text;
  throw new ValueError(`must be 1 to 200 ASCII characters, not "${raw}"`);
};

const positive = integer({ min: 1 });

/** The options of the effect of a fault. */
interface FaultOptions {
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
  summary: 'Make calls to the sandbox fail',
  description:
    'The target is the name of an operation, such as listTeams, or a method and a path, such as "GET /teams/*". ' +
    'botctl sandbox openapi shows the names (operationId). In a path * is one segment and ** the rest; as a method, ' +
    '* means any; /api/openapi/v1 is optional. If several faults match, the oldest one applies. With --status, ' +
    '--body or --reset before, the call is not executed; with --reset after or --truncate it is. A fault lasts until ' +
    'it is cleared, used up with --times, or the sandbox is reset or stopped.',
  arguments: { target: argumentList('operation, or method and path pattern', nonEmptyText) },
  options: {
    status: option(
      '--status <number>',
      'status of the response, with an error body unless --body is given',
      integer({ min: 200, max: 599 }),
    ),
    code: option('--code <code>', 'error code in that body (default: by the status)', printable),
    retryAfter: option(
      '--retry-after <seconds>',
      'Retry-After header: a number of seconds, the word date (a time 1 to 2 s ahead) or the word none (default: 1 with 429)',
      retryAfter,
    ),
    delay: option('--delay <duration>', 'delay before the request is handled', delay),
    reset: option(
      '--reset <when>',
      'reset the connection before or after the call takes effect',
      choice('before', 'after'),
    ),
    truncate: flag('--truncate', 'send half of the response, then reset the connection'),
    body: option('--body <file>', 'file with the body of the response (default status: 200)', path),
    type: option('--type <type>', 'media type of that body (default: text/html)', printable),
    after: option('--after <number>', 'number of requests to let through first', integer({ min: 0 })),
    times: option('--times <number>', 'number of requests to apply to', positive),
    rate: option('--rate <chance>', 'probability per request, such as 0.1', chance),
    seed: option(
      '--seed <text>',
      'seed of --rate, for repeatable results (default: random, shown by "fault list")',
      nonEmptyText,
    ),
    data: dataOption,
  },
  examples: [
    {
      line: 'botctl sandbox fault add listTeams --status 429 --times 2',
      does: 'Test how a list handles a rate limit',
    },
    {
      line: 'botctl sandbox fault add POST /teams --reset after --times 1',
      does: 'Create a team, but lose the response',
    },
    {
      line: 'botctl sandbox fault add "* /**" --status 500 --rate 0.1 --seed 7',
      does: 'Fail a tenth of all calls, repeatably',
    },
    {
      line: 'botctl sandbox fault add GET /bots --delay 3s --after 2',
      does: 'Slow down a list from its third page on',
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
    context.terminal.note(remark`Remove it: ${sandboxCommands(context).running('fault', 'clear', fault.id)}`);
    return fault;
  },
});

/** @throws Failure `usage` if options contradict each other or are missing */
function checkGiven(given: FaultOptions): void {
  const { status, code, retryAfter, delay, reset, truncate = false, body, type, rate, seed } = given;
  const answers = status !== undefined || body !== undefined;
  const effects = [answers, reset !== undefined, truncate].filter(Boolean).length;
  if (effects === 0 && delay === undefined) {
    throw new Failure('usage', 'The fault does nothing.', {
      hint: 'Add --status, --body, --reset, --truncate or --delay.',
    });
  }
  if (effects > 1) {
    throw new Failure('usage', "--status (or --body), --reset and --truncate can't be combined.", {
      hint: 'Use one of them. --delay can be added to each. For two effects add two faults.',
    });
  }
  if (body === undefined && status !== undefined && status < 400)
    throw new Failure('usage', `--status ${status} is not an error, so it needs --body.`);
  if (retryAfter !== undefined && !answers) throw needs('--retry-after', '--status or --body');
  if (code !== undefined && (status === undefined || body !== undefined))
    throw needs('--code', '--status without --body');
  if (type !== undefined && body === undefined) throw needs('--type', '--body');
  if (seed !== undefined && rate === undefined) throw needs('--seed', '--rate');
}

function needs(option: string, other: string): Failure {
  return new Failure('usage', `${option} needs ${other}.`);
}

/** Returns the effect of the options; undefined for only a delay. */
async function effectOf(context: Context, given: FaultOptions): Promise<FaultEffect | undefined> {
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
  const bytes = await readUserFile(file, maxFaultBodyBytes + 1, signal);
  if (bytes.length <= maxFaultBodyBytes) return bytes;
  throw new Failure('invalidInput', `${file} is larger than ${maxFaultBodyBytes / 1024 ** 2} MiB.`);
}
