import type { Io } from '../../lib/io.ts';
import { ownMember } from '../../lib/json-object.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { allowances, allowanceWords } from '../allow.ts';
import { type Line, readArgv, readLine } from '../argv.ts';
import type { Branch, Command } from '../command.ts';
import { positionalOptions } from '../commander-input.ts';
import { globalOptions } from '../global-options.ts';
import { topics } from '../help/topics.ts';
import { longFlag, type Noun, type ValueType } from '../options.ts';
import { type Offer, offeredNames } from './offered-names.ts';

/** The values of an argument or option, for completion. */
interface Value extends Partial<Pick<ValueType<unknown>, 'choices' | 'noun' | 'form' | 'isPath'>> {
  /** The allowed values of an option that takes several, separated by commas. */
  readonly list?: readonly Offer[] | undefined;
}

/** An option; its text is the long form. */
interface OptionOffer extends Offer {
  /** Undefined if it takes no value. */
  readonly value?: Value | undefined;
  readonly repeats?: boolean | undefined;
}

/** The completions at the cursor. */
interface Completions {
  readonly offers: readonly Offer[];
  /** `:files` if file names may be completed too; `:nospace` if no blank follows, since the word continues. */
  readonly directive?: ':files' | ':nospace' | undefined;
}

/**
 * Returns the completions of a command line: a line `value<TAB>description` for each, whose value replaces the whole
 * last word, then possibly a line with a directive, which has no tab. Values contain the last word, in upper or lower
 * case: the shell filters them. Returns none if anything fails, since an error would garble the line being typed.
 * @param args `--`, then the words after `botctl` up to the cursor; the last may be empty
 */
export async function completionLines(
  args: readonly string[],
  branches: readonly Branch[],
  env: Io['env'],
): Promise<string> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const last = words.at(-1) ?? '';
  try {
    const line = await readLine(readArgv(words.slice(0, -1)), branches);
    const { offers, directive } = await completionsAt(line, last, branches, env);
    const lines = offers.filter((offer) => isOffered(offer, last)).map(lineOf);
    return [...lines, ...(directive ? [directive] : [])].map((text) => `${text}\n`).join('');
  } catch {
    return '';
  }
}

/**
 * True if a text contains the word and is displayed unchanged: the shell inserts the text itself, not its display form.
 */
function isOffered({ text }: Offer, word: string): boolean {
  return text === sanitise(text) && text.toLowerCase().includes(word.toLowerCase());
}

function lineOf({ text, note }: Offer): string {
  return `${text}\t${sanitise(note)}`;
}

async function completionsAt(
  line: Line,
  word: string,
  branches: readonly Branch[],
  env: Io['env'],
): Promise<Completions> {
  const { argv, words, typed, missingValue } = line;
  // The words after `--` are a command of the user: only files can be completed.
  if (argv.rest !== undefined) return { offers: [], directive: ':files' };
  // After `help`, a command takes no options or arguments.
  const command = argv.beginsWithHelp ? undefined : line.command;
  const options = optionsOf(command);
  const values = (value: Value | undefined, part: string): Completions =>
    valuesOf(value, part, (noun) => offeredNames(noun, part, line, env));
  const valuesAfter = (flag: string | undefined, part: string): Completions =>
    values(options.find(({ text }) => text === flag)?.value, part);
  if (missingValue) return valuesAfter(missingValue.long, word);
  const isEnded = argv.args.includes('--');
  const [, flag, part = ''] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
  if (flag !== undefined && !isEnded) {
    const { offers, directive } = valuesAfter(flag, part);
    return { offers: offers.map(({ text, note }) => ({ text: `${flag}=${text}`, note })), directive };
  }
  // An option and its --no- form exclude each other.
  const positive = (long = ''): string => long.replace('--no-', '--');
  const used = new Set(typed.map(({ option }) => positive(option.long)));
  const unused = options.filter(({ text, repeats }) => repeats || !used.has(positive(text)));
  if (!isEnded && word.startsWith('-')) return { offers: unused };
  const next = words.length === 0 ? nextWords(line, branches) : [];
  if (next.length > 0) return { offers: next };
  if (command?.name === 'api' && words.length === 1) return { offers: await endpointPaths(words[0]) };
  const declared = Object.values(command?.arguments ?? {});
  const taken = [...declared, ...(command ? positionalOptions(command) : [])];
  const argument = taken[words.length] ?? declared.find(({ variadic }) => variadic);
  // Options are completed only after a dash: otherwise a second Tab would insert their common dashes.
  return values(argument, word);
}

