import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { readYaml, yamlData } from '../../src/lib/yaml.ts';
import '../support/properties.ts';

const read = (text: string) => readYaml(text, 'a.yaml');

describe('readYaml', () => {
  const manyFields = Array.from({ length: 2000 }, (_, at) => `k${at}: 1`).join(', ');
  const times = (count: number, text: string) => Array(count).fill(text).join(', ');
  it.each([
    ['aliases in a list', `a: &a { x: 1 }\nb: [${times(15_000, '*a')}]\n`, false],
    ['aliases behind <<', `a: &a { x: 1 }\nb: { <<: [${times(15_000, '*a')}] }\n`, false],
    ['many fields behind <<', `a: &a { ${manyFields} }\nb: { <<: [${times(20_000, '*a')}] }\n`, true],
    ['fields of fields behind <<', chain(2000), true],
    ['fields in one place', Array.from({ length: 15_000 }, (_, at) => `k${at}: 1`).join('\n'), false],
  ])('takes time linear in the length of the text: %s', async (_, text, refused) => {
    const before = process.cpuUsage();
    const found = await read(text);
    const { user } = process.cpuUsage(before);
    const isRefused = found.problems.some(
      ({ place, message }) => message.includes('500000') && place.line > 0,
    );
    expect(isRefused).toBe(refused);
    // Searching the document for each alias took minutes.
    expect(user / 1e6).toBeLessThan(8);
  });

  it('rounds no integer', async () => {
    const { root } = await read('[9007199254740993, -12345678901234567890, 9007199254740991, 1e21]');
    expect(root && yamlData(root)).toEqual([
      9007199254740993n,
      -12345678901234567890n,
      9007199254740991,
      1e21,
    ]);
  });

  it('returns a value or problems with a position, for any text', async () => {
    const piece = fc.constantFrom(
      ...['a: ', 'b: ', '<<: ', '&x ', '*x', '*y', '- ', '{', '}', '[', ']', ', ', '\n', '  ', '"', '!t '],
      ...['1', 'text', '? ', ': ', '---\n', '#', '|', '\n  '],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const text = pieces.join('');
        const { root, problems } = await read(text).catch((thrown: unknown) => {
          expect(thrown).toBeInstanceOf(Failure);
          return { root: undefined, problems: [] };
        });
        if (root) JSON.stringify(yamlData(root));
        for (const { place } of problems) {
          expect(place.line).toBeGreaterThan(0);
          expect(place.line).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** Returns fields, each of which merges the fields of the previous one. */
function chain(length: number): string {
  const line = (at: number) => `a${at}: &a${at} { ${at > 0 ? `<<: *a${at - 1}, ` : ''}k${at}: 1 }`;
  return Array.from({ length }, (_, at) => line(at)).join('\n');
}
