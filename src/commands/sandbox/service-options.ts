import type { Context } from '../../cli/context.ts';
import { choice, flag, type Option, option, optionOr } from '../../cli/options.ts';
import { messageOf } from '../../lib/errors.ts';
import { integer, nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import type { RateLimit } from '../../sandbox/faults/limits.ts';
import type { FailedCall } from '../../sandbox/sandbox.ts';
import { databaseOptions } from './database-options.ts';

/** Parses a number of requests per second or minute: `20/s`, `600/m`. */
const rateLimit: Parse<RateLimit> = (raw) => {
  const [, count = '', unit] = /^(\d+)\/([sm])$/.exec(raw.trim()) ?? [];
  if (unit === undefined)
    throw new ValueError(`must be a number of requests such as 20/s or 600/m, not "${raw}"`);
  const requests = integer({ min: 1, max: 1_000_000 })(count);
  return { requests, per: unit === 's' ? 'second' : 'minute' };
};

/** Returns the option of the port with its default. */
export function portOption(usual: number): Option<number> {
  return optionOr(
    '--port <port>',
    'port to listen on; 0 for any free port',
    usual,
    integer({ min: 0, max: 65_535 }),
  );
}

/** The options of the service, for all commands that start a sandbox. */
export const serviceOptions = {
  ...databaseOptions,
  host: optionOr(
    '--host <host>',
    'address to listen on; if other machines can reach it, --insecure-http and a key from sandbox key create are needed',
    '127.0.0.1',
    nonEmptyText,
  ),
  phone: optionOr(
    '--phone <mode>',
    'auto: the simulated phone scans every code; manual: only by "sandbox phone scan"',
    'auto' as const,
    choice('auto', 'manual'),
  ),
  sharedEmails: flag('--shared-emails', 'allow several teams to have the same administrator e-mail'),
  rateLimit: option(
    '--rate-limit <pace>',
    'requests per key, such as 20/s or 600/m; more get status 429',
    rateLimit,
  ),
};

/** Warns about an internal error of a call on one line; with --debug also reports its origin. */
export function warnOfError({ terminal, options }: Context, error: unknown, call?: FailedCall): void {
  const failed = call && `Request ${call.requestId} failed (${call.method} ${call.path}): `;
  terminal.warn(`${failed ?? ''}${oneLine(messageOf(error), 500)}`);
  if (options.debug && error instanceof Error && error.stack !== undefined) terminal.note(error.stack);
}
