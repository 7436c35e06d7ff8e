import type { CommanderError } from 'commander';
import { Failure } from './errors.ts';
import { outputFormats } from './input/global-options.ts';
import { commandMeant } from './line-meant.ts';
import { fold } from './names/fold.ts';
import type { Field, Fields } from './terminal/fields.ts';
import { headingOf, words as wordsOf } from './terminal/values.ts';
import { capitalised } from './text/capitalised.ts';
import { shellWord } from './text/shell-word.ts';
import { synonymsOf } from './verb-synonyms.ts';

/** Verbs that people look for and the API doesn't have: why, and what to do instead. */
const absentVerbs: Readonly<Record<string, { readonly why: string; readonly instead: string }>> = {
  'teams delete': {
    why: 'The API has no way to delete a team.',
    instead: 'Ban it instead: botctl teams update <team> --ban',
  },
  'docs delete': {
    why: 'The API has no way to delete a document.',
    instead: 'Unlink it from its bots: botctl bots documents remove <bot> <document>',
  },
  'docs update': {
    why: 'Only the name of a document can change; its file cannot.',
    instead:
      'Rename it with botctl docs rename <document> <name>, or upload the new file with botctl docs upload.',
  },
  'device update': {
    why: 'The API has no way to change a device.',
    instead: 'Create another one: botctl device create --team <team> --bot <bot> --name <name>',
  },
  'device delete': {
    why: 'The API has no way to delete a device.',
    instead:
      'Stop it: botctl device disconnect <device>. To take it off your list: botctl device forget <device>',
  },
  'bots publish': {
    why: 'The API has no way to publish a bot.',
    instead: 'Publish it in the platform itself; on a sandbox, run botctl sandbox publish <bot>.',
  },
  'profiles create': {
    why: 'A profile is made by signing in.',
    instead: 'Sign in: botctl login --profile <name>',
  },
  'sandbox stop': {
    why: 'A sandbox ends where it was started.',
    instead: 'Press Ctrl-C there.',
  },
};

/** Why there is no such command although one would look for it; undefined for any other. */
export function absentVerb([noun = '', verb = '']: readonly string[]): Failure | undefined {
  const asked = [verb, ...synonymsOf(verb)].map((word) => absentVerbs[`${noun} ${word}`]);
  const absent = asked.find((one) => one !== undefined);
  return absent && new Failure('usage', absent.why, { hint: absent.instead });
}

/** A line that commander found something wrong with. */
export interface WrongLine {
  /** All of it. */
  readonly args: readonly string[];
  /** Its words, without options. */
  readonly words: readonly string[];
  /** Those at its beginning that name a command or a group of commands. */
  readonly named: readonly string[];
  /** Its words with the noun that was probably meant in front. */
  readonly meant: readonly string[];
  /** The words of each command of that noun. */
  readonly commands: readonly (readonly string[])[];
  /** The fields that `--where` of that command takes; none where it has no such option. */
  readonly whereFields: Fields;
}

/** What commander found wrong with a line. */
export function usageFailureOf(error: CommanderError, line: WrongLine): Failure {
  const { named, meant } = line;
  const isNoCommand = error.code === 'commander.unknownCommand';
  const absent = isNoCommand ? absentVerb(meant) : undefined;
  if (absent) return absent;
  const help = `See ${['botctl', ...named, '--help'].join(' ')}`;
  // A noun without a verb has shown its help already.
  if (error.code === 'commander.help') {
    const what = named.length === 0 ? 'botctl' : `botctl ${named.join(' ')}`;
    return new Failure('usage', `${what} needs a command.`, { hint: help });
  }
  const [, lacking] = /option '(.+)' argument missing/.exec(error.message) ?? [];
  if (error.code === 'commander.optionMissingArgument' && lacking !== undefined) {
    const [, name = lacking, value = ''] = /^(?:.*, )?(\S+) (.*)$/.exec(lacking) ?? [];
    return new Failure('usage', `${name} needs a value: ${name} ${value}.`, { hint: help });
  }
  // What was given to an option that isn't there may be a secret.
  const said = error.message
    .replace(/^error: /, '')
    .replace(/^(unknown option '[^=']*)=[\s\S]*'(?=\n|$)/, "$1'");
  const [message = '', suggestion] = said.split('\n');
  const sentence = `${capitalised(message).replace(/\.+$/, '')}.`;
  const own = isNoCommand ? commandLineMeant(line) : optionMeant(error, line);
  const didYouMean = own ?? suggestion?.replace(/^\(|\)$/g, '');
  return new Failure('usage', sentence, { hint: [didYouMean, help].filter(Boolean).join(' ') });
}

/** The command that was meant, as a question. */
function commandLineMeant({ words, meant, commands }: WrongLine): string | undefined {
  const command = commandMeant(meant, commands);
  const isTyped = command.every((word, at) => word === words[at]);
  return isTyped ? undefined : `Did you mean botctl ${command.join(' ')}?`;
}

/** What other tools call a thing that botctl has under another name. */
const otherOptions: Readonly<Record<string, string>> = {
  '--yml': '-o yaml',
  '--jsonl': '-o ndjson',
  '--ids': '-o id',
  '--quiet': '-o id',
  '-q': '-o id',
  '--verbose': '--debug',
  '--filter': '--where',
};

/** The option that was meant by one that isn't there. */
function optionMeant(error: CommanderError, line: WrongLine): string | undefined {
  const [, flag] = /unknown option '(--?[^=']+)/.exec(error.message) ?? [];
  if (flag === undefined) return undefined;
  const format = formatMeant(flag, line);
  if (format !== undefined) return `Did you mean -o ${format}?`;
  const other = Object.hasOwn(otherOptions, flag) ? otherOptions[flag] : undefined;
  return other === undefined ? conditionMeant(flag, line) : `Did you mean ${other}?`;
}

/** `--json`, `--format json`, `-f json`: other tools' ways to say `-o json`. */
function formatMeant(flag: string, line: WrongLine): string | undefined {
  const isFormat = (word: string | undefined) => outputFormats.find((format) => format === word);
  const own = isFormat(flag.slice(2));
  if (own !== undefined || !['--format', '--output-format', '-f'].includes(flag)) return own;
  return isFormat(givenTo(flag, line)) ?? (flag === '-f' ? undefined : 'json');
}

/** What was given to an option that isn't there: what stands behind it. */
function givenTo(flag: string, { args }: WrongLine): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const next = args[at + 1];
  const after = next === undefined || next.startsWith('-') ? undefined : next;
  return args[at]?.includes('=') ? args[at]?.slice(flag.length + 1) : after;
}

/** The condition that stands for an option which is named like a field of the list. */
function conditionMeant(flag: string, line: WrongLine): string | undefined {
  const typed = flag.slice(2).replaceAll('-', '_');
  const field = line.whereFields.find((candidate) => isNamedSo(candidate, typed));
  if (!field) return undefined;
  const value = givenTo(flag, line);
  const fallback = field.kind === 'flag' ? 'yes' : 'VALUE';
  return `Try --where ${field.name}=${value === undefined ? fallback : shellWord(value)}.`;
}

/** Whether a field is called just so, in JSON or by the heading of its column. */
function isNamedSo(field: Field, typed: string): boolean {
  return [field.name, headingOf(field)].some((name) => fold(wordsOf(name)) === fold(wordsOf(typed)));
}
