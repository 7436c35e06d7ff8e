import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import { globalOptions } from '../../src/global-options.ts';
import { allCommands } from '../../src/program.ts';
import { botctl } from '../support/botctl.ts';

const commands = await allCommands();
const names = (flags: string): readonly string[] =>
  (flags.match(/--?[\w-]+/g) ?? []).map((name) => name.replace(/^--no-/, '--'));

describe('the command tree', () => {
  it('has every command of the first release', () => {
    expect(commands.map(({ path }) => path).sort()).toEqual(
      [
        'bots create',
        'bots delete',
        'bots get',
        'bots list',
        'bots update',
        'device connect',
        'device create',
        'device disconnect',
        'device list',
        'device status',
        'docs get',
        'docs list',
        'docs rename',
        'docs upload',
        'keys create',
        'keys delete',
        'keys get',
        'keys list',
        'keys rotate',
        'login',
        'logout',
        'profiles list',
        'profiles remove',
        'profiles rename',
        'profiles set',
        'profiles show',
        'profiles use',
        'sandbox clock advance',
        'sandbox openapi',
        'sandbox phone scan',
        'sandbox publish',
        'sandbox seed',
        'sandbox start',
        'send',
        'teams create',
        'teams get',
        'teams list',
        'teams update',
        'token',
        'tour',
        'whoami',
      ].sort(),
    );
  });

  it.each(commands)(
    '$path has no option that shares a name with a global one, or with another of its own',
    ({ command }) => {
      const global = globalOptions.flatMap(({ flags }) => names(flags));
      const own = Object.values(command.options).flatMap(({ flags }) => names(flags));
      expect(own.filter((name) => global.includes(name) || name === '--confirm')).toEqual([]);
      expect(new Set(own).size).toBe(own.length);
    },
  );

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
    for (const { line } of command.examples) expect(stdout).toContain(line);
  });

  it.each(commands)('$path is summarised in one line without a full stop', ({ command }) => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{5,78}[^.\n]$/);
  });
});
