import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { isId } from '../../src/lib/ids.ts';
import { type AskWhich, type Candidate, matchName } from '../../src/lib/match-name.ts';
import { command } from '../../src/lib/text/remark.ts';

const wording = {
  noun: 'key',
  place: 'in the drawer',
  showCommand: (id: string) => command('keys', 'get', id),
  hint: 'See them all: ls',
};
const all: readonly Candidate[] = [
  { id: 'one', name: 'São João', marks: ['in team Acme'] },
  { id: 'two', name: 'Twin', marks: ['created 2026-01-01'] },
  { id: 'three', name: 'Twin', marks: ['created 2026-02-02'] },
  { id: 'four', name: 'Straße 4' },
  { id: 'five' },
];

async function match<C extends Candidate>(
  text: string,
  candidates: readonly C[],
  askWhich?: AskWhich,
): Promise<C | Failure> {
  try {
    return await matchName(candidates, text, wording, askWhich);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe('a name', () => {
  it.each([
    ['five', 'five'],
    ['São João', 'one'],
    ['Straße 4', 'four'],
  ])('%s finds %s', async (text, id) => {
    expect(await match(text, all)).toMatchObject({ id });
  });

  it.each([
    'sao joao',
    'SÃO JOÃO',
    'São',
    'São João ',
    ' São João',
    'Sa\u0303o Joa\u0303o',
    'STRASSE 4',
    'Straße\u00a04',
    'Strase 4',
  ])('%j is not exact, and similar names are suggested', async (text) => {
    const id = text.includes('4') ? 'four' : 'one';
    expect(await match(text, all)).toMatchObject({
      kind: 'notFound',
      exitCode: 5,
      message: `There is no key named "${text}" in the drawer.`,
      hint: expect.stringMatching(
        new RegExp(`^This takes an id or the exact name\\. Did you mean this\\?\\n {2}${id} {2}S`),
      ),
    });
  });

  it.each([
    ['Sa\u0303o Joa\u0303o', 'their accents are encoded differently'],
    ['Straße\u00a04', 'one has other blanks or invisible characters'],
  ])('%j explains why it is not the name that looks the same', async (text, why) => {
    expect(await match(text, all)).toMatchObject({ hint: expect.stringContaining(why) });
    expect(await match('sao joao', all)).toMatchObject({
      hint: expect.not.stringContaining('look the same'),
    });
  });

  it('with line breaks is printed in one line, so that its text cannot pass for ours', async () => {
    expect(await match('a\n✗ b\r\n\tc', all)).toMatchObject({
      message: 'There is no key named "a ✗ b c" in the drawer.',
    });
  });

  it('that several have lists their ids, and what distinguishes them', async () => {
    expect(await match('Twin', all)).toMatchObject({
      kind: 'ambiguous',
      hint: 'Use the id of the one you mean:\n' + '  two  created 2026-01-01\n  three  created 2026-02-02',
    });
  });

  it('that several have is distinguished by fields that not all of them have', async () => {
    const [day, other] = ['created 2026-01-01', 'created 2026-02-02'];
    const twins = [day, other].map((created, at) => ({
      id: `${at}`,
      name: 'Twin',
      marks: ['in team Acme', created],
    }));
    const lines = async (text: string, candidates: readonly Candidate[]): Promise<readonly string[]> => {
      const { hint } = (await match(text, candidates)) as Failure;
      return String(hint).split('\n').slice(1);
    };
    expect(await lines('Twin', twins)).toEqual([`  0  ${day}`, `  1  ${other}`]);
    expect(await lines('Twim', twins)).toEqual([`  0  Twin  (${day})`, `  1  Twin  (${other})`]);
    const third = { id: '2', name: 'Twin', marks: ['in team Borealis', day] };
    expect(await lines('Twin', [...twins, third])).toEqual([
      `  0  in team Acme, ${day}`,
      `  1  in team Acme, ${other}`,
      `  2  in team Borealis, ${day}`,
    ]);
  });

  it('that starts several names lists them without an explanation, the closest first', async () => {
    const two = [
      { id: 'a', name: 'My desk', marks: ['in team Acme'] },
      { id: 'b', name: 'Desk south', marks: ['in team Acme'] },
      { id: 'c', name: 'Desk', marks: ['in team Acme'] },
    ];
    const { hint } = (await match('desk', two)) as Failure;
    expect(hint).not.toContain('Acme');
    expect(String(hint).split('\n').slice(1)).toEqual(['  c  Desk', '  a  My desk', '  b  Desk south']);
  });

  it('without similar ones suggests the alternative', async () => {
    for (const text of ['quite another', '', '\u200b']) {
      expect(await match(text, all)).toMatchObject({ kind: 'notFound', hint: 'See them all: ls' });
    }
  });

  it('in the form of an id is never a name', async () => {
    const id = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
    const named = [
      { id: 'a', name: id },
      { id: 'b', name: id.toUpperCase() },
    ];
    expect(await match(id, named)).toMatchObject({ kind: 'notFound', hint: 'See them all: ls' });
    expect(await match(id.toUpperCase(), [...named, { id, name: 'c' }])).toMatchObject({ name: 'c' });
  });

  it('lists hostile names on one line each', async () => {
    const hostile = [
      { id: 'a', name: 'x\n\u001b[31mred', marks: ['in\nteam'] },
      { id: 'b', name: 'x\n\u001b[31mred', marks: ['in\u202eteam'] },
    ];
    const failed = await match('x\n\u001b[31mred', hostile);
    expect(failed).toMatchObject({ hint: expect.not.stringContaining('\u001b') });
    if (failed instanceof Failure) expect(String(failed.hint).split('\n')).toHaveLength(3);
  });
});

describe('an interactive user', () => {
  const asked: unknown[] = [];
  const last: AskWhich = async (question) => {
    asked.push(question);
    return question.candidates.at(-1);
  };

  it('is asked which of several it is, or whether it is a similar one', async () => {
    expect(await match('Twin', all, last)).toMatchObject({ id: 'three' });
    expect(await match('sao', all, last)).toMatchObject({ id: 'one' });
    expect(asked.splice(0)).toMatchObject([
      { text: 'Twin', noun: 'key', isExact: true, candidates: [{ id: 'two' }, { id: 'three' }] },
      { text: 'sao', noun: 'key', isExact: false, candidates: [{ id: 'one' }] },
    ]);
  });

  it('is not asked if one is exact, or none is similar', async () => {
    expect(await match('São João', all, last)).toMatchObject({ id: 'one' });
    expect(await match('quite another', all, last)).toMatchObject({ kind: 'notFound' });
    expect(asked).toEqual([]);
  });
});

/** Generates names that are easily confused with each other, and with ids. */
const twins = fc
  .record({
    base: fc.constantFrom('Acme', 'Ação', 'Straße', 'ﬁle', 'Ana', 'ångström', 'İzmir', '名前', 'a-b_c%'),
    twist: fc.constantFrom<(name: string) => string>(
      (name) => name,
      (name) => name.toUpperCase(),
      (name) => name.toLowerCase(),
      (name) => name.normalize('NFD'),
      (name) => name.normalize('NFKC'),
      (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
      (name) => name.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
      (name) => `${name} Norte`,
      (name) => `${name} `,
      (name) => ` ${name}`,
      (name) => `${name}\u200b`,
      (name) => name.slice(0, 2),
    ),
  })
  .map(({ base, twist }) => twist(base));

const uuids = fc.constantFrom(
  '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52',
  '5B0F7D4A-9C1E-4C47-9D2E-0C8B1F6A3E52',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
);
const words = fc.oneof(
  { weight: 6, arbitrary: twins },
  { weight: 2, arbitrary: uuids },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
);
/** Generates objects with ids; some are named like others' ids. */
const things = fc.uniqueArray(
  fc.record({ id: fc.oneof(uuids, fc.stringMatching(/^key_[0-9]{1,2}$/)), name: words }),
  { selector: ({ id }) => id.toLowerCase(), maxLength: 6 },
);

describe('matching of any names', () => {
  it('never returns an object without the text as its name or id', async () => {
    await fc.assert(
      fc.asyncProperty(things, words, async (candidates, typed) => {
        // Every existing name and id, and a text that may match none.
        const texts = [typed, ...candidates.flatMap(({ id, name }) => [id, name])];
        for (const text of texts) {
          const byId = candidates.filter(({ id }) =>
            isId(text) ? id.toLowerCase() === text.toLowerCase() : id === text,
          );
          const named = isId(text) ? [] : candidates.filter(({ name }) => name === text);
          const [meant, ...others] = byId.length > 0 ? byId : named;
          const found = await match(text, candidates);
          if (meant && others.length === 0) expect(found).toBe(meant);
          else expect(found).toMatchObject({ exitCode: meant ? 2 : 5 });
        }
      }),
      { numRuns: 500 },
    );
  });
});
