import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PageNames, renderPage } from '../../src/pairing/web-page/markup.ts';
import script from '../../src/pairing/web-page/page.js?raw';
import { sshLineFor } from '../../src/pairing/web-page/ssh-line.ts';
import {
  drawPicture,
  firstState,
  type PageState,
  pageContentAt,
  stateAfter,
} from '../../src/pairing/web-page/state.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { sanitise } from '../../src/terminal/sanitise.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Generates text that would break out of its markup if it were not escaped. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc
    .array(
      fc.constantFrom(
        '</script>',
        '<script>alert(1)</script>',
        '<!--',
        '-->',
        ']]>',
        '"',
        "'",
        '`',
        '&',
        '&lt;',
        '<img src=x onerror=alert(1)>',
        '" onload="',
        '</title>',
        '</noscript>',
        '\u2028',
        '\u2029',
        '\u202e',
        '\u2066',
        '\r',
        '\n\n',
        '\0',
        '\ud800',
        '\u0024{x}',
        'שלום',
        'x',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

const render = (state: PageState, names: PageNames): string =>
  renderPage(pageContentAt(state, 0), names, 'nonce', '1');

const tags = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];

describe('the paired number', () => {
  const connected = { kind: 'connected', at: 0, took: 4000 } as const;
  const told = (phoneNumber: string | undefined, expected?: string) =>
    stateAfter({ ...connected, phoneNumber }, firstState, expected);

  it('is a failure if another number was expected, or none is shown', () => {
    expect(told('+14155550101', '14155550100')).toMatchObject({
      tone: 'failed',
      headline: 'Another number was paired',
      detail: expect.stringContaining('+14155550101, not +14155550100'),
    });
    expect(told(undefined, '14155550100')).toMatchObject({ tone: 'failed' });
    expect(told('+14155550100', '14155550100')).toMatchObject({
      tone: 'done',
      headline: 'Paired as +14155550100',
    });
    expect(told('+14155550100').tone).toBe('done');
  });
});

describe('text from other people', () => {
  it('never becomes markup of the page', () => {
    const skeleton = tags(render(firstState, { device: 'D', team: 'T', bot: 'B' }));
    fc.assert(
      fc.property(hostile, hostile, hostile, (device, team, bot) => {
        const html = render(firstState, { device, team, bot });
        const neutral = tags(html).map((tag) => tag.replace(/data-device="[^"<>']*"/, 'data-device="D"'));
        expect(neutral).toEqual(skeleton);
      }),
    );
  });

  it('is shown unchanged, except for characters that reverse, hide or control', () => {
    fc.assert(
      fc.property(hostile, (device) => {
        const html = render(firstState, { device, team: undefined, bot: undefined });
        const shown = /<h1>Pair <bdi>([^<]*)<\/bdi>/.exec(html)?.[1] ?? 'nothing';
        const whole = sanitise(device);
        if ([...whole].length <= 120) expect(unescapeHtml(shown)).toBe(whole);
        expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\0]/);
      }),
    );
  });

  it('is truncated if it is too long', () => {
    const names = { device: '🙂'.repeat(500), team: undefined, bot: undefined };
    const shown = /<h1>Pair <bdi>([^<]*)<\/bdi>/.exec(render(firstState, names))?.[1] ?? '';
    expect(shown).toBe(`${'🙂'.repeat(119)}…`);
  });

  it('is the same in a response as in the loaded page', () => {
    fc.assert(
      fc.property(hostile, (words) => {
        for (const event of [
          { kind: 'failed', at: 0, reason: words, because: 'stopped' },
          { kind: 'stopped', at: 0, reason: words },
          { kind: 'unreachable', at: 0, problem: words },
          { kind: 'unreadable', at: 0, problem: words, picture: undefined },
          { kind: 'connected', at: 0, phoneNumber: words, took: 0 },
        ] as const) {
          const state = stateAfter(event, firstState);
          expect(JSON.parse(JSON.stringify(pageContentAt(state, 0)))).toMatchObject({
            headline: state.headline,
            detail: state.detail,
          });
          const html = render(state, { device: 'D', team: undefined, bot: undefined });
          expect(unescapeHtml(/<p id="detail">([^<]*)</.exec(html)?.[1] ?? 'nothing')).toBe(state.detail);
        }
      }),
    );
  });
});

describe('the script of the page', () => {
  it('can be run, and ends as expected', () => {
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/<\/script|<!--/i);
  });
});

describe('a code that holds more than can be drawn', () => {
  it('is not drawn, and the page reports that', () => {
    const payload = new Secret('7'.repeat(3000));
    expect(drawPicture(payload)).toBeUndefined();
    const code = { payload, fingerprint: 'x', picture: Buffer.alloc(0) };
    const shown = { code, number: 1, since: 0, life: undefined, round: 1 };
    expect(stateAfter({ kind: 'code', at: 0, ...shown }, firstState)).toMatchObject({
      headline: "The code can't be shown",
      code: undefined,
    });
  });
});

describe('the ssh command', () => {
  it('names the machine as the session reached it', () => {
    const env = { SSH_CONNECTION: '192.0.2.7 50122 192.0.2.10 22', USER: 'ana' };
    expect(sshLineFor(45123, env)).toBe('ssh -L 45123:127.0.0.1:45123 ana@192.0.2.10');
  });

  it('includes the port if it isn’t the default', () => {
    const env = { SSH_CONNECTION: '2001:db8::7 50122 2001:db8::10 2222', LOGNAME: 'ana' };
    expect(sshLineFor(45123, env)).toBe('ssh -L 45123:127.0.0.1:45123 -p 2222 ana@2001:db8::10');
  });

  it('uses the host name if there is no session', () => {
    expect(sshLineFor(45123, { USER: 'ana' })).toBe(`ssh -L 45123:127.0.0.1:45123 ana@${hostname()}`);
    expect(sshLineFor(45123, {})).toBe(`ssh -L 45123:127.0.0.1:45123 ${hostname()}`);
  });

  it('stays one command with the same words for any environment', () => {
    const strange = fc.oneof(
      fc.constantFrom('$(id)', "o'neil", '`id`', '-oProxyCommand=id', 'a b', 'a;b', 'a"b', '\n', '', '!!'),
      fc.string({ unit: anyCharacter, maxLength: 20 }),
    );
    fc.assert(
      fc.property(strange, strange, (user, connection) => {
        const env = { USER: user, SSH_CONNECTION: connection };
        const line = sshLineFor(45123, env);
        expect(line).not.toMatch(/[\r\n\0]/);
        const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
        const words = stdout.split('\0').slice(0, -1);
        expect(words.slice(0, 3)).toEqual(['ssh', '-L', '45123:127.0.0.1:45123']);
        expect(words).toHaveLength(4);
        expect(words[3]).toMatch(/^[^-]/);
        expect([hostname(), `${user}@${hostname()}`]).toContain(words[3]);
      }),
      { numRuns: 60 },
    );
  });
});

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
