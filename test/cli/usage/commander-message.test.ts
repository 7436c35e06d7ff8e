import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { readCommanderError, type UsageProblem } from '../../../src/cli/usage/commander-message.ts';

/** What the installed commander throws for a line. */
function thrownBy(args: readonly string[]): CommanderError {
  const program = new Command('botctl');
  program
    .command('teams')
    .command('list')
    .option('-t, --team <team>')
    .action(() => undefined);
  const quiet = (node: Command): void => {
    node
      .exitOverride()
      .showSuggestionAfterError(false)
      .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    node.commands.forEach(quiet);
  };
  quiet(program);
  try {
    program.parse([...args], { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown;
    throw thrown;
  }
  throw new Error('commander took the line');
}

describe('what the installed commander throws', () => {
  it.each<[string, readonly string[], UsageProblem]>([
    ['a noun alone', ['teams'], { kind: 'noCommand' }],
    ['an unknown command', ['team'], { kind: 'unknownCommand', name: 'team' }],
    ["a command with a '", ["o'brien"], { kind: 'unknownCommand', name: "o'brien" }],
    ['an unknown option', ['teams', 'list', '--tem'], { kind: 'unknownOption', flag: '--tem' }],
    [
      'an unknown option with a value',
      ['teams', 'list', "--key=it's\na secret"],
      { kind: 'unknownOption', flag: '--key' },
    ],
    [
      'an option without its value',
      ['teams', 'list', '-t'],
      { kind: 'missingValue', flags: '-t, --team <team>' },
    ],
  ])('is read: %s', (_, args, expected) => {
    expect(readCommanderError(thrownBy(args))).toEqual(expected);
  });

  it.each(['commander.unknownOption', 'commander.other'])(
    'shows nothing of a value where %s says it in other words',
    (code) => {
      const error = new CommanderError(1, code, "error: no option like '--key=a secret'");
      expect(readCommanderError(error)).toEqual({ kind: 'other', sentence: "No option like '--key." });
    },
  );
});
