import type { Io } from '../../lib/io.ts';
import { own } from '../../lib/json-object.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { allowances, allowanceWords } from '../allow.ts';
import type { Branch, Command } from '../command.ts';
import { globalOptions } from '../global-options.ts';
import { topics } from '../help/topics.ts';
import { type Noun, type Option, oppositeOf, type ValueType } from '../options.ts';
import { nameMeant } from '../usage/did-you-mean.ts';
import { type Offer, offeredNames } from './offered-names.ts';

/** The kind of value that an argument or option takes, as far as it can be completed. */
interface Value extends Partial<Pick<ValueType<unknown>, 'choices' | 'noun' | 'form' | 'isPath'>> {
  /** Words of which several may be given, with commas between them. */
  readonly list?: readonly Offer[];
}

/** An option that may follow some words. */
interface OptionAt {
  /** Every way to write it; the first is the one that is offered. */
  readonly names: readonly string[];
  readonly note: string;
  /** Undefined if it takes none. */
  readonly value?: Value | undefined;
  /** The option that it turns off: neither is offered after the other. */
  readonly opposite?: string | undefined;
  readonly repeats?: boolean;
  /** It is recognized and never offered. */
  readonly isHidden?: boolean;
}

/** What may follow some words of the command tree. */
interface Place {
  /** The words that lead further down. */
  readonly words: readonly Offer[];
  readonly options: readonly OptionAt[];
  readonly arguments: readonly (Value & { readonly variadic: boolean })[];
}

/** What the words before the cursor have led to. */
interface Line {
  /** The words of the command tree. */
  readonly path: readonly string[];
  readonly place: Place;
  /** The other words. */
  readonly operands: readonly string[];
  /** The options, by their names, those that one turns off included. */
  readonly options: ReadonlySet<string | undefined>;
  /** The option whose value comes next. */
  readonly awaiting: OptionAt | undefined;
  /** True after `--`. */
  readonly isEnded: boolean;
}

/** What may stand at the cursor. */
interface Completions {
  readonly offers: readonly Offer[];
  /** `:files` if the names of files may stand there too; `:nospace` if no blank follows, since the word goes on. */
  readonly directive?: ':files' | ':nospace' | undefined;
}

/** Reads the names that this machine has seen. */
type Names = (noun: Noun | undefined, word: string) => readonly Offer[];

/**
 * Returns the completions of a command line: a line `value<TAB>description` for each, the value in the place of the whole
 * last word, then perhaps a line with a directive, which has no tab. Values contain the last word, in upper or lower case:
 * the shell chooses among them. No completions if anything fails, since a report would garble the line being typed.
 * @param args `--`, then the words after `botctl` up to the cursor; the last may be empty
 */
export async function completionLines(
  args: readonly string[],
  branches: readonly Branch[],
  env: Io['env'],
): Promise<string> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  try {
    const line = await readLine(before, branches);
    const names: Names = (noun, word) => (noun ? offeredNames(noun, word, before, env) : []);
    const { offers, directive } = await completionsAt(line, last, names);
    const lines = offers.filter((offer) => isOffered(offer, last)).map(lineOf);
    return [...lines, ...(directive ? [directive] : [])].map((text) => `${text}\n`).join('');
  } catch {
    return '';
  }
}

/** A text that is shown as something else would be written as it is into the line. */
function isOffered({ text }: Offer, word: string): boolean {
  return text === sanitise(text) && text.toLowerCase().includes(word.toLowerCase());
}

function lineOf({ text, note }: Offer): string {
  return `${text}\t${sanitise(note)}`;
}

async function readLine(words: readonly string[], branches: readonly Branch[]): Promise<Line> {
  const path: string[] = [];
  const operands: string[] = [];
  const options = new Set<string | undefined>();
  let place = await placeOf(path, branches);
  let awaiting: OptionAt | undefined;
  let isEnded = false;
  for (const word of words) {
    if (awaiting) awaiting = undefined;
    else if (!isEnded && word === '--') isEnded = true;
    else if (!isEnded && isOption(word)) {
      const name = nameIn(word);
      const option = place.options.find(({ names }) => names.includes(name));
      for (const one of option ? [...option.names, option.opposite] : []) options.add(one);
      if (option?.value && name === word) awaiting = option;
    } else {
      const name =
        operands.length === 0
          ? nameMeant(
              word,
              place.words.map(({ text }) => text),
            )
          : undefined;
      if (name === undefined) operands.push(word);
      else {
        path.push(name);
        place = await placeOf(path, branches);
      }
    }
  }
  return { path, place, operands, options, awaiting, isEnded };
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** The option in a word: `--output=json`, `-ojson`. */
function nameIn(word: string): string {
  return word.startsWith('--') ? word.replace(/=.*/s, '') : word.slice(0, 2);
}

async function placeOf([noun, ...verbs]: readonly string[], branches: readonly Branch[]): Promise<Place> {
  const place = { words: [], options: optionsOf(), arguments: [] };
  if (noun === undefined) {
    const help = { name: 'help', summary: 'Show help for a command or a topic' };
    return { ...place, words: summarized([...branches, help]) };
  }
  if (noun === 'help') {
    const words =
      verbs.length > 0 ? (await placeOf(verbs, branches)).words : summarized([...branches, ...topics]);
    return { ...place, words };
  }
  const branch = branches.find(({ name }) => name === noun);
  if (!branch) return place;
  const commands = await branch.load();
  const typed = verbs.join(' ');
  const command = commands.find(({ name }) => name === (typed === '' ? noun : typed));
  if (!command) return { ...place, words: wordsBelow(verbs, branch, commands) };
  const positional = Object.values(command.options).filter(({ isPositional }) => isPositional);
  const words = [
    ...Object.values(command.arguments),
    ...positional.map((one) => ({ ...one, variadic: false })),
  ];
  return { ...place, options: optionsOf(command), arguments: words };
}

function summarized(named: readonly { readonly name: string; readonly summary: string }[]): readonly Offer[] {
  return named.map(({ name, summary }) => ({ text: name, note: summary }));
}

/** The next words of the commands whose names begin with some words, each once. */
function wordsBelow(
  verbs: readonly string[],
  { groups = {} }: Branch,
  commands: readonly Command[],
): readonly Offer[] {
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    const parts = name.split(' ');
    const [text, ...below] = parts.slice(verbs.length);
    if (text === undefined || !verbs.every((verb, at) => verb === parts[at])) continue;
    words.set(text, below.length > 0 ? (own(groups, text) ?? '') : summary);
  }
  return [...words].map(([text, note]) => ({ text, note }));
}

