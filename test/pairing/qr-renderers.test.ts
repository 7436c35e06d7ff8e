import { describe, expect, it } from 'vitest';
import type { DrawingOptions } from '../../src/pairing/pairing-view.ts';
import {
  allRenderers,
  automaticRenderers,
  type Capabilities,
  drawInRooms,
  fittingRenderers,
  minRoom,
} from '../../src/pairing/qr-renderers.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { type CodeStyle, halfBlocks, sextants, spaces } from '../../src/qr/styles.ts';
import { payloadOf } from '../qr/codes.ts';

const usual: Capabilities = { colorLevel: 2, unicode: true, sextants: false, background: undefined };
const colourless: Capabilities = { ...usual, colorLevel: 0 };
const wish = (style: CodeStyle = 'auto', invert = false): DrawingOptions => ({ style, invert });

const words = (capabilities: Partial<Capabilities>, wanted: DrawingOptions = wish()): readonly string[] =>
  automaticRenderers({ ...usual, ...capabilities }, wanted).map((renderer) => renderer.label);

describe('the renderers that are taken by themselves', () => {
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

  it('is what was asked for alone', () => {
    expect(words({ sextants: true }, wish('half'))).toEqual(['half blocks']);
    expect(words({}, wish('sextant'))).toEqual(['sextants']);
    expect(words({}, wish('spaces'))).toEqual(['spaces']);
    expect(words({}, wish('plain'))).toEqual(['half blocks without colour']);
    expect(words({ colorLevel: 0 }, wish('sextant'))).toEqual(['sextants without colour']);
    expect(words({ background: 'light' }, wish('plain'))).toEqual([
      'half blocks without colour, light and dark exchanged',
    ]);
  });

  it('is exchanged where that was asked for, whatever the terminal says', () => {
    expect(words({ colorLevel: 0, background: 'dark' }, wish('auto', true))).toEqual([
      'half blocks without colour, light and dark exchanged',
    ]);
    expect(words({ colorLevel: 0, background: 'light' }, wish('auto', true))).toEqual([
      'half blocks without colour, light and dark exchanged',
    ]);
    expect(words({}, wish('auto', true))).toEqual(['half blocks, light and dark exchanged']);
  });

  it('lets a person go through what the terminal may show all the same', () => {
    const all = (capabilities: Capabilities): readonly string[] =>
      allRenderers(automaticRenderers(capabilities, wish()), capabilities).map((renderer) => renderer.label);
    expect(all(usual)).toEqual(['half blocks', 'sextants', 'spaces']);
    expect(all({ ...usual, unicode: false })).toEqual(['spaces']);
    expect(all({ ...colourless, unicode: false })).toEqual([]);
    expect(new Set(all({ ...colourless, background: 'light' }))).toEqual(new Set(all(colourless)));
    expect(all(colourless)).toHaveLength(4);
  });
});

describe('drawing in a room', () => {
  const matrix = makeMatrix(payloadOf(281));
  const renderers = automaticRenderers({ ...usual, sextants: true }, wish());

  it('takes half blocks wherever they fit, and sextants only where they do not', () => {
    const drawn = (columns: number, rows: number) => {
      const placed = drawInRooms(matrix, renderers, [{ columns, rows }]);
      const isFine = placed?.drawing.lines.some((line) => /[\u{1fb00}-\u{1fb3b}]/u.test(line));
      return placed && `${isFine ? 'sextants' : 'half blocks'} ${placed.drawing.quietZone}`;
    };
    expect(drawn(69, 35)).toBe('half blocks 4');
    expect(drawn(63, 32)).toBe('half blocks 1');
    expect(drawn(62, 32)).toBe('sextants 4');
    expect(drawn(50, 24)).toBe('sextants 4');
    expect(drawn(34, 22)).toBe('sextants 2');
    expect(drawn(32, 21)).toBe('sextants 1');
    expect(drawn(31, 21)).toBeUndefined();
  });

  it('takes the room with the widest quiet zone, the first of equals', () => {
    const [narrow, wide] = [
      { columns: 65, rows: 60 },
      { columns: 100, rows: 60 },
    ];
    expect(drawInRooms(matrix, renderers, [narrow, wide])?.roomIndex).toBe(1);
    expect(drawInRooms(matrix, renderers, [wide, wide])?.roomIndex).toBe(0);
    expect(drawInRooms(matrix, renderers, [{ columns: 9, rows: 9 }, wide])?.roomIndex).toBe(1);
    expect(drawInRooms(matrix, [], [wide])).toBeUndefined();
  });

  it('knows what fits, and what it takes', () => {
    const renderers = [halfBlocks, sextants, spaces].map((style, at) => ({ label: String(at), style }));
    const fits = (columns: number, rows: number) =>
      fittingRenderers(matrix, renderers, [{ columns, rows }]).map((renderer) => renderer.label);
    expect(fits(200, 200)).toEqual(['0', '1', '2']);
    expect(fits(80, 34)).toEqual(['0', '1']);
    expect(fits(80, 24)).toEqual(['1']);
    expect(fits(20, 20)).toEqual([]);
    expect(minRoom(matrix, renderers)).toEqual({ columns: 32, rows: 21 });
    expect(minRoom(matrix, renderers.slice(0, 1))).toEqual({ columns: 63, rows: 32 });
    expect(minRoom(matrix, [])).toBeUndefined();
  });
});
