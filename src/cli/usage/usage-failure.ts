import type { CommanderError } from 'commander';
import { Failure } from '../../lib/errors.ts';
import { own } from '../../lib/json-object.ts';
import { fold } from '../../lib/text/compare.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, joinRemarks, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { didYouMean, didYouMeanOneOf, synonymsOf } from '../../lib/text/similar.ts';
import type { Field, Fields } from '../../output/fields.ts';
import { outputFormats } from '../../output/options.ts';
import { headingOf, words as wordsOf } from '../../output/values.ts';
import { readCommanderError } from './commander-message.ts';
import { suggestCommand, suggestWord } from './did-you-mean.ts';
import { removedOptions } from './removed-options.ts';

const team = placeholder('<team>');
const bot = placeholder('<bot>');
const document = placeholder('<document>');
const device = placeholder('<device>');
const name = placeholder('<name>');
const anotherCommand = placeholder('COMMAND…');

const unchangeableDevice = {
  why: 'The API has no way to change a device.',
  instead: remark`Create another one: ${command('device', 'create', '--team', team, '--bot', bot, '--name', name)}`,
};

const sandboxCopy = {
  why: 'The state of a sandbox is saved and restored by copying its data directory.',
  instead: remark`Stop it with ${command('sandbox', 'stop')}, copy the whole directory, and start the copy: ${command('sandbox', 'start', '--data', placeholder('<copy>'))}. For a database: ${command('help', 'operating')}`,
};

/** Verbs that people look for and the API doesn't have: why, and what to do instead. */
const absentVerbs: Readonly<Record<string, { readonly why: string; readonly instead: RemarkText }>> = {
  'teams delete': {
    why: 'The API has no way to delete a team.',
    instead: remark`Ban it instead: ${command('teams', 'update', team, '--ban')}`,
  },
  'docs delete': {
    why: 'The API has no way to delete a document.',
    instead: remark`Unlink it from its bots: ${command('bots', 'documents', 'remove', bot, document)}`,
  },
  'docs update': {
    why: 'Only the name of a document can change; its file cannot.',
    instead: remark`Rename it with ${command('docs', 'rename', document, name)}, or upload the new file with ${command('docs', 'upload')}.`,
  },
  'device update': unchangeableDevice,
  // "Did you mean create?" would lead to another one, where the one that is there was meant.
  'device rename': unchangeableDevice,
  'teams rename': {
    why: 'The name of a team is changed as the rest of it is.',
    instead: remark`Rename it: ${command('teams', 'update', team, '--name', name)}`,
  },
  'bots rename': {
    why: 'The name of a bot is changed as the rest of it is.',
    instead: remark`Rename it: ${command('bots', 'update', bot, '--name', name)}`,
  },
  'keys rename': {
    why: 'The API has no way to change a key.',
    instead: remark`Put one of another name in the place of the key in use: ${command('keys', 'rotate', '--name', name)}`,
  },
  'device delete': {
    why: 'The API has no way to delete a device.',
    instead: remark`Stop it: ${command('device', 'disconnect', device)}. To take it off your list: ${command('device', 'forget', device)}`,
  },
  'bots publish': {
    why: 'The API has no way to publish a bot.',
    instead: remark`Publish it in the platform itself; on a sandbox, run ${command('sandbox', 'publish', bot)}.`,
  },
  'sandbox behave': {
    why: 'The sandbox makes one choice where the specification leaves it open, so sandbox behave was removed.',
    instead: remark`To let calls fail: ${command('sandbox', 'fault', 'add', placeholder('<target>'), '--status', '429')}. The choices: ${command('help', 'specification')}`,
  },
  'sandbox export': sandboxCopy,
  'sandbox import': sandboxCopy,
  'profiles create': {
    why: 'A profile is made by signing in.',
    instead: remark`Sign in: ${command('login', '--profile', name)}`,
  },
};

/** Why there is no such command although one would look for it; undefined for any other. */
export function absentVerb([noun = '', verb = '']: readonly string[]): Failure | undefined {
  const asked = [verb, ...synonymsOf(verb)].map((word) => own(absentVerbs, `${noun} ${word}`));
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
  /** The words of each command of the verb that the line begins with, where it names no noun. */
  readonly verbs: readonly (readonly string[])[];
  /** Whether that command runs another one, whose words are its arguments. */
  readonly runsAnother: boolean;
  /** The long forms of the options that the command takes. */
  readonly flags: readonly string[];
  /** The fields that `--where` of that command takes; none where it has no such option. */
  readonly whereFields: Fields;
}

