import { describe, expect, it } from 'vitest';
import { globalOptions } from '../../src/cli/global-options.ts';
import { allCommands } from '../../src/commands/branches.ts';

const commands = await allCommands();

describe('the commands', () => {
  it('have one command for each name', () => {
    const all = commands.map(({ path }) => path);
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  });

  it('have no option that shares a name with a global one, or with another of its own', () => {
    const positive = (flag: string): string => flag.replace(/^--no-/, '--');
    const flagsIn = (flags: string): readonly string[] => flags.match(/--?[\w-]+/g) ?? [];
    const global = ['--confirm', ...globalOptions.flatMap(({ flags }) => flagsIn(flags).map(positive))];
    const twice = commands.flatMap(({ path, command }) => {
      const own = Object.values(command.options).flatMap(({ flags }) => flagsIn(flags));
      return own
        .filter((flag, at) => global.includes(positive(flag)) || own.indexOf(flag) !== at)
        .map((flag) => `${path} ${flag}`);
    });
    expect(twice).toEqual([]);
  });

  it('declare the kind of each value that names an object, so that names are completed, offered and walked', () => {
    const nouns = ['team', 'bot', 'document', 'device', 'profile', 'key'];
    const silent = commands.flatMap(({ path, command }) => [
      ...Object.values(command.options).flatMap(({ flags, noun, isPath }) => {
        const word = /[<[](.+)[>\]]/.exec(flags)?.[1] ?? '';
        const isDeclared = /^(?:file|directory|path)$/.test(word)
          ? isPath
          : !nouns.includes(word) || noun === word;
        return isDeclared ? [] : [`${path} ${flags}`];
      }),
      ...Object.entries(command.arguments).flatMap(([name, { noun }]) =>
        nouns.includes(name) && noun !== name ? [`${path} <${name}>`] : [],
      ),
    ]);
    expect(silent).toEqual([]);
  });
});
