import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { teamFields } from '../../src/commands/teams/fields.ts';
import { Failure } from '../../src/lib/errors.ts';
import { CommandLine, command, remark } from '../../src/lib/text/remark.ts';
import { renderFailure } from '../../src/output/failure.ts';
import type { Fields, Row } from '../../src/output/fields.ts';
import { present } from '../../src/output/present.ts';
import type { OutputShape } from '../../src/output/shape.ts';
import { Redactor } from '../../src/secrets/redactor.ts';
import { mask, Secret } from '../../src/secrets/secret.ts';
import { createTerminal } from '../../src/terminal/terminal.ts';
import { type Ruler, rulerFor, wrapRemark } from '../../src/terminal/width.ts';
import { anyText, Captured, fakeIo, now, presented, terminalWidth, utf8 } from './support.ts';

const uuid = '5fe45ae4-171d-4baf-8ad3-bdd45efde567';
const fields: Fields = [
  { name: 'id', kind: 'id', importance: 9 },
  { name: 'name', importance: 8 },
  { name: 'plan', importance: 3 },
];
const list: OutputShape = { kind: 'list', fields };
const rows: readonly Row[] = [
  { id: uuid, name: 'Northwind Bicycles', plan: 'pro' },
  { id: uuid, name: '山の上ベーカリー', plan: 'pro' },
];

describe('an id in a table', () => {
  it.each([
    [80, ['ID', 'NAME', 'PLAN'], []],
    [60, ['ID', 'NAME'], ['plan']],
    [40, ['NAME', 'PLAN'], ['id']],
    [20, ['NAME'], ['id', 'plan']],
  ] as const)(
    'is complete or absent at %d columns, and absent columns are reported',
    async (columns, shown, left) => {
      const stdout = new Captured(columns);
      let told: readonly string[] = [];
      await present(rows, list, {
        io: { stdout, env: utf8 },
        options: { output: undefined, fields: undefined, header: false, color: false },
        clock: { now: () => now },
        onOmitted: (some) => {
          told = some.map(({ name }) => name);
        },
      });
      const [heading = '', ...lines] = stdout.text.trimEnd().split('\n');
      expect(heading.split(/ +/)).toEqual(shown);
      expect(told).toEqual(left);
      expect(lines.every((line) => line.includes(uuid))).toBe(shown[0] === 'ID');
    },
  );

  it('is wrapped by the terminal if it is alone', async () => {
    const { text } = await presented(rows, list, { columns: 20, color: false, fields: ['id'] });
    expect(text).toBe(`ID\n${uuid}\n${uuid}\n`);
  });

  it('is truncated only if it is too long', async () => {
    const { text } = await presented([{ id: 'x'.repeat(65), name: 'a' }], list, {
      columns: 40,
      color: false,
    });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });
});

describe('a colour', () => {
  it('shows only on a terminal, or if it is forced', async () => {
    const shape: OutputShape = { kind: 'list', fields: teamFields };
    const banned = [{ id: 'a', name: 'Acme', banned: true }];
    const red = '\x1b[31myes\x1b[39m';
    const text = async (way: Parameters<typeof presented>[2]): Promise<string> =>
      (await presented(banned, shape, { output: 'table', ...way })).text;
    expect(await text({ columns: 80 })).toContain(red);
    for (const level of ['1', '2', '3', 'true', ''])
      expect(await text({ env: { ...utf8, FORCE_COLOR: level } })).toContain(red);
    for (const way of [
      {},
      { env: { ...utf8, FORCE_COLOR: '0' } },
      { columns: 80, color: false },
      { columns: 80, env: { ...utf8, NO_COLOR: '1' } },
      { columns: 80, env: { ...utf8, TERM: 'dumb' } },
    ])
      expect(await text(way)).not.toContain('\x1b');
  });
});

