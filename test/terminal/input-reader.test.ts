import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { InputReader } from '../../src/terminal/input-reader.ts';

/** Returns the events that a reader reports for chunks. */
function told(chunks: readonly string[]) {
  const keys: string[] = [];
  const sequences: string[] = [];
  const reader = new InputReader({
    key: (key) => void keys.push(key),
    sequence: (sequence) => void sequences.push(sequence),
  });
  for (const chunk of chunks) reader.feed(chunk);
  return { keys, sequences, reader };
}

const name = '\x1bP>|foot(1.16.2)\x1b\\';
const colour = '\x1b]11;rgb:ffff/ffff/ffff\x07';
const attributes = '\x1b[?62;22c';

describe('terminal input', () => {
  it('is split into keys, function keys and responses', () => {
    const { keys, sequences, reader } = told([
      'q',
      '\x03',
      '\r',
      '\x1b[A\x1bOP',
      `a${name}b${colour}${attributes}c`,
    ]);
    expect(keys).toEqual(['q', 'interrupt', 'enter', 'up', 'a', 'b', 'c']);
    expect(sequences).toEqual(['\x1bOP', name, colour, attributes]);
    reader.close();
  });

  it('does not depend on chunk boundaries: no part of a response is a key', () => {
    const text = `x${name}${colour}y${attributes}\x1b[1;5Cz`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const ends = [...cuts.sort((one, other) => one - other), text.length];
        const chunks = ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
        const { keys, sequences, reader } = told(chunks);
        reader.close();
        expect(keys).toEqual(['x', 'y', 'z']);
        expect(sequences).toHaveLength(4);
      }),
    );
  });

  it('never delays Ctrl-C, even in an incomplete sequence', () => {
    for (const beginning of [
      '\x1b',
      '\x1b[',
      '\x1b[12',
      '\x1bO',
      '\x1bP',
      '\x1bP>|fo',
      '\x1b]11;',
      '\x1b_',
    ]) {
      const { keys, reader } = told([beginning, '\x03']);
      reader.close();
      expect(
        keys.filter((key) => key !== 'escape'),
        JSON.stringify(beginning),
      ).toEqual(['interrupt']);
    }
  });

  it('is Escape if nothing follows, and is discarded if the rest never comes', () => {
    vi.useFakeTimers();
    try {
      const pressed = told(['\x1b']);
      expect(pressed.keys).toEqual([]);
      vi.runAllTimers();
      expect(pressed.keys).toEqual(['escape']);
      const alt = told(['\x1bP']);
      vi.runAllTimers();
      alt.reader.feed('q');
      expect(alt.keys).toEqual(['q']);
    } finally {
      vi.useRealTimers();
    }
  });
});
