import { expect, it } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { start } from '../support/process.ts';

it.each([[['--version']], [['--help']], [['--help', '--no-such-option']]])(
  '%j is answered by the process as by the program itself',
  async (args) => {
    const { exitCode, stdout, stderr } = await botctl(args);
    const running = start(args);
    expect(await running.ended).toBe(exitCode);
    expect(running.output).toEqual({ stdout, stderr });
  },
);
