import { describe, expect, it } from 'vitest';
import { drawCode } from '../../src/qr/draw.ts';
import { halfBlocks, sextants } from '../../src/qr/styles.ts';
import { codePayload } from '../../src/sandbox/pairing-codes.ts';
import { payloadOf } from '../qr/codes.ts';
import { rasterise } from '../qr/rasterise.ts';
import { plenty, roomFor, screens } from '../qr/screens.ts';
import { drawCodeIn, type QrStyle, qrStyles } from '../support/code-styles.ts';
import { needing } from '../support/needing.ts';
import { hasZbar, readByZbar, readPixelsByZbar } from '../support/zbar.ts';

/** Styles that zbar cannot read: it ignores transparency, and reads no negatives. */
const beyondZbar: readonly QrStyle[] = ['transparent', 'inverted'];

describe('codes in each style', needing('zbarimg', hasZbar), () => {
  const payload = codePayload(Buffer.alloc(32, 7), { deviceId: 'device', connection: 1, number: 1 });

  it.each(qrStyles.filter((style) => !beyondZbar.includes(style)))('are read by zbar: %s', (style) => {
    expect(readByZbar(drawCodeIn(style, payload))).toBe(payload);
  });
});

describe('a drawn code on a screen is read by zbar', needing('zbarimg', hasZbar), () => {
  it.each(screens)('$theme theme, line gap $gap', ({ colours, gap }) => {
    for (const text of [payloadOf(60), payloadOf(281)]) {
      for (const style of [halfBlocks, sextants]) {
        for (const room of [plenty, roomFor(text, style)]) {
          const lines = drawCode(text, room, style)?.lines ?? [];
          expect(readPixelsByZbar(rasterise(lines, colours, gap, 10))).toBe(text);
        }
      }
    }
  });
});
