import type { CommanderError } from 'commander';
import { Failure } from './errors.ts';
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
  /** The verbs of that group. */
  readonly verbs: readonly string[];
  /** The fields that `--where` of that command takes; none where it has no such option. */
  readonly whereFields: Fields;
}

/** What commander found wrong with a line. */
export function usageFailureOf(error: CommanderError, line: WrongLine): Failure {
  const { words, named, verbs } = line;
  const isNoCommand = error.code === 'commander.unknownCommand';
  const absent = isNoCommand ? absentVerb(words) : undefined;
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
  const synonym = isNoCommand ? synonymsOf(words[named.length] ?? '') : [];
  const verb = verbs.find((candidate) => synonym.includes(candidate));
  const own = verb === undefined ? conditionMeant(error, line) : `Did you mean ${verb}?`;
  const didYouMean = own ?? suggestion?.replace(/^\(|\)$/g, '');
  return new Failure('usage', sentence, { hint: [didYouMean, help].filter(Boolean).join(' ') });
}

/** The condition that stands for an option which is named like a field of the list. */
function conditionMeant(error: CommanderError, { args, whereFields }: WrongLine): string | undefined {
  const [, flag] = /unknown option '(--[^=']+)/.exec(error.message) ?? [];
  if (flag === undefined) return undefined;
  const typed = flag.slice(2).replaceAll('-', '_');
  const field = whereFields.find((candidate) => isNamedSo(candidate, typed));
  if (!field) return undefined;
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const next = args[at + 1];
  const after = next === undefined || next.startsWith('-') ? undefined : next;
  const value = args[at]?.includes('=') ? args[at]?.slice(flag.length + 1) : after;
  const fallback = field.kind === 'flag' ? 'yes' : 'VALUE';
  return `Try --where ${field.name}=${value === undefined ? fallback : shellWord(value)}.`;
}

/** Whether a field is called just so, in JSON or by the heading of its column. */
function isNamedSo(field: Field, typed: string): boolean {
  return [field.name, headingOf(field)].some((name) => fold(wordsOf(name)) === fold(wordsOf(typed)));
}