/** Returns the failure for what commander found wrong with a line. */
export function usageFailureOf(error: CommanderError, line: WrongLine): Failure {
  const { named } = line;
  const see = remark`See ${command(...named, '--help')}`;
  const failure = (message: string, hint?: RemarkText): Failure =>
    new Failure('usage', message, { hint: joinRemarks([hint, see], ' ') });
  const problem = readCommanderError(error);
  switch (problem.kind) {
    case 'noCommand':
      return failure(`${command(...named).text()} needs a command.`);
    case 'missingValue': {
      const { flags } = problem;
      const [, flag = flags, value = ''] = /^(?:.*, )?(\S+) (.*)$/.exec(flags) ?? [];
      return failure(`${flag} needs a value: ${flag} ${value}.`);
    }
    case 'unknownCommand':
      return absentVerb(line.meant) ?? failure(`Unknown command '${problem.name}'.`, commandMeant(line));
    case 'unknownOption': {
      const { flag } = problem;
      return failure(`Unknown option '${flag}'.`, optionMeant(flag, line));
    }
    case 'other':
      return failure(problem.sentence);
  }
}

/** The command that was meant, as a question. */
function commandMeant({ words, meant, commands, verbs }: WrongLine): RemarkText | undefined {
  if (verbs.length > 0) return didYouMeanOneOf(verbs.map((one) => command(...one)));
  const suggested = suggestCommand(meant, commands);
  const isTyped = suggested.every((word, at) => word === words[at]);
  return isTyped ? undefined : didYouMeanOneOf([command(...suggested)]);
}

/** Options of other tools, and of other commands, with what botctl has instead. */
const otherOptions: Readonly<Record<string, string>> = {
  '--yml': '-o yaml',
  '--jsonl': '-o ndjson',
  '--ids': '-o id',
  '--quiet': '-o id',
  '-q': '-o id',
  '--verbose': '--debug',
  '--filter': '--where',
  'docs sync --dry-run': '--check',
  'docs upload --check': '--dry-run',
};

/** The option that was meant by one that isn't there. */
function optionMeant(flag: string, line: WrongLine): RemarkText | undefined {
  if (line.runsAnother && !line.args.includes('--'))
    return remark`Put -- before the command that it runs: ${command(...line.named, '--', anotherCommand)}`;
  const format = formatMeant(flag, line);
  if (format !== undefined) return didYouMean(`-o ${format}`);
  const atCommand = [...line.named, flag].join(' ');
  const removed = own(removedOptions, atCommand) ?? own(removedOptions, flag);
  if (removed !== undefined) return removed;
  const other = own(otherOptions, flag) ?? own(otherOptions, atCommand);
  return didYouMean(other) ?? conditionMeant(flag, line) ?? didYouMean(similarFlag(flag, line));
}

function similarFlag(flag: string, { flags }: WrongLine): string | undefined {
  const names = flags.map((one) => one.replace('--', ''));
  const meant = flag.startsWith('--') ? suggestWord(flag.slice(2), names) : undefined;
  return meant && `--${meant}`;
}

/** `--json`, `--format json`, `-f json`: other tools' ways to say `-o json`. */
function formatMeant(flag: string, line: WrongLine): string | undefined {
  const isFormat = (word: string | undefined) => outputFormats.find((format) => format === word);
  const own = isFormat(flag.slice(2));
  if (own !== undefined || !['--format', '--output-format', '-f'].includes(flag)) return own;
  return isFormat(givenTo(flag, line)) ?? (flag === '-f' ? undefined : 'json');
}

/** The value given to an unknown option: the word behind it. */
function givenTo(flag: string, { args }: WrongLine): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const next = args[at + 1];
  const after = next === undefined || next.startsWith('-') ? undefined : next;
  return args[at]?.includes('=') ? args[at]?.slice(flag.length + 1) : after;
}

/** The condition that stands for an option which is named like a field of the list. */
function conditionMeant(flag: string, line: WrongLine): string | undefined {
  const typed = flag.slice(2).replaceAll('-', '_');
  const fieldOf = (name: string): Field | undefined =>
    line.whereFields.find((candidate) => isNamedSo(candidate, name));
  const field = fieldOf(typed);
  if (!field) {
    const denied = fieldOf(typed.replace(/^(?:not|non|no|un)_?/, ''));
    return denied?.kind === 'flag' ? `Try --where ${denied.name}=no.` : undefined;
  }
  const value = givenTo(flag, line);
  const fallback = field.kind === 'flag' ? 'yes' : 'VALUE';
  return `Try --where ${field.name}=${value === undefined ? fallback : shellWord(value)}.`;
}

/** True if a field has that name, in JSON or as the heading of its column. */
function isNamedSo(field: Field, typed: string): boolean {
  return [field.name, headingOf(field)].some((name) => fold(wordsOf(name)) === fold(wordsOf(typed)));
}
