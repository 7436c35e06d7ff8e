import { Failure } from '../../lib/errors.ts';
import { ownMember } from '../../lib/json-object.ts';
import { fold } from '../../lib/text/compare.ts';
import { command, joinRemarks, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { didYouMean, didYouMeanOneOf } from '../../lib/text/similar.ts';
import type { Field } from '../../output/fields.ts';
import { outputFormats } from '../../output/options.ts';
import { headingOf, nameInWords } from '../../output/values.ts';
import { commandsOf, type Line, type Problem, readArgv, readLine } from '../argv.ts';
import type { Branch } from '../command.ts';
import { globalDeclarations, infoOptions, optionsFor, usageOf } from '../commander-input.ts';
import { restFlag } from '../options.ts';
import { absentVerbs } from './absent-verbs.ts';
import {
  commandsOfVerb,
  isVerb,
  suggestCommand,
  suggestNoun,
  suggestWord,
  synonymsOf,
} from './did-you-mean.ts';
import { otherOptions } from './synonyms.ts';

/** Returns the failure for a command that users look for and botctl doesn't have, or undefined. */
export function absentVerb([noun = '', verb = '', ...typed]: readonly string[]): Failure | undefined {
  const asked = [`${verb} ${typed[0]}`, verb, ...synonymsOf(verb)].map((words) =>
    ownMember(absentVerbs, `${noun} ${words}`),
  );
  const absent = asked.find((one) => one !== undefined);
  return absent && new Failure('usage', absent.why, { hint: absent.instead(...typed) });
}

/** Returns the failure for a problem of a command line. */
export async function usageFailureOf(
  line: Line,
  problem: Problem,
  branches: readonly Branch[],
): Promise<Failure> {
  const { path } = line;
  const failure = (message: string, hint?: RemarkText | false): Failure =>
    new Failure('usage', message, {
      hint: joinRemarks([hint, remark`See ${command(...path, '--help')}`], ' '),
    });
  switch (problem.kind) {
    case 'noCommand':
      return failure(`${command(...path).text()} needs a command.`);
    case 'unknownCommand': {
      const absent = absentVerb([...path.slice(0, 1), ...line.argv.operands.slice(1)]);
      return absent ?? failure(`Unknown command '${problem.word}'.`, await suggestedCommand(line, branches));
    }
    case 'unknownOption':
      return failure(
        `Unknown option '${problem.flag}'.`,
        await suggestedOption(problem.flag, line, branches),
      );
    case 'missingValue': {
      const { option, found } = problem;
      const { long, flags, argChoices } = option;
      const what = long === restFlag ? 'a command' : 'a value';
      const needs = `${long} needs ${what}: ${long} ${flags.slice(flags.indexOf('<'))}.`;
      if (found === undefined) return failure(needs);
      const joined = !argChoices && `If ${found} is its value, write ${long}=${found}.`;
      return failure(`${needs} It is followed by ${found}.`, joined);
    }
    case 'extraWord': {
      const taken = line.command ? usageOf(line.command) : '';
      return failure(
        `Unexpected argument "${problem.word}": ${command(...path).text()} takes ${taken || 'no arguments'}.`,
        // For example, keys rotate takes no name, since it replaces the key in use.
        taken === ''
          ? line.command && `Its purpose: ${lowercaseStart(line.command.summary)}.`
          : 'A value with spaces needs quotes.',
      );
    }
  }
}

/** Returns a summary as the rest of a sentence. */
function lowercaseStart(summary: string): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

/** Returns a question with the command that was probably meant and the words typed after it. */
async function suggestedCommand(line: Line, branches: readonly Branch[]): Promise<RemarkText | undefined> {
  const { operands, others } = line.argv;
  if (operands.length === 1 && operands[0] === 'version') return didYouMeanOneOf([command('--version')]);
  const nouns = branches.map(({ name }) => name);
  const all = await commandsOf(branches);
  if (isVerb(operands, nouns)) {
    const verbs = commandsOfVerb(
      operands[0] ?? '',
      all.map(({ path }) => path),
    );
    return didYouMeanOneOf(verbs.map((one) => command(...one)));
  }
  const words = suggestNoun([...line.path, ...operands.slice(line.path.length)], nouns);
  const suggested = suggestCommand(
    words,
    all.map(({ path }) => path.split(' ')),
  );
  if (suggested.length <= line.path.length) {
    // A noun with a name, as in `bots Reception`, asks for that one.
    const whole = [...line.path, line.path.length > 1 ? 'list' : 'get', ...operands.slice(line.path.length)];
    const isOneWord = line.path.length > 0 && operands.length === line.path.length + 1;
    const mayBe = isOneWord && (await isRunnable(whole, line, branches));
    return mayBe ? didYouMeanOneOf([command(...whole)]) : undefined;
  }
  const whole = [...suggested, ...words.slice(suggested.length), ...others];
  return didYouMeanOneOf([command(...((await isRunnable(whole, line, branches)) ? whole : suggested))]);
}

/**
 * True if a command may be suggested with the words that were typed: it parses, and no word could be a secret or would
 * be read differently when repeated.
 */
async function isRunnable(
  words: readonly string[],
  { argv, problem }: Line,
  branches: readonly Branch[],
): Promise<boolean> {
  const isPlain = (word: string): boolean =>
    word !== '--' && !/^-[^=]*=/.test(word) && !/^-[^-o]/.test(word) && !word.includes('://');
  // The suggested command does not contain the unknown option.
  const typed = argv.args.filter((word) => problem?.kind !== 'unknownOption' || word !== problem.flag);
  if (![...typed, ...words].every(isPlain)) return false;
  return (await readLine(readArgv(words), branches)).problem === undefined;
}

/** Returns a hint with the option that an unknown one probably means. */
async function suggestedOption(
  flag: string,
  line: Line,
  branches: readonly Branch[],
): Promise<RemarkText | undefined> {
  const { path, argv } = line;
  const runsAnother = Object.values(line.command?.arguments ?? {}).some(({ isCommand }) => isCommand);
  if (runsAnother && !argv.args.includes('--'))
    return remark`Put -- before the command to run: ${command(...path, '--', placeholder('COMMAND…'))}`;
  const [ofCommand, ofKind] = [line.path.join(' '), line.command?.output.kind ?? ''];
  const meant =
    otherOption(`${ofCommand} ${flag}`, line) ??
    suggestedFormat(flag, line) ??
    otherOption(`${ofKind} ${flag}`, line) ??
    otherOption(flag, line) ??
    suggestedPath(flag, line) ??
    suggestedCondition(flag, line) ??
    similarFlag(flag, line);
  if (!meant) {
    // A text or a name may begin with one dash; a word with two dashes is probably a typo.
    const mayBeWord = line.command && usageOf(line.command) !== '' && /^-[^-]|\s/.test(flag);
    return mayBeWord
      ? remark`If ${flag} is a text or a name, put -- before all arguments: ${command(...path, '--', placeholder(usageOf(line.command)))}.`
      : undefined;
  }
  // A command of another noun takes other words.
  if (meant.path && meant.path[0] !== path[0])
    return didYouMeanOneOf([command(...meant.path, ...meant.words)]);
  const words = [...argv.operands, ...argv.others];
  const at = words.indexOf(flag);
  const typed = words.slice(path.length, at);
  const to = meant.path ?? path;
  const whole = [...to, ...typed, ...meant.words, ...words.slice(at + (meant.hasValue ? 2 : 1))];
  if (at >= 0 && (await isRunnable(whole, line, branches))) return didYouMeanOneOf([command(...whole)]);
  if (meant.path) return didYouMeanOneOf([command(...meant.path, ...meant.words)]);
  return meant.words.length === 0 ? `Leave ${flag} out.` : didYouMean(meant.words.join(' '));
}

/** The words to type instead of an option. */
interface OptionSuggestion {
  /** The command that does it, if it is another one. */
  readonly path?: readonly string[];
  readonly words: readonly string[];
  /** True if they also replace the value typed after the option. */
  readonly hasValue: boolean;
}

/** Returns the long and short forms of the options that a command takes. */
function flagsOf({ command }: Line): readonly string[] {
  const options = [...(command ? optionsFor(command) : []), ...globalDeclarations(), ...infoOptions()];
  return options.flatMap(({ hidden, long, short }) => (hidden ? [] : [long ?? [], short ?? []].flat()));
}

/** @param typed the option; the command or the kind of result precedes it to look up an entry for that alone */
function otherOption(typed: string, line: Line): OptionSuggestion | undefined {
  const found = ownMember(otherOptions, typed.trim());
  if (found === undefined) return undefined;
  const all = found.split(' ').filter((word) => word !== '');
  const at = all.findIndex((word) => word.startsWith('-'));
  const path = at < 0 ? all : all.slice(0, at);
  const words = at < 0 ? [] : all.slice(at);
  if (path.length > 0) return { path, words, hasValue: false };
  const isTaken = words[0] === undefined || flagsOf(line).includes(words[0]);
  return isTaken ? { words, hasValue: false } : undefined;
}

/** Returns the line without `-f` or `--file` if the file is an argument of the command. */
function suggestedPath(flag: string, { command }: Line): OptionSuggestion | undefined {
  const takesPath = Object.values(command?.arguments ?? {}).some(({ isPath }) => isPath);
  return takesPath && ['-f', '--file'].includes(flag) ? { words: [], hasValue: false } : undefined;
}

function similarFlag(flag: string, line: Line): OptionSuggestion | undefined {
  const names = flagsOf(line).flatMap((one) => (one.startsWith('--') ? one.slice(2) : []));
  const meant = flag.startsWith('--') ? suggestWord(flag.slice(2), names) : undefined;
  return meant === undefined ? undefined : { words: [`--${meant}`], hasValue: false };
}

/** Returns `-o json` for other tools' ways to say it: `--json`, `--format json`, `-f json`. */
function suggestedFormat(flag: string, line: Line): OptionSuggestion | undefined {
  const isFormat = (word: string | undefined) => outputFormats.find((format) => format === word);
  const format = isFormat(flag.slice(2));
  const listed = valueAfter(flag, line);
  // gh's --json takes the names of fields.
  if (format !== undefined && listed !== undefined && areFields(listed, line))
    return { words: ['-o', format, '--fields', listed], hasValue: true };
  if (format !== undefined) return { words: ['-o', format], hasValue: false };
  if (flag === '--jq') return { words: ['-o', 'json'], hasValue: true };
  if (!['--format', '--output-format', '-f'].includes(flag)) return undefined;
  const value = isFormat(valueAfter(flag, line));
  if (value !== undefined) return { words: ['-o', value], hasValue: true };
  return flag === '-f' ? undefined : { words: ['-o', 'json'], hasValue: false };
}

/** Returns the value of an unknown option: after `=`, or the next word. */
function valueAfter(flag: string, { argv: { args } }: Line): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const next = args[at + 1];
  const after = next === undefined || next.startsWith('-') ? undefined : next;
  return args[at]?.includes('=') ? args[at]?.slice(flag.length + 1) : after;
}

