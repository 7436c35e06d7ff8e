import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { drawFinding } from '../../../src/commands/doctor/draw-finding.ts';
import { nodeAnswer } from '../../../src/commands/doctor/run-checks.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { minNode } from '../../../src/lib/version.ts';
import { loadPaint } from '../../../src/terminal/colour.ts';
import { doctor } from './support.ts';

const plain = {
  columns: 80,
  paint: await loadPaint(0),
  unicode: true,
  now: 0,
  redact: (text: string) => text,
};
const broken = { check: 'dns', verdict: 'broken', found: 'There is no host named x.' };

describe('a finding', () => {
  it('consists of a mark, the check, the result and, below it, the remedy', async () => {
    expect(await drawFinding({ ...broken, remedy: 'Check your network.' }, plain)).toBe(
      '✗ dns                There is no host named x.\n                     → Check your network.\n',
    );
    expect(
      await drawFinding(
        { check: 'dns', verdict: 'ok', found: 'Fine.', remedy: null },
        { ...plain, unicode: false },
      ),
    ).toBe('+ dns                Fine.\n');
  });

  it('has a colour according to its verdict', async () => {
    const paint = await loadPaint(1);
    const drawn = async (verdict: string): Promise<string> =>
      (await drawFinding({ ...broken, verdict }, { ...plain, paint })).slice(0, 5);
    expect(await Promise.all(['ok', 'warning', 'broken', 'skipped'].map(drawn))).toEqual(
      ['32', '33', '31'].map((code) => `\u001b[${code}m`).concat('\u001b[2m–'),
    );
  });

  it('never breaks a command that is to be copied', async () => {
    const command = `chmod 600 /${'a-long-directory/'.repeat(8)}config.json`;
    expect(await drawFinding({ ...broken, remedy: command }, plain)).toContain(`→ ${command}\n`);
    expect(await drawFinding({ ...broken, remedy: `Make it private: ${command}` }, plain)).toContain(
      `→ Make it private:\n                       ${command}\n`,
    );
  });

  it('breaks no address in the text of a remedy', async () => {
    const address = `https://${'a-long-name.'.repeat(8)}example/openapi`;
    const remedy = `Open ${address} in a browser, and sign in there first. Then look again: botctl doctor`;
    expect(await drawFinding({ ...broken, remedy }, { ...plain, columns: 60 })).toContain(address);
  });

  it('separates each command of a remedy from the text around it', async () => {
    const [one, other] = ['botctl device connect DEVICE --qr-file FILE', 'export LANG=C.UTF-8'];
    const remedy = `Save a picture and scan it: ${one}. To draw codes, run: ${other}`;
    expect(await drawFinding({ ...broken, remedy }, { ...plain, columns: 76 })).toContain(
      `→ Save a picture and scan it:\n${' '.repeat(23)}${one}\n${' '.repeat(23)}To draw codes, run:\n${' '.repeat(23)}${other}\n`,
    );
  });

  it('indents every line of a remedy', async () => {
    const remedy = 'botctl doctor --learn\nOr, if you know the names: botctl profiles set NAME';
    expect(await drawFinding({ ...broken, remedy }, plain)).toContain(
      `→ botctl doctor --learn\n${' '.repeat(23)}Or, if you know the names:`,
    );
  });

  it('breaks the text of a remedy, and no command, at any width', async () => {
    const word = fc.stringMatching(/^[A-Za-z]{1,12}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 20 }).map((all) => all.join(' '));
    const line = fc.array(word, { minLength: 1, maxLength: 10 }).map((all) => `botctl ${all.join(' ')}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(words, line), { minLength: 1, maxLength: 3 }),
        words,
        fc.constantFrom('. ', '; '),
        fc.integer({ min: 40, max: 120 }),
        async (parts, end, mark, columns) => {
          const remedy = [...parts.map(([before, command]) => `X${before}: ${command}`), `X${end}`].join(
            mark,
          );
          const drawn = await drawFinding({ ...broken, remedy }, { ...plain, columns });
          const lines = drawn.split('\n').map((one) => one.replace(/^ *(?:→ )?/, ''));
          const isInOne = lines.includes(remedy);
          for (const [, command] of parts) expect(isInOne || lines.includes(command)).toBe(true);
          const commands = new Set(parts.map(([, command]) => command));
          for (const one of drawn.split('\n')) {
            if (!commands.has(one.trim())) expect(stringWidth(one)).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });

  it('masks a secret that would be broken into two lines', async () => {
    const redact = (text: string): string => text.replaceAll('a-secret-of-many-letters', '***');
    const found = `${'x'.repeat(50)}a-secret-of-many-letters`;
    expect(await drawFinding({ ...broken, found }, { ...plain, redact })).not.toContain('a-secret');
  });

  it('fits any width, for any result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 20, max: 120 }),
        async (found, columns) => {
          const drawn = await drawFinding({ ...broken, found: `X${found}` }, { ...plain, columns });
          for (const line of drawn.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        },
      ),
    );
  });
});

describe('a version of Node.js', () => {
  it.each([minNode, '20.20.0', '22.0.0', '100.1.0', '24.0.0-nightly'])('%s is new enough', (version) => {
    expect(nodeAnswer(version).verdict).toBe('ok');
  });

  it.each(['20.18.3', '18.20.0', '0.12.0'])('%s is too old', (version) => {
    expect(() => nodeAnswer(version)).toThrow(Failure);
  });
});

describe('the terminal', () => {
  const look = async (columns: number, rows: number, env: Record<string, string> = {}) =>
    doctor(env, [], { terminal: { columns, rows } });

  it('has room for a code, or the alternative is named', async () => {
    const large = await look(100, 40);
    expect(large.at('terminal').found).toBe('100 x 40, TERM=xterm-256color.');
    expect(large.at('pairing codes').verdict).toBe('ok');
    const usual = await look(80, 24);
    expect(usual.at('pairing codes')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(
        /^Sextants; a usual code needs \d+ x \d+, and this terminal has 80 x 24\. If the terminal shows boxes/,
      ),
    });
    const without = await look(80, 24, { TERM_PROGRAM: 'Apple_Terminal' });
    expect(without.at('pairing codes')).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(
        /a usual code needs \d+ x \d+, and this terminal has 80 x 24\. It would fit with sextants/,
      ),
      remedy: expect.stringContaining('--qr sextant'),
    });
    const known = await look(80, 24, { TERM: 'xterm-kitty' });
    expect(known.at('pairing codes')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(
        /^Sextants; a usual code needs \d+ x \d+, and this terminal has 80 x 24\.$/,
      ),
    });
    // At this width, the text is next to the code.
    expect((await look(93, 32)).at('pairing codes')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(/needs 93 x 32, and this terminal has 93 x 32\.$/),
    });
    const tiny = await look(20, 10, { TERM: 'xterm-kitty' });
    expect(tiny.at('pairing codes')).toMatchObject({
      verdict: 'warning',
      found: expect.stringMatching(/a usual code needs \d+ x \d+, and this terminal has 20 x 10\.$/),
      remedy: expect.stringContaining('--qr-file FILE'),
    });
  });

  it.each([
    [{ NO_COLOR: '1' }, 'None (NO_COLOR).', 'warning'],
    [{ FORCE_COLOR: '3' }, 'True colour (FORCE_COLOR).', 'ok'],
    [{ LANG: 'C' }, '256 colours (TERM).', 'warning'],
    [{ LANG: 'C', NO_COLOR: '1' }, 'None (NO_COLOR).', 'warning'],
  ])('with %j reports what determines colours and codes', async (env, colour, codes) => {
    const { at } = await look(100, 50, env);
    expect(at('colour').found).toBe(colour);
    expect(at('pairing codes').verdict).toBe(codes);
    expect(at('characters').verdict).toBe('LANG' in env ? 'warning' : 'ok');
  });

  it('is skipped if there is none', async () => {
    const { at } = await doctor({});
    for (const check of ['terminal', 'pairing codes']) expect(at(check).verdict).toBe('skipped');
    expect(at('colour').found).toBe('None (no terminal).');
  });
});
