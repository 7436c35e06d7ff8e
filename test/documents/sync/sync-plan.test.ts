import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LedgerLine, mergedLine } from '../../../src/documents/sync/ledger-text.ts';
import {
  attachedIds,
  findSuperseded,
  idChecker,
  type LocalFile,
  matchFiles,
  storedLine,
  withListedHeld,
} from '../../../src/documents/sync/sync-plan.ts';
import { ShownSizes } from '../../../src/documents/upload/shown-size.ts';
import '../../support/properties.ts';

const at = '2026-01-01T00:00:00.000Z';
const file = (key: string, sha256: string): LocalFile => ({
  ...{ path: key, key, name: key, size: 1, modified: 0, sha256 },
});
const line = (path: string, sha256: string, id: string): LedgerLine =>
  storedLine({ key: path, name: path, size: 1, sha256 }, id, {}, [], at);

const paths = ['a', 'b', 'c', 'd', 'e'];
const contents = fc.constantFrom('1', '2', '3', '4');
/** Generates a folder: the content of each file, by path. */
const folder = fc.dictionary(fc.constantFrom(...paths), contents);

/** Returns a ledger of a folder in which each file has its own document. */
function ledgerOf(held: Readonly<Record<string, string>>): ReadonlyMap<string, LedgerLine> {
  return new Map(Object.entries(held).map(([path, text]) => [path, line(path, text, `id-${path}`)]));
}

