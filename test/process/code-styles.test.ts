import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { drawCode } from '../../src/sandbox/code-picture.ts';
import { codePayload } from '../../src/sandbox/pairing-codes.ts';
import { type QrStyle, qrStyles } from '../../src/sandbox/qr-styles.ts';
import { needing } from '../support/needing.ts';

const hasZbar = spawnSync('zbarimg', ['--version']).status === 0;

/** Styles that zbar cannot read: it ignores transparency, and reads no negatives. */
const beyondZbar: readonly QrStyle[] = ['transparent', 'inverted'];

describe('codes in each style', needing('zbarimg', hasZbar), () => {
  const payload = codePayload(Buffer.alloc(32, 7), { deviceId: 'device', connection: 1, number: 1 });

  it.each(qrStyles.filter((style) => !beyondZbar.includes(style)))('are read by zbar: %s', (style) => {
    const { stdout } = spawnSync('zbarimg', ['--quiet', '--raw', 'PNG:-'], {
      input: drawCode(payload, style),
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe(payload);
  });
});
