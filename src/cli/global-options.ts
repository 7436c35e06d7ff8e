import { inputFailure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import { decimal, integer, type Parse, positiveDuration, ValueError } from '../lib/parse.ts';
import type { ServiceOptions } from '../lib/text/remark.ts';
import { didYouMean, mostSimilar } from '../lib/text/similar.ts';
import { type FormatOptions, type OutputFormat, outputFormats } from '../output/options.ts';
import { region } from '../phone-numbers/regions.ts';
import { type Allowance, allowances, allowanceWords, isAllowance } from './allow.ts';
import { choice, type Noun } from './options.ts';

/** Names that other tools have for a format. */
const otherNames: Readonly<Record<string, OutputFormat | undefined>> = {
  jsonl: 'ndjson',
  jsonlines: 'ndjson',
  yml: 'yaml',
  text: 'table',
  name: 'id',
};

/** The formats of failures. The default is JSON if the result is JSON or NDJSON. */
const errorFormats = ['text', 'json'] as const;

/** The options that every command takes, parsed. */
export interface GlobalOptions extends FormatOptions {
  /** False if the format comes from BOTCTL_OUTPUT, which a command with its own default ignores. */
  readonly isOutputTyped: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  /** True if questions may be asked: false with `--no-input`, `BOTCTL_NO_INPUT` and under CI. */
  readonly input: boolean;
  readonly yes: boolean;
  /** The words of `--allow`. */
  readonly allow: ReadonlySet<Allowance>;
  /** Milliseconds. */
  readonly requestTimeout: number | undefined;
  readonly retries: number | undefined;
  readonly maxRps: number | undefined;
  readonly caFile: string | undefined;
  readonly insecureHttp: boolean;
  /** The value of --database as typed. Only some commands have that option, but suggested commands repeat it. */
  readonly database: string | undefined;
  /** Two letters in capitals: national phone numbers of this region are accepted. */
  readonly region: string | undefined;
  /** The names given with `--confirm`: each answers one question that asks for a name. */
  readonly confirm: readonly string[];
  readonly debug: boolean;
  /** How suggested commands use the options above, by noun. */
  readonly scopeOf?: ServiceOptions['scopeOf'];
}

/** An option of every command, in commander's notation. */
interface GlobalOption {
  readonly flags: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  /** True if it may be given several times. */
  readonly isRepeatable?: boolean;
  /** The words that it takes, separated by commas, with their descriptions. */
  readonly words?: Readonly<Record<string, string>>;
  /** The kind of object that it names; completion offers the existing ones. */
  readonly noun?: Noun;
  /** True if it is the path of a file. */
  readonly isPath?: boolean;
}

/** No subcommand's option shares a name, or its `--no-` form, with one of these; a test walks the tree. */
export const globalOptions: readonly GlobalOption[] = [
  { flags: '--profile <name>', summary: 'use this profile', noun: 'profile' },
  { flags: '--base-url <url>', summary: 'address of the service' },
  { flags: '-o, --output <format>', summary: 'output format', choices: [...outputFormats, 'help'] },
  { flags: '--fields <names>', summary: 'fields to show, in this order: a,b' },
  { flags: '--header', summary: 'print a heading line in tsv' },
  { flags: '--no-input', summary: 'never ask; fail instead' },
  { flags: '-y, --yes', summary: 'answer yes to y/N questions' },
  {
    flags: '--allow <words>',
    summary: 'allow risks that --yes does not cover (several: a,b)',
    words: allowances,
    isRepeatable: true,
  },
  {
    flags: '--confirm <name>',
    summary: 'confirm with this name; repeatable',
    isRepeatable: true,
  },
  { flags: '--no-color', summary: 'print without colour' },
  { flags: '--request-timeout <duration>', summary: 'time limit of each request (default: 30s)' },
  { flags: '--retries <number>', summary: 'retries of a call that is safe to repeat (default: 3)' },
  {
    flags: '--max-rps <number>',
    summary:
      'maximum requests per second of this process; if xargs -P N runs N of them, divide your limit by N',
  },
  { flags: '--ca-file <file>', summary: 'PEM file of certificates to trust in addition', isPath: true },
  { flags: '--region <code>', summary: 'country of phone numbers without a country code, such as BR' },
  { flags: '--insecure-http', summary: 'allow plain http beyond this machine' },
  { flags: '--error-format <format>', summary: 'error format', choices: errorFormats },
  { flags: '--debug', summary: 'log requests, retries and traces; secrets masked' },
];

/**
 * Checks the options that every command takes.
 * @throws Failure `invalidInput` that lists every problem.
 */
export function parseGlobalOptions(raw: Readonly<Record<string, unknown>>, env: Io['env']): GlobalOptions {
  const problems: string[] = [];
  let hint: string | undefined;
  const outputFormat: Parse<GlobalOptions['output']> = (typed) => {
    const formats = [...outputFormats, 'help'] as const;
    const found = formats.find((format) => format === typed);
    if (found !== undefined) return found;
    const meant = ownMember(otherNames, typed.toLowerCase()) ?? mostSimilar(typed, formats);
    if (meant !== undefined) hint = didYouMean(`-o ${meant}`);
    throw new ValueError(`must be one of ${formats.join(', ')}, not "${typed}"`);
  };
  const value = (name: string): string | undefined => {
    const given = ownMember(raw, name);
    return typeof given === 'string' ? given : undefined;
  };
  /** @param preset the value of the environment variable, used if the option is not given; ignored if empty */
  const parsed = <T>(name: string, flag: string, parse: Parse<T>, preset?: string): T | undefined => {
    const typed = value(name);
    const given = typed ?? (preset || undefined);
    try {
      return given === undefined ? undefined : parse(given);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const variable = `BOTCTL_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
      problems.push(`${typed === undefined ? variable : flag} ${error.message}.`);
      return undefined;
    }
  };
  const allowed = (): GlobalOptions['allow'] => {
    const typed = Array.isArray(raw.allow) ? raw.allow.map(String) : [];
    const words = typed.flatMap((list) => list.split(',')).map((word) => word.trim());
    for (const word of words.filter((one) => !isAllowance(one))) {
      problems.push(`--allow takes ${allowanceWords().join(', ')}, not "${word}".`);
      const meant = mostSimilar(word, allowanceWords());
      if (meant !== undefined) hint = didYouMean(`--allow ${meant}`);
    }
    return new Set(words.filter(isAllowance));
  };
  // The error format has been read by `argv.ts` already, since the command line may be invalid.
  parsed('errorFormat', '--error-format', choice(...errorFormats).parse);
  // Only checks BOTCTL_REGION, which `region.ts` reads. The option below must not contain it, since `profiles set`
  // saves the option.
  if (value('region') === undefined) parsed('region', '--region', region, env.BOTCTL_REGION);
  const options: GlobalOptions = {
    profile: value('profile'),
    baseUrl: value('baseUrl'),
    output: parsed('output', '-o', outputFormat, env.BOTCTL_OUTPUT),
    isOutputTyped: value('output') !== undefined,
    fields: value('fields')
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    header: raw.header === true,
    input: raw.input !== false && !isSet(env.BOTCTL_NO_INPUT) && !isSet(env.CI),
    yes: raw.yes === true,
    allow: allowed(),
    color: raw.color !== false,
    requestTimeout: parsed(
      'requestTimeout',
      '--request-timeout',
      positiveDuration,
      env.BOTCTL_REQUEST_TIMEOUT,
    ),
    retries: parsed('retries', '--retries', integer({ min: 0, max: 20 }), env.BOTCTL_RETRIES),
    maxRps: parsed('maxRps', '--max-rps', decimal({ min: 0.01 }), env.BOTCTL_MAX_RPS),
    caFile: value('caFile'),
    insecureHttp: raw.insecureHttp === true,
    database: value('database'),
    region: parsed('region', '--region', region),
    confirm: Array.isArray(raw.confirm) ? raw.confirm.map(String) : [],
    debug: raw.debug === true,
  };
  if (problems.length > 0) throw inputFailure(problems, hint);
  return options;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false'].includes(variable);
}
