import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from '../../src/output/yaml.ts';

test.each(['Yes', 'no', 'on', 'OFF', 'y', 'N', '1_000', '012', '1:20:30', '2001-12-14', '0b11', '<<'])(
  'the text %s is quoted, since YAML 1.1 reads something else without quotes',
  (text) => {
    const yaml = toYaml({ answer: text, list: [text], [text]: 1 });
    expect(yaml).toContain(`answer: "${text}"\n`);
    expect(parse(yaml, { version: '1.1' })).toEqual({ answer: text, list: [text], [text]: 1 });
  },
);

test('other text, numbers and booleans stay plain', () => {
  expect(toYaml({ name: 'Front desk', size: 12, on: true })).toContain('name: Front desk\nsize: 12\n');
});

test('a written text is read back unchanged, with any line breaks', () => {
  const line = fc.string({
    unit: fc.constantFrom(' ', '\t', 'a', '\\', '"', '#', ':', '\u0085'),
    maxLength: 30,
  });
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 2 }), (own, list) => {
      const value = { name: own, list, deep: { deeper: [{ [own]: own }] } };
      expect(parse(toYaml(value))).toEqual(value);
    }),
    { examples: [[`a\n\n \n ${'b'.repeat(40)}`, []]] },
  );
});