describe('a card', () => {
  const shape: OutputShape = {
    kind: 'record',
    fields: [
      { name: 'id', kind: 'id' },
      { name: 'next', kind: 'command' },
      { name: 'instructions', detail: true },
      { name: 'documents', detail: true },
      { name: 'actions', detail: true },
      { name: 'age', kind: 'seconds', detail: true },
    ],
  };

  it('gives a long text the full width, with hanging lists', async () => {
    const instructions =
      'Be kind.\n\nRules:\n  1. Never promise a table before you looked.\n- 予約は電話でもできます。日曜日は休みです。';
    const { text } = await presented({ id: 'a', instructions, age: 162 }, shape, {
      columns: 30,
      color: false,
    });
    expect(text).toBe(
      [
        'ID            a',
        'Next          –',
        'Age           2 minutes',
        '',
        'Instructions',
        '  Be kind.',
        '',
        '  Rules:',
        '    1. Never promise a table',
        '       before you looked.',
        '  - 予約は電話でもできます。日',
        '    曜日は休みです。',
        '',
      ].join('\n'),
    );
  });

  it('never breaks an id or a command, and omits empty fields', async () => {
    const next = 'botctl device watch "Reception desk"';
    const row = {
      id: uuid,
      next,
      documents: [],
      actions: [{ name: 'a', headers: {}, body: [{ key: 'k', value: 1 }] }],
    };
    const { text } = await presented(row, shape, { columns: 40, color: false });
    expect(text).toContain(`ID\n  ${uuid}\n`);
    expect(text).toContain(`Next\n  ${next}\n`);
    expect(text).not.toMatch(/Documents|Headers/);
    expect(text).toContain('Body  key: k, value: 1');
    const named = await presented(row, shape, { columns: 40, color: false, fields: ['documents'] });
    expect(named.text).toBe('Documents  none\n');
  });
});

describe('a secret that is truncated or wrapped', () => {
  const secret = `sk-${'0123456789abcdef'.repeat(4)} tail of it`;
  const shape: OutputShape = { kind: 'record', fields: [{ name: 'text' }, { name: 'more' }] };
  const list: OutputShape = { kind: 'list', fields: shape.fields };

  it('is masked first, in cards and tables, unless it is the result', async () => {
    const redactor = new Redactor();
    redactor.learn(secret);
    const row = { text: `before ${secret} after`, more: [{ body: { key: secret } }, `a\n${secret}`] };
    const shown = async (as: OutputShape, columns: number): Promise<string> => {
      const stdout = new Captured(columns);
      await present(as === list ? [row] : row, as, {
        io: { stdout, env: utf8 },
        options: { output: 'table', fields: undefined, header: false, color: false },
        clock: { now: () => now },
        redactResult: (text) => redactor.result(text),
      });
      return stdout.text;
    };
    for (const columns of [20, 40, 80]) {
      for (const as of [shape, list]) expect(await shown(as, columns)).not.toMatch(/sk-0123|abcdef/);
    }
    expect(await shown(shape, 80)).toContain(`before ${mask} after`);
    redactor.reveal(new Secret(secret));
    expect(await shown(shape, 400)).toContain(`before ${secret} after`);
  });

  it('is masked in failures and notes too', async () => {
    const redactor = new Redactor();
    redactor.learn(secret);
    const redact = (text: string): string => redactor.text(text);
    const io = fakeIo({ stderr: new Captured(40), env: { ...utf8, NO_COLOR: '1' } });
    await renderFailure(
      new Failure('usage', `It said ${secret}.`, { hint: secret, details: { a: secret } }),
      io,
      {
        json: false,
        debug: false,
        redact,
      },
    );
    createTerminal(io, { color: false }, redact).warn(`Beware of ${secret}.`);
    expect(io.stderr).toMatchObject({ text: expect.not.stringMatching(/sk-0123|tail/) });
    expect(io.stderr).toMatchObject({ text: expect.stringContaining(`It said ${mask}.`) });
  });
});

describe('a failure and a note', () => {
  const failure = new Failure(
    'usage',
    `${'One thing is wrong here. '.repeat(3)}\nAnother.\n  Acme  ${uuid}`,
    {
      hint: remark`Sign in first: ${command('login', '--base-url', 'https://api.example.com', '--key-id', 'key_1234567890')}`,
      details: { name: 'must be at most 120 characters long, and this one is longer' },
    },
  );

  const told = async (columns: number | undefined): Promise<string> => {
    const stderr = new Captured(columns);
    await renderFailure(failure, { stderr, env: { ...utf8, NO_COLOR: '1' } }, { json: false, debug: false });
    return stderr.text;
  };

  it('wrap between words on a terminal, and keep a command unbroken', async () => {
    expect(await told(40)).toBe(
      [
        '✗ One thing is wrong here. One thing is',
        '  wrong here. One thing is wrong here.',
        '✗ Another.',
        '    Acme',
        `    ${uuid}`,
        '  name: must be at most 120 characters',
        '  long, and this one is longer',
        '  Sign in first:',
        '  botctl login --base-url https://api.example.com --key-id key_1234567890',
        '',
      ].join('\n'),
    );
  });

  it('are not wrapped without a terminal', async () => {
    expect((await told(undefined)).split('\n')).toHaveLength(6);
  });

  it('wrap a note below its mark', () => {
    const io = fakeIo({ stderr: new Captured(20) });
    createTerminal(io, { color: false }).warn('Showing three of fourteen rows.');
    expect(io.stderr).toMatchObject({ text: '! Showing three of\n  fourteen rows.\n' });
  });
});

