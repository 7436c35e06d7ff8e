import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import { globalOptions } from '../../src/input/global-options.ts';
import { allCommands } from '../../src/program.ts';
import { botctl } from '../support/botctl.ts';

const commands = await allCommands();
const names = (flags: string): readonly string[] =>
  (flags.match(/--?[\w-]+/g) ?? []).map((name) => name.replace(/^--no-/, '--'));

describe('the command tree', () => {
  it('has every command of the first release', () => {
    expect(commands.map(({ path }) => path).sort()).toEqual(
      [
        'api',
        'bots actions add',
        'bots actions list',
        'bots actions remove',
        'bots create',
        'bots delete',
        'bots diff',
        'bots documents add',
        'bots documents list',
        'bots documents remove',
        'bots edit',
        'bots get',
        'bots list',
        'bots questions add',
        'bots questions list',
        'bots questions remove',
        'bots update',
        'completion',
        'device add',
        'device connect',
        'device create',
        'device disconnect',
        'device forget',
        'device list',
        'device repair',
        'device status',
        'docs get',
        'docs list',
        'docs rename',
        'docs upload',
        'doctor',
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
        'sandbox phone block',
        'sandbox phone offline',
        'sandbox phone online',
        'sandbox phone scan',
        'sandbox phone takeover',
        'sandbox phone unblock',
        'sandbox phone unlink',
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
      // `--qr STYLE` and `--no-qr` go together: the one chooses what the other leaves out.
      const typed = Object.values(command.options).flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
      expect(new Set(typed).size).toBe(typed.length);
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
    const unfolded = stdout.replace(/ \\\n +/g, ' ');
    for (const { line } of command.examples) expect(unfolded).toContain(line);
  });

  it.each(commands)('$path is summarised in one line without a full stop', ({ command }) => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{5,78}[^.\n]$/);
  });
});
