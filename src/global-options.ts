import { outputFormats } from './context.ts';

/** An option that every command takes, as commander declares it. */
interface GlobalOption {
  readonly flags: string;
  readonly summary: string;
  readonly choices?: readonly string[];
}

/** No subcommand's option shares a name, or its `--no-` form, with one of these; a test walks the tree. */
export const globalOptions: readonly GlobalOption[] = [
  { flags: '--profile <name>', summary: 'use this profile' },
  { flags: '--base-url <url>', summary: 'address of the service' },
  { flags: '-o, --output <format>', summary: 'output format', choices: [...outputFormats, 'help'] },
  { flags: '--fields <names>', summary: 'show only these fields, in this order (comma separated)' },
  { flags: '--header', summary: 'print a heading line in tsv' },
  { flags: '--no-input', summary: 'never ask; fail instead' },
  { flags: '-y, --yes', summary: 'answer yes to y/N questions' },
  { flags: '--no-color', summary: 'print without colour' },
  { flags: '--request-timeout <duration>', summary: 'give up on one request after this long (30s)' },
  { flags: '--retries <number>', summary: 'how often to repeat a request that may be repeated (3)' },
  { flags: '--max-rps <number>', summary: 'send at most this many requests a second' },
  { flags: '--ca-file <file>', summary: 'trust the certificates in this PEM file too' },
  { flags: '--insecure-http', summary: 'allow plain http beyond this machine' },
  { flags: '--debug', summary: 'show requests, retries and traces, with secrets masked' },
];

/**
 * Whether a line asks for JSON, read before anything of it can fail, so that the failure is JSON too.
 */
export function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      arg === '-ojson' ||
      arg === '--output=json' ||
      (arg === 'json' && ['-o', '--output'].includes(args[index - 1] ?? '')),
  );
}