/** Returns the next words in the command tree, each once; after help, the topics too. */
function nextWords({ argv, path, branch, commands, command }: Line, branches: readonly Branch[]) {
  const next = new Map<string, string>();
  if (!branch) {
    const others = argv.beginsWithHelp ? topics : [helpWord];
    for (const { name, summary } of [...branches, ...others]) next.set(name, summary);
  } else if (!command) {
    const verbs = path.slice(1);
    for (const { name, summary } of commands) {
      const parts = name.split(' ');
      const [text, ...below] = parts.slice(verbs.length);
      if (text === undefined || !verbs.every((verb, at) => verb === parts[at])) continue;
      next.set(text, below.length > 0 ? (ownMember(branch.groups ?? {}, text) ?? '') : summary);
    }
  }
  return offersOf(next);
}

const helpWord = { name: 'help', summary: 'Show help for a command or a topic' };

function offersOf(notes: Iterable<readonly [text: string, note: string]>): readonly Offer[] {
  return [...notes].map(([text, note]) => ({ text, note }));
}

/** Returns the options of a command and the global ones. */
function optionsOf(command: Command | undefined): readonly OptionOffer[] {
  const [first] = Object.values(command?.arguments ?? {});
  const words = command?.allow ?? allowanceWords();
  const ownValues: Readonly<Record<string, Value>> = {
    '--fields': { list: command && 'fields' in command.output ? namesOf(command.output.fields) : undefined },
    '--allow': { list: offersOf(words.map((text) => [text, allowances[text]])) },
    '--confirm': { noun: first?.noun },
  };
  const shown = Object.values(command?.options ?? {}).filter(({ hidden }) => !hidden);
  const declared = shown.flatMap((option): readonly OptionOffer[] => {
    const text = longFlag(option);
    const { summary: note, kind, off } = option;
    const value = kind === 'value' || kind === 'many' ? option : undefined;
    const positive = { text, note, value, repeats: kind === 'many' };
    return off === undefined ? [positive] : [positive, { text: text.replace('--', '--no-'), note: off }];
  });
  const global = globalOptions.map((option): OptionOffer => {
    const text = longFlag(option);
    const value = { ...option, ...ownMember(ownValues, text) };
    return { text, note: option.summary, value, repeats: option.isRepeatable };
  });
  return [...declared, ...global, { text: '--help', note: 'show help' }];
}

function namesOf(named: readonly { readonly name: string; readonly heading?: string }[]): readonly Offer[] {
  return named.map(({ name, heading = name }) => ({ text: name, note: heading }));
}

/** Returns the paths of the API with a method. */
async function endpointPaths(method = ''): Promise<readonly Offer[]> {
  const { endpoints } = await import('../../contract/endpoints.ts');
  return Object.values(endpoints)
    .filter((endpoint) => endpoint.method === method.toUpperCase())
    .map(({ path, summary }) => ({ text: path, note: summary }));
}

/** @param names returns the names in the completion cache */
function valuesOf(value: Value = {}, word: string, names: (noun: Noun) => readonly Offer[]): Completions {
  const { list, form, choices = [], noun, isPath } = value;
  if (isPath) return { offers: [], directive: ':files' };
  if (list) {
    const before = word.slice(0, word.lastIndexOf(',') + 1);
    const given = before.split(',');
    const others = list.filter(({ text }) => !given.includes(text));
    return { offers: others.map(({ text, note }) => ({ text: before + text, note })), directive: ':nospace' };
  }
  if (form?.kind === 'pair') {
    const [, name, sign] = /^(.*?)(!?=)/s.exec(word) ?? [];
    if (sign !== undefined) {
      const isFlag = form.words.some((one) => one.name === name && one.kind === 'flag');
      return {
        offers: isFlag ? ['yes', 'no'].map((text) => ({ text: `${name}${sign}${text}`, note: '' })) : [],
      };
    }
    const offers = namesOf(form.words).map(({ text, note }) => ({ text: `${text}=`, note }));
    return { offers, directive: ':nospace' };
  }
  if (form && word.includes(':')) {
    const field = word.slice(0, word.indexOf(':'));
    return {
      offers: [
        { text: `${field}:asc`, note: 'the smallest first' },
        { text: `${field}:desc`, note: 'the largest first' },
      ],
    };
  }
  if (form) return { offers: namesOf(form.words), directive: ':nospace' };
  return { offers: [...choices.map((text) => ({ text, note: '' })), ...(noun ? names(noun) : [])] };
}
