import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { type Candidate, isId, matchName, type Purpose } from '../../src/names/match-name.ts';

const wording = { one: 'key', place: 'in the drawer', wayOut: 'See them all: ls' };
const all: readonly Candidate[] = [
  { id: 'one', name: 'São João', mark: 'in team Acme' },
  { id: 'two', name: 'Twin', mark: 'created 2026-01-01' },
  { id: 'three', name: 'Twin', mark: 'created 2026-02-02' },
  { id: 'four', name: 'Straße 4' },
  { id: 'five' },
];

function match(text: string, purpose: Purpose, candidates = all): Candidate | Failure {
  try {
    return matchName(candidates, text, purpose, wording);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe('a name', () => {
  it.each([
    ['five', 'write', 'five'],
    ['São João', 'write', 'one'],
    ['sao joao', 'read', 'one'],
    ['SAO', 'read', 'one'],
    ['STRASSE 4', 'read', 'four'],
    [' strasse  4', 'read', 'four'],
  ] as const)('%s, for a %s, means %s', (text, purpose, id) => {
    expect(match(text, purpose)).toMatchObject({ id });
  });

  it.each(['sao joao', 'São', 'STRASSE 4'])(
    '%s is not enough for a change, and the rest is suggested',
    (text) => {
      expect(match(text, 'write')).toMatchObject({
        kind: 'notFound',
        message: `There is no key named "${text}" in the drawer.`,
        hint: expect.stringMatching(
          /^This takes an id or the exact name\. Did you mean this\?\n {2}\w+ {2}S/,
        ),
      });
    },
  );

  it('that several have lists their ids, and what tells them apart', () => {
    expect(match('Twin', 'write')).toMatchObject({
      kind: 'usage',
      hint:
        'Use the id of the one you mean:\n' +
        '  two  Twin  (created 2026-01-01)\n  three  Twin  (created 2026-02-02)',
    });
  });

  it('that begins several names lists them without more words', () => {
    const two = [
      { id: 'a', name: 'Desk north', mark: 'in team Acme' },
      { id: 'b', name: 'Desk south', mark: 'in team Acme' },
    ];
    expect(match('desk', 'read', two)).toMatchObject({ hint: expect.not.stringContaining('Acme') });
  });

  it('that nothing resembles leads to the way out', () => {
    for (const text of ['quite another', '', '\u200b']) {
      expect(match(text, 'read')).toMatchObject({ kind: 'notFound', hint: 'See them all: ls' });
    }
  });

  it('finds each thing by its id, and by a name of its own, whatever the names are', () => {
    const names = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(names, (given) => {
        const candidates = given.map((name, index) => ({ id: `id-of-${index}`, name }));
        for (const { id, name } of candidates) {
          for (const purpose of ['read', 'write'] as const) {
            expect(match(id, purpose, candidates)).toMatchObject({ id });
            if (!name.startsWith('id-of-')) expect(match(name, purpose, candidates)).toMatchObject({ id });
          }
        }
      }),
    );
  });

  it('lists hostile names on one line each', () => {
    const hostile = [
      { id: 'a', name: 'x\n\u001b[31mred', mark: 'in\nteam' },
      { id: 'b', name: 'x\n\u001b[31mred', mark: 'in\u202eteam' },
    ];
    const failed = match('x\n\u001b[31mred', 'read', hostile);
    expect(failed).toMatchObject({ hint: expect.not.stringContaining('\u001b') });
    if (failed instanceof Failure) expect(failed.hint?.split('\n')).toHaveLength(3);
  });
});

describe('an id', () => {
  it('is a UUID, in either case', () => {
    expect(isId('5B0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52')).toBe(true);
    for (const text of [
      '',
      'Acme',
      '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e5',
      '5b0f7d4a9c1e4c479d2e0c8b1f6a3e52',
    ])
      expect(isId(text)).toBe(false);
  });
});
