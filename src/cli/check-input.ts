import { inputFailure, usageFailure } from '../lib/errors.ts';
import { ownMember } from '../lib/json-object.ts';
import { ValueError } from '../lib/parse.ts';
import { findUnsendable } from '../lib/text/characters.ts';
import {
  type CommandLine,
  command as commandLine,
  joinRemarks,
  placeholder,
  remark,
} from '../lib/text/remark.ts';
import type { Command } from './command.ts';
import { type Argument, longFlag, type Option, type ValueType } from './options.ts';

/** The input of a command as typed, by the names of its declaration. */
export interface RawInput {
  readonly arguments: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** The names of options whose values were typed without the option: `send Reception +55...`. */
  readonly positional?: ReadonlySet<string>;
  /** Contradictions in the command line, a sentence each. */
  readonly contradictions: readonly string[];
  /** The command that shows the help. */
  readonly help: CommandLine;
}

/** The checked input of a command, by the names of its declaration. */
export type Input = Readonly<Record<string, unknown>>;

/** A required value that was not typed. */
export interface MissingValue {
  /** Its name in the declaration. */
  readonly name: string;
  /** The option or argument as typed: `--team`, `<team>`. */
  readonly label: string;
  readonly declared: Pick<Option<unknown>, 'summary' | 'parse' | 'choices' | 'noun'> &
    Pick<Argument<unknown>, 'check'>;
  /** True if the value is a list. */
  readonly isList: boolean;
}

/** The checked input and the missing values. */
export interface CheckedInput {
  readonly values: Input;
  readonly missing: readonly MissingValue[];
}

/**
 * Checks the typed input against the declaration. Returns the values, and those that are still missing.
 * @param mayAsk whether the user can be asked for missing values; otherwise they are problems too
 * @throws Failure `usage` that lists every problem, each with the name of its option or argument; `invalidInput` if
 *   they are all about values
 */
export function checkInput(command: Command, raw: RawInput, mayAsk: boolean): CheckedInput {
  const check = new InputChecker(mayAsk);
  check.lineProblems.push(...raw.contradictions);
  for (const [name, argument] of Object.entries(command.arguments)) {
    check.argument(name, argument, ownMember(raw.arguments, name));
  }
  for (const [name, option] of Object.entries(command.options)) {
    check.option(name, option, raw);
  }
  const problems = [...check.lineProblems, ...check.valueProblems];
  if (problems.length > 0) {
    const asIn = check.needsExample && remark`Example: ${exampleOf(command, raw.help)}.`;
    const failure = check.lineProblems.length > 0 ? usageFailure : inputFailure;
    throw failure(problems, joinRemarks([...check.hints, asIn, remark`See ${raw.help}`], ' '));
  }
  return { values: check.values, missing: check.missing };
}

/** Returns the first example. Its values are made up, so `next` of the JSON error does not offer it. */
function exampleOf({ examples: [first] }: Command, help: CommandLine): CommandLine {
  const path = commandLine(...help.words.slice(0, -1));
  const values = first?.line.slice(path.text().length + 1) ?? '';
  return commandLine(...path.words, placeholder(values));
}

/** The parts of a declaration that are needed to check a typed value. */
type ValueDeclaration = ValueType<unknown> & Pick<Argument<unknown>, 'isCommand'>;

class InputChecker {
  /** Missing values and contradictions. */
  readonly lineProblems: string[] = [];
  /** Invalid values. */
  readonly valueProblems: string[] = [];
  /** How to correct some of the problems. */
  readonly hints: string[] = [];
  readonly values: Record<string, unknown> = {};
  readonly missing: MissingValue[] = [];
  /** True if an option or one of several words is missing, which an example shows best. */
  needsExample = false;

  constructor(readonly mayAsk: boolean) {}

  argument(name: string, declared: Argument<unknown>, typed: RawInput['arguments'][string]): void {
    const label = argumentLabel(name);
    const isMissing = typed === undefined || (Array.isArray(typed) && typed.length === 0);
    const isList = declared.variadic && !(declared.each && !declared.optional);
    if (!isMissing) {
      const parsed = this.#parse(label, declared, typed);
      // If several were given, the runner replaces this value with each of them in turn.
      this.values[name] = Array.isArray(parsed) && !isList ? parsed[0] : parsed;
    } else if (!declared.optional) this.#addMissing({ name, label, declared, isList });
  }

  option(name: string, declared: Option<unknown>, { options: given, positional }: RawInput): void {
    const label = positional?.has(name) ? `<${longFlag(declared).slice(2)}>` : longFlag(declared);
    const typed = ownMember(given, name);
    if (typeof typed === 'boolean') this.values[name] = typed;
    else if (typed !== undefined)
      this.values[name] = this.#parse(label, { ...declared, isCommand: declared.kind === 'rest' }, typed);
    else {
      if (declared.required) this.#addMissing({ name, label, declared, isList: declared.kind === 'many' });
      const { requiredWithout: other } = declared;
      if (other !== undefined && ownMember(given, other) === undefined && !this.mayAsk)
        this.#reportMissing(label);
      this.values[name] = declared.fallback;
    }
  }

  #addMissing(missing: MissingValue): void {
    if (this.mayAsk) this.missing.push(missing);
    else this.#reportMissing(missing.label, missing.declared.choices);
  }

  #reportMissing(label: string, choices: readonly string[] = []): void {
    this.needsExample ||= choices.length > 0 || label.startsWith('--');
    const oneOf = choices.length > 0 ? `: give one of ${choices.join(', ')}` : '';
    this.lineProblems.push(`${label} is missing${oneOf}.`);
  }

  #parse(label: string, type: ValueDeclaration, typed: string | readonly string[]): unknown {
    if (typeof typed !== 'string') return typed.map((one) => this.#parse(label, type, one));
    // Node.js replaces bytes that are not UTF-8 with U+FFFD. Some values may still contain them: a file may have such a
    // name, a command is not sent to the service, and phone numbers are parsed without invisible characters.
    const damage = type.isPath || type.isCommand || type.parserWith ? undefined : findUnsendable(typed);
    if (damage) {
      this.valueProblems.push(`${label} has ${damage.what}.`);
      if (!this.hints.includes(damage.cure)) this.hints.push(damage.cure);
      return undefined;
    }
    try {
      return type.parse(typed);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.valueProblems.push(`${label} ${error.message}.`);
      if (error.cure) this.hints.push(error.cure(label));
      return undefined;
    }
  }
}

/** A positional argument as help and messages write it: `<new-name>`. */
export function argumentLabel(name: string): string {
  return `<${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}>`;
}

/** Returns the options of a command as they were typed, each with its value if it takes one: `['--port', '4010']`. */
export function typedOptions(
  { options: declared }: Pick<Command, 'options'>,
  { options: given }: Pick<RawInput, 'options'>,
): readonly (readonly string[])[] {
  // An option that takes the rest of the line has to be the last one.
  const ordered = Object.entries(declared).toSorted(
    ([, one], [, other]) => Number(one.kind === 'rest') - Number(other.kind === 'rest'),
  );
  return ordered.flatMap(([name, option]): readonly (readonly string[])[] => {
    const value = ownMember(given, name);
    const flag = longFlag(option);
    if (option.kind === 'rest' && Array.isArray(value)) return [[flag, ...value]];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [[value ? flag : flag.replace('--', '--no-')]];
    return [value].flat().map((one) => [flag, one]);
  });
}
