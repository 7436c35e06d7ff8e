import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import { namesOf } from '../../src/cli/argv.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { botctl } from '../support/botctl.ts';

const commands = await allCommands();

const names = (flags: string): readonly string[] =>
  (flags.match(/--?[\w-]+/g) ?? []).map((name) => name.replace(/^--no-/, '--'));

describe('the command tree', () => {
  it.each(commands)(
    '$path has no option that shares a name with a global one, or with another of its own',
    ({ command }) => {
      const global = globalOptions.flatMap(({ flags }) => names(flags));
      const own = Object.values(command.options).flatMap(({ flags }) => names(flags));
      expect(own.filter((name) => global.includes(name) || name === '--confirm')).toEqual([]);
      // `--qr STYLE` and `--no-qr` go together: the one chooses what the other leaves out.
      const typed = Object.values(command.options).flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
      expect(new Set(typed).size).toBe(typed.length);
    },
  );

  it('has one command of each name, other verbs included', () => {
    const all = commands.flatMap(({ path, command }) =>
      path === command.name ? [path] : namesOf(command).map((name) => `${path.split(' ')[0]} ${name}`),
    );
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  });

  it.each(commands)('$path has no default that help can not show', ({ command }) => {
    for (const { kind, fallback } of Object.values(command.options))
      if (kind === 'value' && fallback !== undefined) expect(typeof fallback).not.toBe('object');
  });

  it.each(commands)('$path names its options after their flags', ({ command }) => {
    for (const option of Object.values(command.options)) {
      expect(new CommanderOption(option.flags).long).toMatch(/^--[a-z][a-z-]*$/);
    }
  });

  it.each(commands)('$path shows its help with examples that name it', async ({ path, command }) => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { line } of command.examples) expect(line).toContain(`botctl ${path}`);
    const { exitCode, stdout, stderr } = await botctl([...path.split(' '), '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Usage: botctl ${path}`);
    const unfolded = stdout.replace(/ \\\n +/g, ' ');
    for (const { line } of command.examples) expect(unfolded).toContain(line);
  });

  it.each(commands)('$path is summarised in one line without a full stop', ({ command }) => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{5,78}[^.\n]$/);
  });
});
