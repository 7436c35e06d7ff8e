import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '../../../src/lib/text/compare.ts';

it('folds ASCII alone in the same way as among other letters', () => {
  const ascii = fc.string({ unit: 'binary-ascii' });
  fc.assert(
    fc.property(ascii, (text) => {
      const amongOthers = fold(`é${text}é`);
      expect(amongOthers).toMatch(/^E.*E$/s);
      expect(fold(text)).toBe(amongOthers.slice(1, -1).trim());
    }),
  );
});

it.each([
  ['  Front \t\n desk ', 'FRONT DESK'],
  ['Padaria Pão Quente', 'PADARIA PAO QUENTE'],
  ['straße', 'STRASSE'],
  ['ﬁn ｆｕｌｌ', 'FIN FULL'],
  ['Ærø', 'AERO'],
])('%j is compared as %s', (text, folded) => {
  expect(fold(text)).toBe(folded);
});
