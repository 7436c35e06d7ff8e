import type { Io } from '../lib/io.ts';
import { globalOptions } from './global-options.ts';

/** A line as read before commander reads it, so that its global options are known however it fails. */
export interface Argv {
  /** The line as it was typed. */
  readonly args: readonly string[];
  /**
   * Its words without a leading `help`: those that are neither options nor values of global ones. They begin with
   * the command; behind it they include the values of its own options.
   */
  readonly words: readonly string[];
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly caFile: string | undefined;
  readonly insecureHttp: boolean;
  /** The database that the line names, where its command has that option. */
  readonly database: string | undefined;
  /** The format as it was typed. */
  readonly output: string | undefined;
  /** True if a failure is to be told as JSON: asked for, or the format of the result is JSON. */
  readonly jsonErrors: boolean;
  readonly debug: boolean;
  readonly color: boolean;
}

/** The global options, and one that lines repeat as they do these, by each of their flags: the long one, and whether a value follows. */
const known: ReadonlyMap<string, { readonly name: string; readonly takesValue: boolean }> = new Map(
  [...globalOptions, { flags: '--database <url>' }].flatMap(({ flags }) => {
    const forms = flags.match(/--?[\w-]+/g) ?? [];
    const option = { name: forms.at(-1) ?? flags, takesValue: flags.includes('<') };
    return forms.map((form) => [form, option]);
  }),
);

/**
 * Reads the words and the global options of a line. Of an option that is given twice, the last counts.
 * @param env gives the format where the line doesn't
 */
export function readArgv(args: readonly string[], env: Io['env'] = {}): Argv {
  const words: string[] = [];
  const given = new Map<string, string | undefined>();
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    const { options, awaitsValue } = readOptions(arg);
    for (const [name, value] of options) given.set(name, value);
    if (awaitsValue === undefined) {
      if (!arg.startsWith('-') || arg === '-') words.push(arg);
    } else {
      at += 1;
      given.set(awaitsValue, args[at]);
    }
  }
  const output = given.get('--output');
  return {
    args,
    words: words[0] === 'help' ? words.slice(1) : words,
    profile: given.get('--profile'),
    baseUrl: given.get('--base-url'),
    caFile: given.get('--ca-file'),
    insecureHttp: given.has('--insecure-http'),
    database: given.get('--database'),
    output,
    jsonErrors: isJson(given.get('--error-format'), output ?? env.BOTCTL_OUTPUT),
    debug: given.has('--debug'),
    color: !given.has('--no-color'),
  };
}

/** Formats of a result whose reader reads JSON, by every name that they have. */
const jsonFormats: ReadonlySet<string | undefined> = new Set(['json', 'ndjson', 'jsonl', 'jsonlines']);

function isJson(errorFormat: string | undefined, output: string | undefined): boolean {
  return errorFormat === undefined ? jsonFormats.has(output) : errorFormat === 'json';
}

interface OptionsOfArg {
  readonly options: readonly (readonly [name: string, value: string | undefined])[];
  /** The option whose value is the next argument. */
  readonly awaitsValue?: string;
}

/** The global options that an argument gives: `--output=json`, `-ojson`, or `-yo` with the value behind it. */
function readOptions(arg: string): OptionsOfArg {
  if (arg.startsWith('--')) {
    const [flag = '', ...value] = arg.split('=');
    const option = known.get(flag);
    if (!option) return { options: [] };
    if (!option.takesValue || value.length > 0) return { options: [[option.name, value.join('=')]] };
    return { options: [], awaitsValue: option.name };
  }
  const options: [string, string | undefined][] = [];
  for (let at = 1; arg.startsWith('-') && at < arg.length; at += 1) {
    const option = known.get(`-${arg[at]}`);
    if (!option) break;
    const rest = arg.slice(at + 1);
    if (option.takesValue && rest === '') return { options, awaitsValue: option.name };
    options.push([option.name, option.takesValue ? rest : undefined]);
    if (option.takesValue) break;
  }
  return { options };
}

/** The words of a command behind its noun, and those with another verb for it. */
export interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** Returns every name of a command: `questions remove`, `questions rm`. */
export function namesOf({ name, aliases = [] }: Named): readonly string[] {
  const group = name.split(' ').slice(0, -1);
  return [name, ...aliases.map((alias) => [...group, alias].join(' '))];
}

/** True if the words after the noun begin with those of one of a command's names. */
export function isNamed(words: readonly string[], command: Named): boolean {
  return namesOf(command).some((name) => name.split(' ').every((word, at) => words[at + 1] === word));
}
