import { allowances } from '../../cli/allow.ts';
import { globalOptions } from '../../cli/global-options.ts';
import { topics } from '../../cli/help/topics.ts';
import { type Argument, type Form, type Noun, type Option, oppositeOf } from '../../cli/options.ts';
import { allCommands, branches } from '../../commands/branches.ts';
import { endpoints } from '../../contract/endpoints.ts';

/** A word that is offered, and what it is. */
export interface Word {
  readonly text: string;
  readonly summary: string;
}

/** The values that are taken in one place of a command line. */
export type Takes =
  /** Nothing: an option without a value. */
  | { readonly kind: 'flag' }
  /** Any value. */
  | { readonly kind: 'text' }
  | { readonly kind: 'file' }
  /** Names that this machine has seen. */
  | { readonly kind: 'names'; readonly noun: Noun }
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  /** Some of the words, with commas between them. */
  | { readonly kind: 'list'; readonly words: readonly Word[] }
  /** One of the words, with an optional `:asc` or `:desc` behind it. */
  | { readonly kind: 'order'; readonly words: readonly Word[] }
  /** One of the words, `=`, and any value. */
  | { readonly kind: 'pair'; readonly words: readonly Word[] };

/** An option at a place of the command tree. */
export interface OptionAt {
  /** Every way to write it; the first is the one that is offered. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takes: Takes;
  /** Recognised, and never offered. */
  readonly hidden: boolean;
}

/** A node of the command tree: the words that lead there, and the words that may follow them. */
export interface Place {
  /** Empty for botctl itself; otherwise as typed: `teams list`. */
  readonly path: string;
  /** Other ways to write it. */
  readonly aliases: readonly string[];
  readonly commands: readonly Word[];
  /** Its own, without those that every command takes. */
  readonly options: readonly OptionAt[];
  readonly arguments: readonly Takes[];
  /** The last argument may be given several times. */
  readonly variadic: boolean;
}

/** Everything that a script knows. */
export interface Tree {
  readonly places: readonly Place[];
  /** The options that every command takes. */
  readonly global: readonly OptionAt[];
}

/** The command tree as completion sees it: every place that a word can lead to. */
export async function completionTree(): Promise<Tree> {
  const places = new Map<string, Place>();
  const add = (path: string, place: Partial<Place>): void => {
    const empty: Place = { path, aliases: [], commands: [], options: [], arguments: [], variadic: false };
    places.set(path, { ...(places.get(path) ?? empty), ...place });
  };
  const addCommand = (path: string, summary: string, aliases: readonly string[] = []): void => {
    const words = path.split(' ');
    const parent = words.slice(0, -1).join(' ');
    const commands = places.get(parent)?.commands ?? [];
    const text = words.at(-1) ?? path;
    if (!commands.some((known) => known.text === text))
      add(parent, {
        commands: [
          ...commands,
          { text, summary },
          ...aliases.map((alias) => ({ text: alias, summary: `The same as ${text}` })),
        ],
      });
    add(path, { aliases: aliases.map((alias) => [...words.slice(0, -1), alias].join(' ')) });
  };

  const commands = await allCommands();
  for (const { name, summary, groups = {} } of branches) {
    addCommand(name, summary);
    for (const [group, purpose] of Object.entries(groups)) addCommand(`${name} ${group}`, purpose);
  }
  for (const { path, command } of commands) {
    addCommand(path, command.summary, command.aliases);
    const given = Object.values(command.arguments);
    add(path, {
      options: optionsOf(command),
      arguments: given.map(takesOf),
      variadic: given.at(-1)?.variadic ?? false,
    });
  }
  addHelp(places);
  addEndpoints(places);
  return { places: [...places.values()], global: globalOptions.map(globalOption) };
}

type Listed = Awaited<ReturnType<typeof allCommands>>[number];

