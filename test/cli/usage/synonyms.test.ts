import { describe, expect, it } from 'vitest';
import { readArgv, readLine } from '../../../src/cli/argv.ts';
import { resolveSynonym } from '../../../src/cli/usage/did-you-mean.ts';
import {
  helpWords,
  likeWords,
  otherCommands,
  otherOptions,
  sameWords,
} from '../../../src/cli/usage/synonyms.ts';
import { allCommands, branches } from '../../../src/commands/branches.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';

const commands = await allCommands();
const paths = commands.map(({ path }) => path);
const words = new Set(paths.flatMap((path) => path.split(' ')));
const nouns = [...new Set(paths.flatMap((path) => /^\S+(?= )/.exec(path)?.[0] ?? []))];

describe('the table of synonyms', () => {
  it('has each word in one set of synonyms, and a botctl name in each set', () => {
    const all = sameWords.flat();
    expect(all.filter((word, at) => all.indexOf(word) !== at)).toEqual([]);
    expect([...sameWords, ...likeWords].filter((set) => !set.some((word) => words.has(word)))).toEqual([]);
  });

  it.each(Object.entries(otherCommands))('answers %s with a command that exists: %s', async (typed, line) => {
    const { path, problem } = await readLine(readArgv(line.split(' ')), branches);
    expect(path.join(' ')).toBe(line.replace(/ -.*| GET/, ''));
    expect(problem?.kind).not.toBe('unknownCommand');
    // A valid command must have no synonym.
    const typedPath = (await readLine(readArgv(typed.split(' ')), branches)).command;
    expect(typedPath?.name).toBe(undefined);
  });

  it('has options or a command for each option of other tools', () => {
    // An empty entry means that the option can be omitted.
    const flags = new Set(['', '-o', '--profile', '--debug', '--yes', '--confirm', '--fields']);
    for (const { command } of commands)
      for (const { flags: own } of Object.values(command.options))
        flags.add(own.match(/--[\w-]+/)?.[0] ?? '');
    const meant = Object.values(otherOptions).map((one) => one.split(/ (?=-)/));
    const isThere = (one = ''): boolean => flags.has(one.split(' ')[0] ?? '') || paths.includes(one);
    expect(meant.filter(([first]) => !isThere(first))).toEqual([]);
  });

  it.each(Object.entries(helpWords))('answers help %s with help %s', async (word, answer) => {
    // Some pages show paths of this directory.
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const { exitCode, stdout } = await botctl(['help', ...answer.split(' ')], { env });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: (await botctl(['help', word], { env })).stdout,
    });
  });
});

describe('every noun', () => {
  const verbs = ['list', 'get', 'create', 'update', 'delete'];
  const cases = nouns.flatMap((noun) => verbs.map((verb) => [noun, verb] as const));

  it.each(cases)('%s answers %s with a command or with an alternative', async (noun, verb) => {
    const { command, problem } = await readLine(readArgv([noun, verb, 'x']), branches);
    if (command && problem?.kind !== 'unknownCommand') return;
    const { exitCode, stderr } = await botctl([noun, verb, 'x']);
    expect(exitCode).toBe(2);
    expect(stderr.replace(/See botctl [a-z ]+--help/, '')).toContain('botctl ');
  });

  it.each(nouns)('%s works in the singular and in the plural', (noun) => {
    const other = noun.endsWith('s') ? noun.slice(0, -1) : `${noun}s`;
    if (noun !== 'sandbox' && noun !== 'mcp') expect(resolveSynonym(other, nouns)).toBe(noun);
  });
});

it('suggests the command that begins with the typed letters before a similar one', async () => {
  const { stderr } = await botctl(['sandbox', 'stat']);
  expect(stderr).toContain('Did you mean botctl sandbox status?');
});
