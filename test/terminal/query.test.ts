import { describe, expect, it } from 'vitest';
import { type Answers, askTerminal, type QueryChannel } from '../../src/terminal/query.ts';
import { drawsSextants } from '../../src/terminal/sextants.ts';

/** A terminal whose responses the test sends. */
class AskedTerminal implements QueryChannel {
  sent = '';
  #callback: (sequence: string) => void = () => undefined;

  send(sequence: string): void {
    this.sent += sequence;
  }

  onSequence(callback: (sequence: string) => void): void {
    this.#callback = callback;
  }

  answers(...sequences: readonly string[]): void {
    for (const sequence of sequences) this.#callback(sequence);
  }
}

const attributes = '\x1b[?65;1;9c';
const late = (): void => {
  throw new Error('nothing was late');
};

describe('querying a terminal', () => {
  it('sends the requested queries, with the one for its attributes last', () => {
    const terminal = new AskedTerminal();
    void askTerminal(terminal, ['utf8', 'background'], late, 1);
    expect(terminal.sent).toBe('\r▀é\x1b[6n\r\x1b[K\x1b]11;?\x1b\\\x1b[c');
  });

  it('sends nothing without a query', async () => {
    const terminal = new AskedTerminal();
    await askTerminal(terminal, [], late);
    expect(terminal.sent).toBe('');
  });

  it('returns the responses as soon as the last one is there', async () => {
    const terminal = new AskedTerminal();
    const asked = askTerminal(terminal, ['utf8', 'background'], late, 60_000);
    terminal.answers('\x1b[1;3R', '\x1b[A', '\x1b]11;rgb:fd/f6/e3\x1b\\', attributes);
    expect(await asked).toEqual({ utf8: true, background: 'light' });
  });

  it('does not wait longer for a terminal that reports only its attributes', async () => {
    const terminal = new AskedTerminal();
    const asked = askTerminal(terminal, ['background'], late, 60_000);
    terminal.answers(attributes);
    expect(await asked).toEqual({ background: undefined });
  });

  it('stops waiting for a terminal that does not respond, and still handles a late response', async () => {
    const terminal = new AskedTerminal();
    const heard: Answers[] = [];
    const asked = askTerminal(terminal, ['utf8', 'background'], (answers) => void heard.push(answers), 1);
    expect(await asked).toEqual({ background: undefined });
    terminal.answers('\x1b[1;3R', '\x1b]11;rgb:0000/2b2b/3636\x07');
    expect(heard.at(-1)).toEqual({ utf8: true, background: 'dark' });
  });

  it.each([
    ['\x1b[1;3R', true],
    ['\x1b[12;3R', true],
    ['\x1b[1;4R', false],
    ['\x1b[A', undefined],
  ])('detects by the position %j whether a half block took one cell', async (position, utf8) => {
    const terminal = new AskedTerminal();
    const asked = askTerminal(terminal, ['utf8'], late, 60_000);
    expect(terminal.sent).toBe('\r▀é\x1b[6n\r\x1b[K\x1b[c');
    terminal.answers(position, '\x1b[1;9R', attributes);
    expect((await asked).utf8).toBe(utf8 ?? false);
    const other = askTerminal(terminal, ['background'], late, 60_000);
    terminal.answers(position, attributes);
    expect((await other).utf8, 'a function key').toBeUndefined();
  });

  it.each([
    ['rgb:ffff/ffff/ffff', 'light'],
    ['rgb:0/0/0', 'dark'],
    ['rgb:fff/000/000', 'dark'],
    ['rgba:eeee/eeee/eeee/ffff', 'light'],
    ['#ffffff', undefined],
    ['rgb:zz/zz/zz', undefined],
  ])('detects the background %s', async (colour, background) => {
    const terminal = new AskedTerminal();
    const asked = askTerminal(terminal, ['background'], late, 60_000);
    terminal.answers(`\x1b]11;${colour}\x07`, attributes);
    expect(await asked).toMatchObject({ background });
  });
});

describe('sextant support', () => {
  it.each([
    [{ WT_SESSION: 'x' }, true],
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, true],
    [{ TERM_PROGRAM: 'WezTerm' }, true],
    [{ TERM: 'xterm-ghostty' }, true],
    [{ TERM: 'foot-direct' }, true],
    [{ TERM: 'alacritty' }, true],
    [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, true],
    [{ TERM: 'xterm-256color', VTE_VERSION: '5202' }, false],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, false],
    [{ TERM: 'linux' }, false],
    [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, undefined],
    [{ TERM: 'xterm-256color', TMUX: '/tmp/tmux', WT_SESSION: 'x' }, undefined],
    [{ TERM: 'screen.xterm-256color', VTE_VERSION: '7600' }, undefined],
    [{ TERM: 'xterm-256color' }, undefined],
    [{}, undefined],
  ])('%j: %s', (env, draws) => {
    expect(drawsSextants(env)).toBe(draws);
  });
});