function optionsOf(command: Listed['command']): readonly OptionAt[] {
  const own = Object.values(command.options).flatMap(optionsAt);
  const [first] = Object.values(command.arguments);
  if (command.effect === 'destroys') {
    const takes: Takes = first?.noun ? { kind: 'names', noun: first.noun } : { kind: 'text' };
    own.push({ names: ['--confirm'], summary: 'confirm by the name or id', takes, hidden: false });
  }
  if (command.heeds) {
    const words = command.heeds.map((text) => ({ text, summary: allowances[text] }));
    own.push({ names: ['--allow'], summary: 'allow', takes: { kind: 'list', words }, hidden: true });
  }
  if ('fields' in command.output) {
    own.push({
      names: ['--fields'],
      summary: 'show these fields',
      takes: { kind: 'list', words: wordsOf(command.output.fields) },
      hidden: true,
    });
  }
  return own;
}

function optionsAt(option: Option<unknown>): OptionAt[] {
  const at: OptionAt = {
    names: namesIn(option.flags),
    summary: option.summary,
    takes: option.kind === 'flag' || option.kind === 'switch' ? { kind: 'flag' } : takesOf(option),
    hidden: option.hidden === true,
  };
  const summary = oppositeOf(option);
  if (summary === undefined) return [at];
  const [name = ''] = at.names;
  return [at, { ...at, names: [`--no-${name.slice(2)}`], summary, takes: { kind: 'flag' } }];
}

function globalOption(option: (typeof globalOptions)[number]): OptionAt {
  const { flags, summary } = option;
  return { names: namesIn(flags), summary, takes: globalTakes(option), hidden: false };
}

function globalTakes({ flags, words, ...type }: (typeof globalOptions)[number]): Takes {
  if (!flags.includes('<')) return { kind: 'flag' };
  if (!words) return takesOf(type);
  return { kind: 'list', words: Object.entries(words).map(([text, summary]) => ({ text, summary })) };
}

function wordsOf(named: Form['words']): readonly Word[] {
  return named.map(({ name, heading = name }) => ({ text: name, summary: heading }));
}

function takesOf({
  choices,
  noun,
  form,
  isPath,
}: { [K in 'choices' | 'noun' | 'form' | 'isPath']?: Argument<unknown>[K] | undefined }): Takes {
  if (form) return { kind: form.kind, words: wordsOf(form.words) };
  if (choices) return { kind: 'words', words: choices.map((text) => ({ text, summary: '' })) };
  if (noun) return { kind: 'names', noun };
  return { kind: isPath ? 'file' : 'text' };
}

/** The long name first. */
function namesIn(flags: string): readonly string[] {
  const names = flags.match(/(?<=^|[ ,])--?[\w-]+/g) ?? [];
  return [...names].sort((one, other) => other.length - one.length);
}

/** After `botctl help` comes a topic, or the words of a command. */
function addHelp(places: Map<string, Place>): void {
  const empty = { aliases: [], options: [], arguments: [], variadic: false };
  for (const { path, commands } of [...places.values()]) {
    if (path !== '' && commands.length > 0)
      places.set(`help ${path}`, { ...empty, path: `help ${path}`, commands });
  }
  const root = places.get('')?.commands ?? [];
  const named = topics.map(({ name: text, summary }) => ({ text, summary }));
  const summary = 'Show help for a command or a topic';
  places.set('help', { ...empty, path: 'help', commands: [...root, ...named] });
  places.set('', { ...empty, path: '', commands: [...root, { text: 'help', summary }] });
}

/** The arguments after `botctl api GET` depend on the method, as a command's depend on the command. */
function addEndpoints(places: Map<string, Place>): void {
  const api = places.get('api');
  if (!api) return;
  const [, , ...others] = api.arguments;
  const all = Object.values(endpoints);
  const methods = [...new Set(all.map(({ method }) => method))];
  const commands = methods.map((text) => ({ text, summary: `Call an endpoint with ${text}` }));
  places.set('api', { ...api, commands });
  for (const method of methods) {
    const words = all
      .filter((endpoint) => endpoint.method === method)
      .map(({ path: text, summary }) => ({ text, summary }));
    const path = `api ${method}`;
    places.set(path, { ...api, path, commands: [], arguments: [{ kind: 'words', words }, ...others] });
  }
}
