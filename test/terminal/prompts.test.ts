import type { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import type { Input } from '../../src/lib/io.ts';
import { createPrompts, type Prompts } from '../../src/terminal/prompts.ts';
import { eventually } from '../support/eventually.ts';
import { Captured, dangerous, fakeIo, hostile, keyboard, utf8 } from './support.ts';

const enter = '\r';
const ctrlC = '\x03';
const ctrlD = '\x04';
const ctrlZ = '\x1a';
const down = '\x1b[B';

interface Person {
  readonly prompts: Prompts;
  readonly stdin: PassThrough & Input;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly abort: AbortController;
  /** The screen at each suspension of the process, and whether the terminal was in raw mode. */
  readonly stops: { readonly shown: string; readonly isRaw: boolean }[];
  /** Waits until a text is on the screen, then types. */
  type(after: string, ...keys: readonly string[]): Promise<void>;
}

/** A user at a terminal. */
function person(options: { input?: boolean; color?: boolean; env?: Record<string, string> } = {}): Person {
  let isRaw = false;
  const stdin = Object.assign(keyboard(), { setRawMode: (raw: boolean) => (isRaw = raw) });
  const stdout = new Captured(80);
  const stderr = new Captured(80);
  const abort = new AbortController();
  const stops: Person['stops'] = [];
  const io = fakeIo({ stdin, stdout, stderr, signal: abort.signal, env: options.env ?? utf8 });
  return {
    prompts: createPrompts(
      io,
      { input: options.input ?? true, color: options.color ?? false },
      () => void stops.push({ shown: stderr.text, isRaw }),
    ),
    stops,
    stdin,
    stdout,
    stderr,
    abort,
    async type(after, ...keys) {
      await eventually(() => stderr.text.includes(after), { instead: () => stderr.text });
      for (const key of keys) {
        // A question listens to keys only after the event loop round in which it was drawn or redrawn.
        await nextRound();
        stdin.write(key);
      }
    },
  };
}

/** Returns the text on the screen, without the sequences that move the cursor. */
function screenOf({ stderr }: Person): string {
  return stderr.text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '');
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error(`no failure was thrown but ${String(thrown)}`);
  return thrown;
}

const keyId = { message: 'Key id:', option: '--key-id' };

