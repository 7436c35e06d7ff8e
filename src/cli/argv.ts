import { Command as Commander } from 'commander';
import type { Io } from '../lib/io.ts';
import { own } from '../lib/json-object.ts';
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

/**
 * Reads the words and the global options of a line. Of an option that is given twice, the last counts.
 * @param env gives the format where the line doesn't
 */
export function readArgv(args: readonly string[], env: Io['env'] = {}): Argv {
  const { options, words } = parse(args);
  const text = (name: string): string | undefined => {
    const value = own(options, name);
    return typeof value === 'string' ? value : undefined;
  };
  const output = text('output');
  return {
    args,
    words: words[0] === 'help' ? words.slice(1) : words,
    profile: text('profile'),
    baseUrl: text('baseUrl'),
    caFile: text('caFile'),
    insecureHttp: options.insecureHttp === true,
    database: text('database'),
    output,
    jsonErrors: isJson(text('errorFormat'), output ?? env.BOTCTL_OUTPUT),
    debug: options.debug === true,
    color: options.color !== false,
  };
}

/** Parses a line by a command that has the global options, and `--database`, which suggested commands repeat as well. */
function parse(args: readonly string[]): {
  readonly options: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
} {
  const parser = new Commander().exitOverride().configureOutput({ outputError: () => undefined });
  for (const { flags } of globalOptions) parser.option(flags);
  parser.option('--database <url>');
  try {
    const { operands, unknown } = parser.parseOptions([...args]);
    const end = unknown.includes('--') ? unknown.indexOf('--') : unknown.length;
    const isWord = (arg: string): boolean => !arg.startsWith('-') || arg === '-';
    const words = [...operands, ...unknown.slice(0, end).filter(isWord), ...unknown.slice(end + 1)];
    return { options: parser.opts(), words };
  } catch {
    // The last option lacks its value.
    return parse(args.slice(0, -1));
  }
}

/** Formats of a result whose reader reads JSON, by every name that they have. */
const jsonFormats: ReadonlySet<string | undefined> = new Set(['json', 'ndjson', 'jsonl', 'jsonlines']);

function isJson(errorFormat: string | undefined, output: string | undefined): boolean {
  return errorFormat === undefined ? jsonFormats.has(output) : errorFormat === 'json';
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