/** True if a word lists fields of the result. */
function areFields(word: string, { command }: Line): boolean {
  const fields = command && 'fields' in command.output ? command.output.fields : [];
  return word.split(',').every((part) => fields.some(({ name }) => name === part));
}

/** Returns the `--where` condition for an option that is named like a field of the list. */
function suggestedCondition(flag: string, line: Line): OptionSuggestion | undefined {
  const { command } = line;
  const isList = command?.output.kind === 'list' && 'where' in command.options;
  const fields = isList ? command.output.fields : [];
  const typed = flag.slice(2).replaceAll('-', '_');
  const fieldOf = (name: string): Field | undefined => fields.find((candidate) => hasName(candidate, name));
  const field = fieldOf(typed);
  if (!field) {
    const denied = fieldOf(typed.replace(/^(?:not|non|no|un)_?/, ''));
    return denied?.kind === 'flag' ? { words: ['--where', `${denied.name}=no`], hasValue: false } : undefined;
  }
  const value = valueAfter(flag, line);
  const fallback = field.kind === 'flag' ? 'yes' : 'VALUE';
  return { words: ['--where', `${field.name}=${value ?? fallback}`], hasValue: value !== undefined };
}

/** True if a field has that name, in JSON or as the heading of its column. */
function hasName(field: Field, typed: string): boolean {
  return [field.name, headingOf(field)].some((name) => fold(nameInWords(name)) === fold(nameInWords(typed)));
}
