import { Option as CommanderOption } from 'commander';
import { argumentLabel } from '../../src/cli/check-input.ts';
import type { Command } from '../../src/cli/command.ts';
import type { Argument, Option } from '../../src/cli/options.ts';
import type { Ran } from '../support/botctl.ts';
import type { Surface } from '../surface/surface.ts';
import type { Place } from './place.ts';

/** Returns the parts of a command's declaration that scripts and users rely on, without wording. */
export function declared(command: Command): { readonly [name: string]: Surface } {
  const { needs, effect, allow = [], output } = command;
  const args = Object.entries(command.arguments).map(([name, one]) => argumentText(name, one));
  const options = Object.values(command.options).filter(({ hidden }) => !hidden);
  return {
    ...(args.length > 0 && { arguments: args }),
    effect: `${effect}${{ nothing: '', identity: ', with an identity', api: ', with the API' }[needs]}`,
    ...(allow.length > 0 && { allow }),
    output: output.kind,
    ...(options.length > 0 && { options: options.map((one) => optionText(command, one)) }),
    ...('fields' in output && { fields: output.fields.map(({ name }) => name) }),
  };
}

function argumentText(name: string, { optional, variadic, each, choices }: Argument<unknown>): string {
  const word = argumentLabel(name).slice(1, -1);
  const shown = variadic ? `${word}...` : word;
  return parts(optional ? `[${shown}]` : `<${shown}>`, [
    choices && `one of ${choices.join(' ')}`,
    each && '- reads stdin',
  ]);
}

function optionText({ options }: Command, option: Option<unknown>): string {
  const { flags, kind, required, requiredWithout, isPositional, fallback, off, choices, form } = option;
  const without = requiredWithout && options[requiredWithout];
  const hasDefault = fallback !== undefined && kind === 'value';
  return parts(flags, [
    isPositional && 'or a word',
    off !== undefined && `or --no-${longOf(option).slice(2)}`,
    required && 'required',
    without && `required without ${longOf(without)}`,
    kind === 'many' && 'repeatable',
    kind === 'rest' && 'takes the rest of the line',
    choices && `one of ${choices.join(' ')}`,
    form && `${form.kind} of ${form.words.map(({ name }) => name).join(' ')}`,
    hasDefault && `default ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`,
  ]);
}

function longOf({ flags }: Option<unknown>): string {
  return new CommanderOption(flags).long ?? flags;
}

function parts(first: string, more: readonly (string | false | undefined)[]): string {
  return [first, ...more.filter((part) => typeof part === 'string')].join('; ');
}

/** Returns the members of all rows in short: `id`, `quotas{bots,documents}`, `questions[]{question,answer}`. */
export function memberNames(rows: readonly unknown[]): readonly string[] {
  return namesIn(treeOf(rows));
}

interface Tree {
  isList: boolean;
  readonly members: Map<string, Tree>;
}

function treeOf(values: readonly unknown[]): Tree {
  const tree: Tree = { isList: false, members: new Map() };
  for (const value of values) add(tree, value);
  return tree;
}

function add(tree: Tree, value: unknown): void {
  if (Array.isArray(value)) {
    tree.isList = true;
    for (const one of value) add(tree, one);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const member = tree.members.get(name) ?? treeOf([]);
    tree.members.set(name, member);
    add(member, inner);
  }
}

function namesIn({ members }: Tree): readonly string[] {
  return [...members].map(([name, inner]) => {
    const below = namesIn(inner);
    return `${name}${inner.isList ? '[]' : ''}${below.length > 0 ? `{${below.join(',')}}` : ''}`;
  });
}

/** The usual suggestions in `next` after any command, by error code. */
export const usualNext: Readonly<Record<string, readonly string[]>> = {
  BAD_REQUEST: ['botctl doctor --learn --save --profile sandbox'],
  // Only if the invalid value belongs to the command itself.
  INVALID_INPUT: ['botctl <command> --help'],
  NETWORK: ['botctl sandbox start', 'botctl whoami'],
  USAGE: ['botctl <command> --help'],
};

/** The commands that failures suggested in `next`, by the failed command and its error code. */
export class SuggestedCommands {
  readonly #paths: readonly string[];
  readonly #lines = new Map<string, Map<string, Set<string>>>();

  /**
   * @param paths of all commands
   */
  constructor(paths: readonly string[]) {
    this.#paths = paths.toSorted((a, b) => b.length - a.length);
  }

  /** Returns the same place, which records what failures suggest. */
  watch(place: Place): Place {
    const run: Place['run'] = async (args, options) => {
      const ran = await place.run(args, options);
      this.#note(args, ran, { ...place.variables, DOWN: place.variablesDown.URL ?? '' });
      return ran;
    };
    return Object.create(place, { run: { value: run } });
  }

  /** Returns the suggestions of a command, without the usual ones of an error. */
  of(path: string): { readonly [code: string]: Surface } {
    const codes = [...(this.#lines.get(path) ?? [])]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([code, lines]) => {
        const usual = (usualNext[code] ?? []).map((line) => line.replace('<command>', path));
        const own = [...lines].filter((line) => code !== 'INVALID_INPUT' || !usual.includes(line)).toSorted();
        const isUsual = code === 'INVALID_INPUT' ? own.length === 0 : `${own}` === `${usual}`;
        return isUsual ? [] : [[code, own] as const];
      });
    return Object.fromEntries(codes);
  }

  #note(args: readonly string[], { stderr }: Ran, variables: Readonly<Record<string, string>>): void {
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    if (!last.startsWith('{"error"')) return;
    const path = this.#paths.find((one) => `${args.join(' ')} `.startsWith(`${one} `));
    if (path === undefined) throw new Error(`no command: ${args.join(' ')}`);
    const { error } = JSON.parse(last) as { error: { code: string; next: readonly (readonly string[])[] } };
    const codes = this.#lines.get(path) ?? new Map<string, Set<string>>();
    this.#lines.set(path, codes);
    const lines = codes.get(error.code) ?? new Set();
    codes.set(error.code, lines);
    for (const words of error.next) lines.add(alike(words.join(' '), variables));
  }
}

/** Replaces the addresses and ids in a command that differ between runs. */
function alike(line: string, variables: Readonly<Record<string, string>>): string {
  const named = Object.entries(variables).reduce(
    (text, [name, value]) => text.replaceAll(value, name === 'ID' ? '<key>' : '<url>'),
    line,
  );
  return named.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>');
}
