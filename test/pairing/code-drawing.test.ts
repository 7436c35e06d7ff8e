import { describe, expect, it } from 'vitest';
import {
  allRenderers,
  automaticRenderers,
  type Capabilities,
  fittingRenderers,
  placeCode,
  smallestWindow,
} from '../../src/pairing/code-drawing.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import type { CodeStyle } from '../../src/qr/styles.ts';
import { payloadOf } from '../qr/codes.ts';

const usual: Capabilities = { colorLevel: 2, unicode: true, sextants: false, background: undefined };
const colourless: Capabilities = { ...usual, colorLevel: 0 };

const words = (capabilities: Partial<Capabilities>, wanted: CodeStyle = 'auto'): readonly string[] =>
  automaticRenderers({ ...usual, ...capabilities }, wanted).map((renderer) => renderer.label);

describe('the list of automatic renderers', () => {
  it.each<[string, Partial<Capabilities>, readonly string[]]>([
    ['half blocks', {}, ['half blocks']],
    ['then sextants where they are known to be drawn', { sextants: true }, ['half blocks', 'sextants']],
    ['spaces without UTF-8', { unicode: false, sextants: true }, ['spaces']],
    ['unstyled half blocks without colour', { colorLevel: 0 }, ['half blocks without colour']],
    [
      'exchanged on a light background',
      { colorLevel: 0, background: 'light', sextants: true },
      [
        'half blocks without colour, light and dark exchanged',
        'sextants without colour, light and dark exchanged',
      ],
    ],
    ['the same in colour on a light background', { background: 'light' }, ['half blocks']],
    ['nothing without colour and UTF-8', { colorLevel: 0, unicode: false }, []],
  ])('is %s', (_name, capabilities, expected) => {
    expect(words(capabilities)).toEqual(expected);
  });

  it('is only the requested style', () => {
    expect(words({ sextants: true }, 'half')).toEqual(['half blocks']);
    expect(words({}, 'sextant')).toEqual(['sextants']);
    expect(words({}, 'spaces')).toEqual(['spaces']);
    expect(words({}, 'plain')).toEqual(['half blocks without colour']);
    expect(words({ colorLevel: 0 }, 'sextant')).toEqual(['sextants without colour']);
    expect(words({ background: 'light' }, 'plain')).toEqual([
      'half blocks without colour, light and dark exchanged',
    ]);
  });

  it('can still be stepped through with everything that the terminal may support', () => {
    const all = (capabilities: Capabilities): readonly string[] =>
      allRenderers(automaticRenderers(capabilities, 'auto'), capabilities).map((renderer) => renderer.label);
    expect(all(usual)).toEqual(['half blocks', 'sextants', 'spaces']);
    expect(all({ ...usual, unicode: false })).toEqual(['spaces']);
    expect(all({ ...colourless, unicode: false })).toEqual([]);
    expect(new Set(all({ ...colourless, background: 'light' }))).toEqual(new Set(all(colourless)));
    expect(all(colourless)).toHaveLength(4);
  });
});

describe('a code on a screen', () => {
  const matrix = makeMatrix(payloadOf(281));
  const ladder = automaticRenderers({ ...usual, sextants: true }, 'auto');
  const placed = (columns: number, rows: number, renderers = ladder) => {
    const found = placeCode(matrix, renderers, { columns, rows });
    return found && `${found.renderer.label} ${found.drawing.quietZone} ${found.layout}`;
  };

  it('is drawn in half blocks if they fit, and otherwise in sextants', () => {
    expect(placed(200, 50)).toBe('half blocks 4 beside');
    expect(placed(80, 39)).toBe('half blocks 4 around');
    expect(placed(63, 33)).toBe('half blocks 1 alone');
    expect(placed(62, 33)).toBe('sextants 4 around');
    expect(placed(80, 24)).toBe('sextants 4 beside');
    expect(placed(32, 22)).toBe('sextants 1 alone');
    expect(placed(31, 22)).toBeUndefined();
    expect(placed(200, 50, [])).toBeUndefined();
  });

  it('has a full quiet zone rather than text around it', () => {
    expect(placed(80, 37)).toBe('half blocks 2 around');
    expect(placed(80, 36)).toBe('half blocks 4 alone');
    expect(placed(80, 33)).toBe('half blocks 1 alone');
  });

  it('fits the reported smallest window, and no smaller one', () => {
    for (const [window, renderer] of ladder.flatMap((one) =>
      [80, 200].map((columns) => [{ columns, rows: 18 }, one] as const),
    )) {
      const [columns = 0, rows = 0] =
        smallestWindow(matrix, [renderer], window)?.split(' x ').map(Number) ?? [];
      const fits = (width: number, height: number) =>
        fittingRenderers(matrix, [renderer], { columns: width, rows: height }).length;
      expect([fits(columns, rows), fits(columns - 1, rows), fits(columns, rows - 1)]).toEqual([1, 0, 0]);
    }
    expect(smallestWindow(matrix, ladder, { columns: 60, rows: 18 })).toBe('32 x 22');
    expect(smallestWindow(matrix, ladder, { columns: 200, rows: 18 })).toBe('62 x 21');
    expect(smallestWindow(matrix, [], { columns: 80, rows: 24 })).toBeUndefined();
  });
});