describe('files and a ledger', () => {
  const compared = (before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>) =>
    matchFiles(
      ledgerOf(before),
      Object.entries(now).map(([key, text]) => file(key, text)),
      { isGone: (path) => !Object.hasOwn(now, path), isRetried: () => false },
    );

  it('are each compared once, and a document belongs to one file', () => {
    fc.assert(
      fc.property(folder, folder, (before, now) => {
        const { matches, removed } = compared(before, now);
        expect(matches.map(({ file: { key } }) => key)).toEqual(Object.keys(now));
        const kept = matches.flatMap(({ kind, line: one }) => (kind === 'other' ? [] : (one?.id ?? [])));
        const replaced = matches.flatMap((match) =>
          match.kind === 'renamed'
            ? (match.displaced?.id ?? [])
            : match.kind === 'other'
              ? (match.line?.id ?? [])
              : [],
        );
        // No document is lost: it belongs to a file, another one replaces it, or its file was removed.
        const all = [...kept, ...replaced, ...removed.map(({ id }) => id)];
        expect(all.toSorted()).toEqual(
          Object.keys(before)
            .map((path) => `id-${path}`)
            .toSorted(),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('match bytes of an earlier document again, unless its file has moved', () => {
    const before = storedLine(file('a', '2'), 'id-2', {}, [line('a', '1', 'id-1')], at);
    expect(before).toMatchObject({ earlier: ['id-1'], held: [{ id: 'id-1', sha256: '1' }] });
    const ledger = new Map([['a', before]]);
    const options = { isGone: () => false, isRetried: () => false };
    const [again] = matchFiles(ledger, [file('a', '1')], options).matches;
    expect(again).toMatchObject({ kind: 'renamed', line: { id: 'id-1', path: 'a' }, displaced: before });
    const restored = storedLine(file('a', '1'), 'id-1', {}, [again?.line, before], at);
    expect(restored).toMatchObject({ id: 'id-1', earlier: ['id-2'], held: [{ id: 'id-2', sha256: '2' }] });
    const { matches } = matchFiles(ledger, [file('a', '1'), file('b', '2')], options);
    expect(matches).toMatchObject([
      { kind: 'other', line: undefined },
      { kind: 'renamed', line: before },
    ]);
  });

  it('match no document that is not listed, has other sizes, or belongs to another file', () => {
    const stored = (sha256: string, id: string) =>
      storedLine(file('a', sha256), id, { chars: 1, text: '' }, [], at);
    const before = storedLine(
      file('a', '4'),
      'id-4',
      {},
      ['1', '2', '3'].map((one) => stored(one, `id-${one}`)),
      at,
    );
    const listed = (chars: number, ...ids: readonly string[]) =>
      new Map(ids.map((id) => [id, { id, name: `${id} of before`, size: 1, chars }]));
    const held = (documents: ReturnType<typeof listed>, live: readonly string[] = []) =>
      withListedHeld(before, documents, new Set(live), new ShownSizes()).held?.map(({ name }) => name);
    expect(held(listed(1, 'id-1', 'id-3', 'id-4'))).toEqual(['id-1 of before', 'id-3 of before']);
    expect(held(listed(1, 'id-1', 'id-2'), ['id-2'])).toEqual(['id-1 of before']);
    expect(held(listed(2, 'id-1', 'id-2'))).toEqual([]);
  });

  it('upload no bytes that a document of the ledger has if no other file needs it', () => {
    fc.assert(
      fc.property(folder, folder, (before, now) => {
        const { matches } = compared(before, now);
        const count = (held: Readonly<Record<string, string>>, text: string) =>
          Object.values(held).filter((one) => one === text).length;
        for (const text of new Set(Object.values(now))) {
          const sent = matches.filter((match) => match.kind === 'other' && match.file.sha256 === text).length;
          expect(sent).toBe(Math.max(0, count(now, text) - count(before, text)));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are unchanged if it is ambiguous whether one is gone', () => {
    const matched = matchFiles(ledgerOf({ a: '1', b: '2' }), [file('c', '1')], {
      isGone: (path) => path !== 'a',
      isRetried: () => false,
    });
    expect(matched).toMatchObject({ matches: [{ kind: 'other' }], removed: [{ path: 'b' }] });
  });
});

describe('the documents of a bot', () => {
  const ids = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5', '6', '7'));
  const lines = fc
    .array(
      fc.tuple(fc.boolean(), fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 3 })),
      {
        maxLength: 4,
      },
    )
    .map((made) =>
      made.flatMap(([isGone, [id, ...earlier]], index): readonly LedgerLine[] =>
        id === undefined
          ? []
          : [{ path: String(index), id, name: `n${index}`, at, earlier, ...(isGone && { removed: at }) }],
      ),
    );

  it('have all of the files, keep documents of others in place, and are the same the second time', () => {
    fc.assert(
      fc.property(ids, lines, fc.boolean(), (attached, all, withoutRemoved) => {
        const wanted = attachedIds(attached, all, withoutRemoved, () => true);
        const isKnown = idChecker(all);
        const live = all.flatMap(({ id, removed }) => (id !== undefined && !removed ? [id] : []));
        expect(wanted).toEqual(expect.arrayContaining(live));
        expect(wanted.filter((id) => !isKnown(id))).toEqual(attached.filter((id) => !isKnown(id)));
        expect(new Set(wanted).size).toBe(wanted.length);
        expect(attachedIds(wanted, all, withoutRemoved, () => true)).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it('contain the new one in place of the earlier one, and drop a deleted file only with the option for it', () => {
    const all: readonly LedgerLine[] = [
      { path: 'a', id: 'A2', name: 'a', at, earlier: ['A1', 'A0'] },
      { path: 'b', id: 'B', name: 'b', at, removed: at },
    ];
    expect(attachedIds(['x', 'a1', 'B', 'y'], all, false, () => true)).toEqual(['x', 'A2', 'B', 'y']);
    expect(attachedIds(['x', 'A0', 'B', 'A2'], all, true, () => true)).toEqual(['x', 'A2']);
  });

  it('are renamed if they belong to a file whose name another document has', () => {
    const all = [{ ...line('menu.txt', '1', 'new'), earlier: ['old', 'older'] }, line('tea.txt', '2', 'tea')];
    const documents = [
      ...['new', 'old', 'foreign'].map((id) => ({ id, name: 'menu.txt', size: 1, chars: 1 })),
      { id: 'older', name: 'menu.txt (until 2026-01-01)', size: 1, chars: 1 },
    ];
    expect(findSuperseded(all, documents, []).map(({ id }) => id)).toEqual(['old']);
  });
});

describe('two ledger lines of a file', () => {
  it('merge into the later one in either order, with the documents of both', () => {
    const one = line('a', '1', 'one');
    const other = { ...line('a', '2', 'other'), at: '2026-02-01T00:00:00.000Z', earlier: ['zero'] };
    for (const merged of [mergedLine(one, other), mergedLine(other, one)])
      expect(merged).toMatchObject({ id: 'other', sha256: '2', earlier: ['zero', 'one'] });
    const refused = { sha256: '3', reason: 'empty', error: 'It is empty.', counted: 'collapsed' };
    expect(mergedLine(one, { path: 'a', at: other.at, refused })).toEqual({ ...one, refused });
  });
});