/** The options of a command, or those that every command takes. */
function optionsOf(command?: Command): readonly OptionAt[] {
  const [first] = Object.values(command?.arguments ?? {});
  const lists = {
    '--fields': command && 'fields' in command.output ? wordsOf(command.output.fields) : undefined,
    '--allow': (command?.heeds ?? allowanceWords()).map((text) => ({ text, note: allowances[text] })),
  };
  const nouns = { '--confirm': first?.noun };
  const global = globalOptions.map(({ flags, summary, isRepeatable, noun, ...type }): OptionAt => {
    const names = namesIn(flags);
    const value = flags.includes('<')
      ? { ...type, noun: noun ?? own(nouns, names[0] ?? ''), list: own(lists, names[0] ?? '') }
      : undefined;
    return { names, note: summary, value, repeats: isRepeatable };
  });
  return [
    ...Object.values(command?.options ?? {}).flatMap(declared),
    ...global,
    { names: ['--help', '-h'], note: 'show help' },
  ];
}

/** An option of a command, and its `--no-` form. */
function declared(option: Option<unknown>): readonly OptionAt[] {
  const { flags, summary, kind, hidden } = option;
  const names = namesIn(flags);
  const value = kind === 'value' || kind === 'many' ? option : undefined;
  const off = oppositeOf(option);
  const opposite = off && names[0]?.replace('--', '--no-');
  const positive: OptionAt = {
    names,
    note: summary,
    value,
    opposite,
    repeats: kind === 'many',
    isHidden: hidden,
  };
  return off && opposite ? [positive, { names: [opposite], note: off, opposite: names[0] }] : [positive];
}

/** The names of an option, the long one first. */
function namesIn(flags: string): readonly string[] {
  const names = flags.match(/(?<=^|[ ,])--?[\w-]+/g) ?? [];
  return names.toSorted((one, other) => other.length - one.length);
}

function wordsOf(named: readonly { readonly name: string; readonly heading?: string }[]): readonly Offer[] {
  return named.map(({ name, heading = name }) => ({ text: name, note: heading }));
}

async function completionsAt(line: Line, word: string, names: Names): Promise<Completions> {
  const { path, place, operands, options, awaiting, isEnded } = line;
  if (awaiting) return valuesOf(awaiting.value, word, names);
  if (!isEnded && word.startsWith('--') && word.includes('=')) {
    const name = nameIn(word);
    const option = place.options.find((one) => one.names.includes(name));
    const { offers, directive } = valuesOf(option?.value, word.slice(name.length + 1), names);
    return { offers: offers.map(({ text, note }) => ({ text: `${name}=${text}`, note })), directive };
  }
  const unused = place.options.filter(
    ({ names: [name = ''], isHidden, repeats }) => !isHidden && (repeats || !options.has(name)),
  );
  const asOffers = unused.map(({ names: [text = ''], note }) => ({ text, note }));
  if (!isEnded && word.startsWith('-')) return { offers: asOffers };
  if (operands.length === 0 && place.words.length > 0) return { offers: place.words };
  if (path[0] === 'api' && operands.length === 1) return { offers: await endpointPaths(operands[0]) };
  const last = place.arguments.at(-1);
  const argument = place.arguments[operands.length] ?? (last?.variadic ? last : undefined);
  // A free text has no values to offer.
  if (argument?.noun || argument?.choices || argument?.isPath || argument?.form)
    return valuesOf(argument, word, names);
  return { offers: isEnded ? [] : asOffers };
}

/** The paths of the API with a method. */
async function endpointPaths(method = ''): Promise<readonly Offer[]> {
  const { endpoints } = await import('../../contract/endpoints.ts');
  return Object.values(endpoints)
    .filter((endpoint) => endpoint.method === method.toUpperCase())
    .map(({ path, summary }) => ({ text: path, note: summary }));
}

function valuesOf(value: Value = {}, word: string, names: Names): Completions {
  const { list, form, choices = [], noun, isPath } = value;
  if (isPath) return { offers: [], directive: ':files' };
  if (list) {
    const before = word.slice(0, word.lastIndexOf(',') + 1);
    const given = before.split(',');
    const others = list.filter(({ text }) => !given.includes(text));
    return { offers: others.map(({ text, note }) => ({ text: before + text, note })), directive: ':nospace' };
  }
  if (form?.kind === 'pair') {
    const offers = wordsOf(form.words).map(({ text, note }) => ({ text: `${text}=`, note }));
    return word.includes('=') ? { offers: [] } : { offers, directive: ':nospace' };
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
  if (form) return { offers: wordsOf(form.words), directive: ':nospace' };
  return { offers: [...choices.map((text) => ({ text, note: '' })), ...names(noun, word)] };
}