describe('on a terminal', () => {
  test('a question that is longer than the line is broken between words', async () => {
    const human = person();
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const answer = human.prompts.yes({ message: `${words}. Go on?`, option: '--yes' });
    await human.type('Go on?', 'y', enter);
    expect(await answer).toBe(true);
    // The text of the first drawing.
    const [drawn = ''] = screenOf(human).split('Go on?');
    const lines = drawn.split(/\r?\n/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeGreaterThan(1);
    for (const word of words.split(' ')) expect(drawn).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('a text question is printed on stderr, never on stdout', async () => {
    const who = person();
    const answer = who.prompts.text(keyId);
    await who.type('Key id:', 'abc', enter);
    expect(await answer).toBe('abc');
    expect(who.stdout.text).toBe('');
  });

  test('a text may have a default, and is validated', async () => {
    const who = person();
    const validate = (text: string): string | true => text !== 'bad' || 'Not that one.';
    const answer = who.prompts.text({ ...keyId, fallback: 'k1', validate });
    await who.type('Key id:', 'bad', enter);
    await who.type('Not that one.', '\x7f', '\x7f', '\x7f', enter);
    expect(await answer).toBe('k1');
  });

  test('a secret is never echoed, not even on demand', async () => {
    const who = person();
    const answer = who.prompts.secret({ message: 'Key secret:', option: '--key-secret-file' });
    const ctrlT = '\x14';
    await who.type('Key secret:', 'hunter', ctrlT, '22', enter);
    expect(await answer).toBe('hunter22');
    expect(who.stderr.text).not.toMatch(/hunter|22|\*/);
  });

  test.each([
    ['y', true],
    ['yes', true],
    ['n', false],
    ['', false],
  ])('"%s" to y/N means %s', async (typed, agreed) => {
    const who = person();
    const answer = who.prompts.yes({ message: 'Delete it?', option: '--yes' });
    await who.type('Delete it?', typed, enter);
    expect(await answer).toBe(agreed);
    expect(screenOf(who)).toContain('(y/N)');
    // An answer is not shown as a success, least of all a No.
    expect(screenOf(who)).not.toMatch(/✓|ok/);
  });

  test.each([
    ['y', true],
    ['n', false],
    ['no', false],
    ['', true],
  ])('"%s" to Y/n means %s', async (typed, agreed) => {
    const who = person();
    const answer = who.prompts.yes({ message: 'Acme?', option: 'its id', fallback: true });
    await who.type('Acme?', typed, enter);
    expect(await answer).toBe(agreed);
    expect(screenOf(who)).toContain('(Y/n)');
  });

  test.each([
    [false, 'y', true],
    [true, 'n', false],
  ])(
    'a wrong answer is removed from the line, for another one (default %s)',
    async (fallback, right, agreed) => {
      const who = person();
      const answer = who.prompts.yes({ message: 'Delete it?', option: '--yes', fallback });
      await who.type('Delete it?', 'maybe', enter);
      await who.type('! Type y or n.', right, enter);
      expect(await answer).toBe(agreed);
      expect(screenOf(who)).not.toContain(`maybe${right}`);
      expect(screenOf(who)).toMatch(agreed ? /Delete it\? Yes\n$/ : /Delete it\? No\n$/);
    },
  );

  test.each([
    ['Acme', true],
    [' t1 ', true],
    ['acme', false],
    ['', false],
  ])('"%s" as the typed name means %s', async (typed, agreed) => {
    const who = person();
    const answer = who.prompts.typedName({
      message: 'Type Acme:',
      option: '--confirm "Acme"',
      names: ['Acme', 't1'],
    });
    await who.type('Type Acme:', typed, enter);
    expect(await answer).toBe(agreed);
  });

  test('one of a list is found by a part of its name, ignoring case and accents', async () => {
    const who = person();
    const choices = [
      { name: 'Acme', value: 1 },
      { name: 'São Paulo Café', value: 2, description: 'team-2' },
      { name: 'Café Norte', value: 3 },
    ];
    const answer = who.prompts.choose({ message: 'Team:', option: '--team', choices });
    await who.type('Acme', 'c', 'a', 'f', 'e');
    // The last drawing shows only the two matches.
    const drawnLast = () => who.stderr.text.slice(who.stderr.text.lastIndexOf('Team:'));
    await eventually(() => !drawnLast().includes('Acme') && drawnLast().includes('Norte'));
    await who.type('Norte', down, enter);
    expect(await answer).toBe(3);
  });

  test('Enter right after the last letter selects the match', async () => {
    const who = person();
    const choices = ['Acme', 'Moon', 'Moor'].map((name) => ({ name, value: name }));
    const answer = who.prompts.choose({ message: 'Team:', option: '--team', choices });
    await who.type('Moor', 'moo\r');
    expect(await answer).toBe('Moon');
  });

  test('a question is drawn completely before it is answered, however slowly the terminal responds', async () => {
    const stdin = keyboard();
    let drawn = '';
    const stderr = Object.assign(new Captured(80), {
      // Like a terminal's stream, it accepts text at once and calls back later, which here is never.
      _write(chunk: string | Buffer): void {
        drawn += chunk.toString();
      },
      write(chunk: string | Buffer): boolean {
        drawn += chunk.toString();
        return true;
      },
    });
    const prompts = createPrompts(fakeIo({ stdin, stdout: new Captured(80), stderr, env: utf8 }), {
      input: true,
      color: false,
    });
    const answer = prompts.typedName({ message: 'Type Acme:', option: '--confirm', names: ['Acme'] });
    await eventually(() => drawn.includes('Type Acme:'));
    await nextRound();
    stdin.write('Acme\r');
    expect(await answer).toBe(true);
    expect(drawn.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '')).toMatch(/Acme: Acme\n$/);
  });

  test('a question is safe', async () => {
    for (const text of [hostile.clipboard, hostile.override, hostile.lines, hostile.c1]) {
      const who = person();
      const answer = who.prompts.choose({
        message: text,
        option: '--team',
        choices: [{ name: text, value: 1, description: text }],
      });
      await who.type('navigate', enter);
      expect(await answer).toBe(1);
      expect(screenOf(who).replace(/[\r\n\x07]/g, '')).not.toMatch(dangerous);
      expect(who.stderr.text).not.toContain('52;c');
    }
  });

  test('a question has colour only if it is enabled', async () => {
    for (const [options, colored] of [
      [{ color: true }, true],
      [{ color: false }, false],
      [{ color: true, env: { ...utf8, NO_COLOR: '1' } }, false],
    ] as const) {
      const who = person(options);
      const text = who.prompts.text({ ...keyId, fallback: 'x' });
      await who.type('Key id:', enter);
      await text;
      const chosen = who.prompts.choose({
        message: 'Team:',
        option: '--team',
        choices: [{ name: 'Acme', value: 1 }],
      });
      await who.type('Acme', enter);
      await chosen;
      expect(/\x1b\[[0-9;]*m/.test(who.stderr.text)).toBe(colored);
    }
  });

  test('a question is ASCII if the locale is', async () => {
    const who = person({ env: { TERM: 'xterm' } });
    const chosen = who.prompts.choose({
      message: 'Team:',
      option: '--team',
      choices: [{ name: 'Acme', value: 1 }],
    });
    await who.type('Acme', enter);
    await chosen;
    expect(screenOf(who)).toMatch(/^[\x00-\x7f]*$/);
  });
});

describe('leaving a question', () => {
  test('interrupts on Ctrl-C', async () => {
    const who = person();
    const failure = failureOf(who.prompts.text(keyId));
    await who.type('Key id:', ctrlC);
    expect(await failure).toMatchObject({ kind: 'interrupted', exitCode: 130 });
  });

  test('removes a list on Ctrl-C', async () => {
    const who = person();
    const choices = ['Acme', 'Moon', 'Moor'].map((name) => ({ name, value: name }));
    const failure = failureOf(who.prompts.choose({ message: 'Team:', option: '--team', choices }));
    await who.type('Moor', ctrlC);
    expect(await failure).toMatchObject({ kind: 'interrupted', exitCode: 130 });
    const { text } = who.stderr;
    const drawn = text.slice(text.lastIndexOf('Team:')).replace(/\x1b\[[0-9;?]*m/g, '');
    // At least six lines are erased after the drawing.
    expect(drawn.match(/\x1b\[2K/g)?.length).toBeGreaterThanOrEqual(6);
  });

  test('answers no on Ctrl-D and at the end of the input', async () => {
    const who = person();
    const failure = failureOf(who.prompts.secret(keyId));
    await who.type('Key id:', ctrlD);
    expect(await failure).toMatchObject({ kind: 'declined', exitCode: 3 });

    const gone = person();
    const other = failureOf(gone.prompts.text(keyId));
    await gone.type('Key id:');
    gone.stdin.end();
    expect(await other).toMatchObject({ kind: 'declined' });
  });

  test
    .skipIf(process.platform === 'win32')
    .each<[string, (prompts: Prompts) => Promise<unknown>, typed: string, answer: unknown]>([
      ['a text', (prompts) => prompts.text({ message: 'Which?', option: '--x' }), 'moon', 'moon'],
      ['a secret', (prompts) => prompts.secret({ message: 'Which?', option: '--x' }), 'moon', 'moon'],
      ['y/N', (prompts) => prompts.yes({ message: 'Which?', option: '--x' }), 'y', true],
      [
        'a name',
        (prompts) => prompts.typedName({ message: 'Which?', option: '--x', names: ['moon'] }),
        'moon',
        true,
      ],
      [
        'a list',
        (prompts) =>
          prompts.choose({
            message: 'Which?',
            option: '--x',
            choices: ['Sun', 'Moon'].map((name) => ({ name, value: name })),
          }),
        'moon',
        'Moon',
      ],
    ])(
    'restores the terminal on Ctrl-Z at %s, and asks again when the process continues',
    async (_kind, ask, typed, wanted) => {
      const who = person();
      const listeners = process.listenerCount('SIGCONT');
      const answer = ask(who.prompts);
      await who.type('Which?', 'x', ctrlZ);
      await eventually(() => who.stops.length === 1);
      const [{ shown, isRaw } = { shown: '', isRaw: true }] = who.stops;
      expect(isRaw).toBe(false);
      // The last output shows the cursor again.
      expect(shown).toMatch(/\x1b\[\?25h$/);
      process.emit('SIGCONT');
      await eventually(() => who.stderr.text.slice(shown.length).includes('Which?'));
      await nextRound();
      for (const key of [...typed, enter]) {
        await nextRound();
        who.stdin.write(key);
      }
      expect(await answer).toBe(wanted);
      expect(who.stops).toHaveLength(1);
      expect(process.listenerCount('SIGCONT')).toBe(listeners);
    },
  );

  test('ends the question on a signal with its own reason', async () => {
    const who = person();
    const failure = failureOf(who.prompts.yes({ message: 'Sure?', option: '--yes' }));
    await who.type('Sure?');
    who.abort.abort(new Failure('terminated', 'Terminated.'));
    expect(await failure).toMatchObject({ kind: 'terminated' });
  });

  test('leaves nothing of one question behind for the next', async () => {
    const who = person();
    const [ends, pauses] = [who.stdin.listenerCount('end'), who.stdin.listenerCount('pause')];
    for (const name of ['One:', 'Two:', 'Three:']) {
      const answer = who.prompts.text({ message: name, option: '--x' });
      await who.type(name, 'ok', enter);
      expect(await answer).toBe('ok');
    }
    expect([who.stdin.listenerCount('end'), who.stdin.listenerCount('pause')]).toEqual([ends, pauses]);
  });
});

describe('without an interactive user', () => {
  const asks: readonly [string, (prompts: Prompts) => Promise<unknown>][] = [
    ['text', (prompts) => prompts.text(keyId)],
    ['secret', (prompts) => prompts.secret(keyId)],
    ['yes', (prompts) => prompts.yes(keyId)],
    ['typedName', (prompts) => prompts.typedName({ ...keyId, names: ['a'] })],
    ['choose', (prompts) => prompts.choose({ ...keyId, choices: [] })],
  ];

  test.each(asks)('%s fails and names the option', async (_what, ask) => {
    const io = fakeIo();
    const prompts = createPrompts(io, { input: true, color: true });
    expect(prompts.available).toBe(false);
    const failure = await failureOf(ask(prompts));
    expect(failure).toMatchObject({ kind: 'usage', exitCode: 2, message: 'Missing --key-id.' });
    expect(failure.hint).toBe('Give --key-id, or run in a terminal to be asked: Key id:');
    expect((io.stderr as Captured).text).toBe('');
  });

  test.each(asks)('%s fails with --no-input too', async (_what, ask) => {
    const who = person({ input: false });
    expect(who.prompts.available).toBe(false);
    const failure = await failureOf(ask(who.prompts));
    expect(failure.hint).toContain('without --no-input');
    expect(who.stderr.text).toBe('');
  });
});
