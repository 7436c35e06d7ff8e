import { Option as CommanderOption } from 'commander';
import { argumentLabel } from '../../src/cli/check-input.ts';
import type { Command } from '../../src/cli/command.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { topics } from '../../src/cli/help/topics.ts';
import type { Noun } from '../../src/cli/options.ts';
import type { Parse } from '../../src/lib/parse.ts';
import { parserOf } from '../support/parser-of.ts';

/**
 * Splits the command of an example into words like a shell: quotes, backslashes, `$NAME` outside single quotes. Other
 * shell features, such as pipes, are refused: a first example must work alone.
 */
export function shellWords(line: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    if (quote !== "'" && letter === '$') {
      const [name = ''] = /^[A-Z_]+/.exec(line.slice(at + 1)) ?? [];
      const value = variables[name];
      if (value === undefined) throw new Error(`the line uses a variable that nobody sets: ${line}`);
      word = (word ?? '') + value;
      at += name.length;
    } else if (quote !== "'" && letter === '\\') {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (letter === quote) quote = '';
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && /[|<>;&`()]/.test(letter)) {
      throw new Error(`the first example must stand alone, without ${letter}: ${line}`);
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw new Error(`a quote is not closed: ${line}`);
  return word === undefined ? words : [...words, word];
}

/** A word of a command that is the value of an argument or an option. */
export interface GivenValue {
  /** The index of the word after `botctl`, from 0. */
  readonly at: number;
  readonly value: string;
  /** The name in messages: `--team`, `<bot>`. */
  readonly label: string;
  readonly noun: Noun | undefined;
  readonly parse: Parse<unknown>;
}

/** Returns the values in a command by its declaration, without values of global options. */
export function givenValues(path: string, command: Command, words: readonly string[]): readonly GivenValue[] {
  const named = Object.entries(command.arguments).map(([name, one]) => ({
    label: argumentLabel(name),
    ...one,
  }));
  const optional = Object.values(command.options).filter(({ isPositional }) => isPositional);
  const positional = [
    ...named,
    ...optional.map((one) => ({ label: new CommanderOption(one.flags).long ?? one.flags, ...one })),
  ];
  const found: GivenValue[] = [];
  let position = 0;
  for (let at = path.split(' ').length; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith('-') && word !== '-') {
      const taker = optionOf(command, word);
      if (taker === 'global value') at += 1;
      if (typeof taker === 'string') continue;
      at += 1;
      const { noun } = taker.option;
      found.push({ at, value: words[at] ?? '', label: taker.long, noun, parse: parserOf(taker.option) });
      continue;
    }
    const argument = positional[Math.min(position, positional.length - 1)];
    if (!argument) throw new Error(`${path} takes no argument ${word}`);
    found.push({
      at,
      value: word,
      label: argument.label,
      noun: argument.noun,
      parse: parserOf(argument),
    });
    position += 1;
  }
  return found;
}

function optionOf(
  command: Command,
  word: string,
): { option: Command['options'][string]; long: string } | 'global value' | 'no value' {
  for (const option of Object.values(command.options)) {
    const { long, short } = new CommanderOption(option.flags);
    const isOff = option.off !== undefined && word === long?.replace('--', '--no-');
    if (word !== long && word !== short && !isOff) continue;
    const takesValue = !isOff && (option.kind === 'value' || option.kind === 'many');
    return takesValue ? { option, long: long ?? word } : 'no value';
  }
  if (word === '--confirm') return 'global value';
  const global = globalOptions.map(({ flags }) => new CommanderOption(flags));
  const known = global.find(({ long, short }) => word === long || word === short);
  if (!known) throw new Error(`${command.name} has no option ${word}`);
  return known.required ? 'global value' : 'no value';
}

/**
 * Checks that a command that botctl suggests is valid.
 * @param words without `botctl`
 * @throws Error if one of the words is unknown
 */
export function checkSuggested(
  words: readonly string[],
  commands: readonly { readonly path: string; readonly command: Command }[],
): void {
  const line = words.join(' ');
  const isOf = (path: string) => `${line} `.startsWith(`${path} `);
  if (words[0] === 'help') {
    const [, ...asked] = words;
    const known = [...topics.map(({ name }) => name), ...commands.map(({ path }) => path)];
    if (!known.some((one) => `${one} `.startsWith(`${asked.join(' ')} `)))
      throw new Error(`nothing to help with: ${line}`);
    return;
  }
  if (words.at(-1) === '--help') {
    const asked = words.slice(0, -1).join(' ');
    if (!commands.some(({ path }) => `${path} `.startsWith(`${asked} `)))
      throw new Error(`no such help: ${line}`);
    return;
  }
  const found = commands
    .filter(({ path }) => isOf(path))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  if (!found) throw new Error(`no such command: ${line}`);
  givenValues(found.path, found.command, words);
}
