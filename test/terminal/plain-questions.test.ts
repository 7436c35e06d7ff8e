import type { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../src/lib/io.ts';
import { createPrompts, type Prompts } from '../../src/terminal/prompts.ts';
import { eventually } from '../support/eventually.ts';
import { Captured, fakeIo, keyboard, utf8 } from './support.ts';

const plain = [
  ['TERM=dumb', { LANG: 'C.UTF-8', TERM: 'dumb' }],
  ['ACCESSIBLE=1', { ...utf8, ACCESSIBLE: '1' }],
] as const;

function person(env: Io['env']): { prompts: Prompts; stdin: PassThrough; stderr: Captured; raw: unknown[] } {
  const raw: unknown[] = [];
  const stdin = Object.assign(keyboard(), { setRawMode: (on: boolean) => void raw.push(on) });
  const stderr = new Captured(80);
  const io = fakeIo({ stdin, stdout: new Captured(80), stderr, env });
  // Resumes synchronously, before a timer could resume it.
  const stop = (): void => {
    raw.push('stopped');
    process.emit('SIGCONT');
    raw.push('went on');
  };
  return { prompts: createPrompts(io, { input: true, color: true }, stop), stdin, stderr, raw };
}

const choices = [
  { name: 'Acme', value: 1 },
  { name: 'Café Norte', value: 2, description: 'team-2' },
  { name: 'Café Sul', value: 3 },
];

describe.each(plain)('with %s', (_, env) => {
  test.each([
    ['2\n', 2],
    ['Café Sul\n', 3],
    ['acm\r', 1],
    ['cafe\n1\n', 2],
    ['\n9\n3\n', 3],
  ])('one of a list is chosen by %j', async (typed, wanted) => {
    const who = person(env);
    who.stdin.write(typed);
    expect(await who.prompts.choose({ message: 'Which team?', option: '--team', choices })).toBe(wanted);
    expect(who.stderr.text).toContain('Which team?\n  1. Acme\n  2. Café Norte (team-2)\n  3. Café Sul\n');
    expect(who.stderr.text).not.toContain('\x1b');
  });

  test('an id is printed once next to a name, and the start of it that is shown elsewhere selects it too', async () => {
    const who = person(env);
    const twins = ['11111111-aaaa', '22222222-bbbb'].map((id) => ({
      name: 'Acme',
      startOfId: id.slice(0, 8),
      description: id,
      value: id,
    }));
    who.stdin.write('Acme (id 22222222)\n');
    const chosen = await who.prompts.choose({ message: 'Which?', option: '--team', choices: twins });
    expect(chosen).toBe('22222222-bbbb');
    expect(who.stderr.text).toContain('  1. Acme (11111111-aaaa)\n  2. Acme (22222222-bbbb)\n');
  });

  test('text, y/N and a name are read as lines, one after the other', async () => {
    const who = person(env);
    who.stdin.write('bad\ngood\ny\n\nAcme\n');
    const validate = (answer: string): string | true => answer !== 'bad' || 'Not that.';
    expect(await who.prompts.text({ message: 'Name:', option: '--name', validate })).toBe('good');
    expect(await who.prompts.yes({ message: 'Sure?', option: '--yes' })).toBe(true);
    expect(await who.prompts.yes({ message: 'Sure?', option: '--yes' })).toBe(false);
    const names = ['Acme'];
    expect(await who.prompts.typedName({ message: 'Type Acme:', option: '--confirm', names })).toBe(true);
    expect(who.stderr.text).toBe('Name: Not that.\nName: Sure? (y/N) Sure? (y/N) Type Acme: ');
  });

  test('Y/n accepts an empty line as Yes, and anything else except yes as No', async () => {
    const who = person(env);
    who.stdin.write('\nwhat\nn\nyes\n');
    const answers: boolean[] = [];
    for (let asked = 0; asked < 4; asked++)
      answers.push(await who.prompts.yes({ message: 'Acme?', option: 'its id', fallback: true }));
    expect(answers).toEqual([true, false, false, true]);
    expect(who.stderr.text).toBe('Acme? (Y/n) '.repeat(4));
  });

  test('a secret is not shown', async () => {
    const who = person(env);
    const answer = who.prompts.secret({ message: 'Secret:', option: '--key-secret-file' });
    for (const keys of ['huntee', '\x7f', 'r2', '\r']) {
      await nextRound();
      who.stdin.write(keys);
    }
    expect(await answer).toBe('hunter2');
    expect(who.stderr.text).toBe('Secret: (not shown while you type) \n');
    expect(who.raw).toEqual([true, false]);
  });

  test.skipIf(process.platform === 'win32')(
    'Ctrl-Z at a secret restores the terminal, and the question is repeated when the process continues',
    async () => {
      const who = person(env);
      const answer = who.prompts.secret({ message: 'Secret:', option: '--key-secret-file' });
      who.stdin.write('gone\x1a');
      await eventually(() => who.raw.includes('went on'));
      who.stdin.write('hunter2\r');
      expect(await answer).toBe('hunter2');
      expect(who.raw).toEqual([true, false, 'stopped', true, 'went on', false]);
      expect(who.stderr.text).toBe('Secret: (not shown while you type) \n'.repeat(2));
    },
  );

  test.skipIf(process.platform === 'win32')(
    'a line is asked for again when a stopped process continues, and only then',
    async () => {
      const who = person(env);
      const answer = who.prompts.text({ message: 'Name:', option: '--name' });
      await eventually(() => who.stderr.text === 'Name: ');
      process.emit('SIGCONT');
      who.stdin.write('Acme\n');
      expect(await answer).toBe('Acme');
      process.emit('SIGCONT');
      expect(who.stderr.text).toBe('Name: Name: ');
    },
  );

  test('the end of the input answers no', async () => {
    const who = person(env);
    who.stdin.end();
    await expect(who.prompts.text({ message: 'Name:', option: '--name' })).rejects.toMatchObject({
      kind: 'declined',
    });
  });

  test('Ctrl-C at a secret interrupts, and the terminal echoes again', async () => {
    const who = person(env);
    who.stdin.write('a\x03');
    await expect(who.prompts.secret({ message: 'Secret:', option: '--x' })).rejects.toMatchObject({
      kind: 'interrupted',
    });
    expect(who.raw).toEqual([true, false]);
  });
});
