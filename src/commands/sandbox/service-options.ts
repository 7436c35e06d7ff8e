import type { Context } from '../../cli/context.ts';
import { choice, flag, option, optionOr } from '../../cli/options.ts';
import { withSandboxHint } from '../../cli/sandbox-hints.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ListenAddress } from '../../lib/listen.ts';
import { byteSize, duration, integer, type Parse, someText, ValueError } from '../../lib/parse.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { qrStyles } from '../../sandbox/qr-styles.ts';
import type { FailedCall, SandboxOptions } from '../../sandbox/sandbox.ts';
import { latency, rateLimit } from './limits.ts';

/** Smaller ones would hold a few rows only. */
const leastLogSize = 1024 * 1024;

const logSize: Parse<number> = (raw) => {
  const bytes = byteSize(raw);
  if (bytes > 0 && bytes < leastLogSize) throw new ValueError('must be 0 or at least 1MiB');
  return bytes;
};

/** An address to listen on: `127.0.0.1:9464`, `[::1]:9464`. */
const listenAddress: Parse<ListenAddress> = (raw) => {
  const [, address = '', plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d+)$/.exec(raw.trim()) ?? [];
  const host = plain ?? address;
  if (host === '') throw new ValueError(`must be a host and a port such as 127.0.0.1:9464, not "${raw}"`);
  return { host, port: integer({ min: 0, max: 65_535 })(digits) };
};

/** How a sandbox serves, wherever its data is. */
export const serviceOptions = {
  host: optionOr('--host <host>', 'address to listen on, of this machine only', '127.0.0.1', someText),
  logSize: option(
    '--log-size <size>',
    'bytes that the log of the requests may have, such as 256MiB; 0 keeps none (64MiB where not given)',
    logSize,
  ),
  log: option(
    '--log <format>',
    'json: say everything on stderr in lines of JSON, and each request there',
    choice('json'),
  ),
  metrics: option(
    '--metrics <host:port>',
    'address for the metrics of Prometheus, at /metrics; whoever reaches it may read them',
    listenAddress,
  ),
  phone: optionOr(
    '--phone <mode>',
    'auto: a simulated phone scans each code that is shown; manual: only with "sandbox phone scan"',
    'auto' as const,
    choice('auto', 'manual'),
  ),
  qrDelay: optionOr('--qr-delay <duration>', 'how long a connected device has no code yet', 0, duration),
  blink: flag('--blink', 'restart each session right after the scan: up, down for 2 s, up for good'),
  sharedEmails: flag(
    '--shared-emails',
    'let several teams have an administrator of one e-mail address, in place of one',
  ),
  rateLimit: option(
    '--rate-limit <pace>',
    'requests that a key may make, such as 20/s or 600/m; more are answered 429',
    rateLimit,
  ),
  latency: option(
    '--latency <time>',
    'let each request wait that long, or any time of a range: 40ms..120ms',
    latency,
  ),
  qrStyle: optionOr(
    '--qr-style <style>',
    'how codes are drawn; mixed takes another style for each code',
    'plain' as const,
    choice(...qrStyles, 'mixed'),
  ),
};

/** What a sandbox tells while it runs, to a person or in lines of JSON. */
export interface Told extends Pick<SandboxOptions, 'onError' | 'onRequest'> {
  readonly reporter: Reporter;
  /** False if programs read it. */
  readonly isForPeople: boolean;
  /** Returns what to throw for what ends the command, and says it if nobody else will. */
  lastWords(thrown: unknown): unknown;
}

/** Returns what tells on stderr what a sandbox does. */
export async function toldBy(context: Context, format: 'json' | undefined): Promise<Told> {
  const told =
    format === 'json' ? (await import('./log-lines.ts')).createLogLines(context) : toldToPeople(context);
  return { ...told, lastWords: (thrown) => told.lastWords(withSandboxHint(thrown, context, true)) };
}

function toldToPeople(context: Context): Told {
  return {
    reporter: context.terminal,
    isForPeople: true,
    lastWords: (thrown) => thrown,
    onError: (error, call) => tellFailure(context, error, call),
  };
}

/** Says on stderr what failed, such as a call that was answered INTERNAL_ERROR: one line, and with --debug where it came from. */
function tellFailure({ terminal, options }: Context, error: unknown, call?: FailedCall): void {
  const failed = call && `Request ${call.requestId} failed (${call.method} ${call.path}): `;
  terminal.warn(`${failed ?? ''}${oneLine(messageOf(error), 500)}`);
  if (options.debug && error instanceof Error && error.stack !== undefined) terminal.note(error.stack);
}