describe('wrapping a note', () => {
  let ruler: Ruler;
  beforeAll(async () => {
    ruler = await rulerFor(['界']);
  });

  it('loses nothing but spaces, and fits except for single words', () => {
    fc.assert(
      fc.property(
        anyText.map((text) => text.replace(/\s+/g, ' ')),
        fc.integer({ min: 1, max: 60 }),
        (text, columns) => {
          const lines = wrapRemark(ruler, text, columns);
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
          for (const line of lines) {
            if (line.trim().includes(' ')) expect(ruler.width(line)).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });

  it('keeps a given command unbroken, with adjoining characters, and breaks the rest', () => {
    const [named, longer] = ['botctl bots get "A. B; C"', 'botctl bots get "A. B; C" --team X'];
    const text = `Look (${named}), then ask for all of it there is: ${longer} and go on`;
    expect(wrapRemark(ruler, text, 30, [named, longer])).toEqual([
      'Look',
      '(botctl bots get "A. B; C"),',
      'then ask for all of it there',
      'is:',
      'botctl bots get "A. B; C" --team X',
      'and go on',
    ]);
  });

  it('keeps the commands of a warning and of a failure unbroken, with the profile in use', async () => {
    const line = 'botctl --profile mine teams get "Front; desk. North"';
    const told = remark`Look it up with ${command('teams', 'get', 'Front; desk. North')} and then go on.`;
    const warned = new Captured(30);
    createTerminal(fakeIo({ stderr: warned }), { color: false, profile: 'mine' }).warn(told);
    expect(warned.text.split('\n')).toContain(`  ${line}`);
    const failed = new Captured(30);
    const failure = new Failure('usage', 'No.', { hint: told });
    await renderFailure(failure, fakeIo({ stderr: failed }), { json: false, debug: false, profile: 'mine' });
    expect(failed.text.split('\n')).toContain(`  ${line}`);
  });

  it('continues next to the first column of a list row, unless there is no room', () => {
    const row = '  bf49bec8-2a5b  Front desk of the house  (in team Aurora Coffee)';
    expect(wrapRemark(ruler, row, 40)).toEqual([
      '  bf49bec8-2a5b  Front desk of the house',
      '                 (in team Aurora Coffee)',
    ]);
    expect(wrapRemark(ruler, row, 20)).toEqual([
      '  bf49bec8-2a5b',
      '  Front desk of the',
      '  house (in team',
      '  Aurora Coffee)',
    ]);
  });

  it('keeps a command with the variables before it', () => {
    const line = new CommandLine(['bots', 'edit', 'Sales'], { EDITOR: 'nano' }).text();
    expect(wrapRemark(ruler, `Name one: ${line}`, 30, [line])).toEqual([
      'Name one:',
      'EDITOR=nano botctl bots edit Sales',
    ]);
  });
});

// The cursor's column in tmux 3.3a after each text.
it.each([
  ['दिल्ली पुस्तक भंडार', 15],
  ['ร้านอาหารริมน้ำ', 12],
  ['नमस्ते', 4],
  ['ខ្មែរ', 4],
  ['தமிழ்', 4],
  ['한국'.normalize('NFD'), 4],
  ['서울 꽃집', 9],
  ['👩‍👩‍👧', 2],
  ['🥐', 2],
  ['ｱｲｳﾊﾟ', 5],
])('%s takes %d columns', async (text, columns) => {
  expect((await rulerFor([text])).width(text)).toBe(columns);
  expect(terminalWidth(text)).toBe(columns);
});
