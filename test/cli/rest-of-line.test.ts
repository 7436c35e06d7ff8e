import { describe, expect, it } from 'vitest';
import { readArgv, readLine } from '../../src/cli/argv.ts';
import { checkInput, typedOptions } from '../../src/cli/check-input.ts';
import { type Branch, defineCommand } from '../../src/cli/command.ts';
import { completionLines } from '../../src/cli/completion/complete.ts';
import { flag, option, optionalArgumentList, restOption } from '../../src/cli/options.ts';
import { usageFailureOf } from '../../src/cli/usage/usage-failure.ts';
import { text } from '../../src/lib/parse.ts';
import { botctl } from '../support/botctl.ts';

const watch = defineCommand({
  name: 'watch',
  summary: 'Watch',
  arguments: { device: optionalArgumentList('devices', text) },
  options: {
    exec: restOption('run this'),
    all: flag('--all', 'all'),
    until: option('--until <state>', 'until', text),
  },
  examples: [],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'nothing' },
  run: async () => undefined,
});
const branches: readonly Branch[] = [
  { name: 'device', summary: 'Devices', heading: 'Work', load: async () => [watch] },
];

const read = (...words: readonly string[]) => readLine(readArgv(words), branches);

describe('an option that takes the rest of the command', () => {
  it.each([
    [['device', 'watch', 'Desk', '--exec', 'notify'], ['notify']],
    [
      ['device', 'watch', '--all', '--exec', 'curl', '-o', 'json', '--all', '--', '--help', '--exec', '-v'],
      ['curl', '-o', 'json', '--all', '--', '--help', '--exec', '-v'],
    ],
    [
      ['device', 'watch', '--exec', './run $(x)', '', 'a\nb', '\x1b[2J'],
      ['./run $(x)', '', 'a\nb', '\x1b[2J'],
    ],
    [
      ['device', 'watch', '--exec=./run', '-x'],
      ['./run', '-x'],
    ],
  ])('contains every argument after it unchanged: %j', async (words, rest) => {
    const line = await read(...words);
    expect(line.problem).toBeUndefined();
    expect(line.values).not.toHaveProperty('help');
    expect(line.values).not.toHaveProperty('output');
    if (!line.command || !line.input) throw new Error('there is none');
    expect(checkInput(line.command, line.input, false).values.exec).toEqual(rest);
  });

  it('leaves the options before it to botctl', async () => {
    const line = await read(
      'device',
      'watch',
      'Desk',
      '--until',
      'lost',
      '-o',
      'ndjson',
      '--exec',
      'x',
      '-o',
      'y',
    );
    expect(line.values).toMatchObject({ output: 'ndjson', until: 'lost' });
    expect(line.input?.arguments.device).toEqual(['Desk']);
    if (!line.command || !line.input) throw new Error('there is none');
    expect(typedOptions(line.command, line.input)).toEqual([
      ['--until', 'lost'],
      ['--exec', 'x', '-o', 'y'],
    ]);
  });

  it('is an ordinary argument after --', async () => {
    const line = await read('device', 'watch', '--', '--exec', 'x');
    expect(line.input?.arguments.device).toEqual(['--exec', 'x']);
    expect(line.input?.options.exec).toBeUndefined();
  });

  it.each([
    [['device', 'watch', '--all', '--exec'], '--exec needs a command: --exec <command...>.'],
    [['device', 'watch', '--all', '--exec='], '--exec needs a command'],
    [
      ['device', 'watch', '--until', '--exec', 'x'],
      '--until needs a value: --until <state>. It is followed by --exec.',
    ],
  ])('is refused without a command, and as the value of another option: %j', async (words, message) => {
    const line = await read(...words);
    if (!line.problem) throw new Error('nothing is wrong with it');
    expect((await usageFailureOf(line, line.problem, branches)).message).toContain(message);
  });

  it('is unknown to other commands', async () => {
    const ran = await botctl(['teams', 'list', '--exec', 'x', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain("Unknown option '--exec'.");
  });

  it('is completed with files only, and offered once', async () => {
    const complete = (...words: readonly string[]) => completionLines(['--', ...words], branches, {});
    expect(await complete('device', 'watch', '--ex')).toContain('--exec\t');
    expect(await complete('device', 'watch', '--exec', '')).toBe(':files\n');
    expect(await complete('device', 'watch', '--exec', 'x', '--')).toBe(':files\n');
  });
});
