import type { Command } from '../../src/cli/command.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { staying, watching } from './departures.ts';
import { type GivenValue, givenValues, shellWords } from './line.ts';
import type { Place } from './place.ts';

/** A registered command with its first example, which the walk runs. */
export interface Walked {
  readonly path: string;
  readonly command: Command;
  /** Returns the words after `botctl`, with the answers to the command's questions. */
  words(place: Pick<Place, 'variables'>): readonly string[];
  /** Returns the values of arguments and options. */
  values(place: Pick<Place, 'variables'>): readonly GivenValue[];
}

/** Returns every registered command. */
export async function walkedCommands(): Promise<readonly Walked[]> {
  return (await allCommands()).map(({ path, command }) => {
    const typed = ({ variables }: Pick<Place, 'variables'>): readonly string[] => {
      const [example] = command.examples;
      if (!example) throw new Error(`${path} has no example: give it one that succeeds as it stands`);
      const [program, ...words] = shellWords(example.line, variables);
      if (program !== 'botctl' || !words.join(' ').startsWith(path))
        throw new Error(`the first example of ${path} must begin with botctl ${path}: ${example.line}`);
      return words;
    };
    const values = (place: Pick<Place, 'variables'>) => givenValues(path, command, typed(place));
    return {
      path,
      command,
      values,
      words: (place) => [...typed(place), ...answers(command, values(place)), ...timeOf(path)],
    };
  });
}

/** Returns a short timeout for a command that runs until one. */
function timeOf(path: string): readonly string[] {
  return path in watching ? ['--timeout', '1ms'] : [];
}

/** Returns the options that answer the questions a command may ask before it changes something. */
function answers(command: Command, values: readonly GivenValue[]): readonly string[] {
  const named = values.find(({ label, noun }) => label.startsWith('<') && noun !== undefined);
  const confirmed = command.effect === 'destroys' && named ? ['--confirm', named.value] : [];
  const allowed = command.allow ? ['--allow', command.allow.join(',')] : [];
  return ['--yes', ...confirmed, ...allowed];
}

/** Returns whether the command names an object that an empty service doesn't have. */
export function namesSomething(values: readonly GivenValue[]): boolean {
  return values.some(({ noun }) => noun !== undefined && noun !== 'profile');
}

/** Returns whether a command uses the control channel of a sandbox on this machine, besides the API. */
export function controlsSandbox({ path, command }: Walked): boolean {
  return 'data' in command.options && !(path in staying);
}
