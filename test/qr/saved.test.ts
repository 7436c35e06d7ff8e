import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type * as DataUrl from '../../src/qr/data-url.ts';
import { homeFor, reception } from '../commands/device/support.ts';
import { answer, answerInTurn } from '../support/answer.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { drawnCode, payloadOf } from './codes.ts';
import { pngChunk, pngHeader, pngOf, writePng } from './write-png.ts';

const sandbox = useSandbox({ phone: 'manual' });
const good = writePng(drawnCode(payloadOf(281)), { colourType: 0, depth: 8 });
const bomb = pngOf(
  pngHeader({ width: 10_000, height: 10_000, depth: 1, colourType: 0 }),
  pngChunk('IDAT', deflateSync(Buffer.alloc(1024 * 1024))),
);

const pictures: readonly (readonly [string, Buffer, string])[] = [
  ['a bomb', bomb, 'it measures 10000 × 10000 pixels, far more than a code needs'],
  ['a PNG that is cut off', good.subarray(0, good.length / 2), 'it is a PNG that is cut off'],
  ['a JPEG', Buffer.from('\xff\xd8\xff\xe0\x00\x10JFIF', 'latin1'), 'it is a JPEG, not a PNG'],
  ['a picture of 2.5 MB', Buffer.alloc(2.5 * 1024 * 1024, good), 'it has more than 2 MB'],
];
it.each(pictures)('%s is not drawn, and --qr-file saves it unchanged', async (_name, picture, reason) => {
  const env = homeFor(sandbox);
  const id = await reception(sandbox, env);
  const device = { device_id: id, connected: false, logged_in: false };
  const qrCode = `data:image/png;base64,${picture.toString('base64')}`;
  const [stopped, started] = [
    answer({ ...device, status: 'stopped' }),
    answer({ ...device, status: 'started', qr_code: qrCode }),
  ];
  await answerInTurn(sandbox, 'getDeviceStatus', stopped, started);
  const file = join(temporaryDirectory(), 'pair.png');
  const args = ['device', 'connect', id, '--no-wait', '--qr-file', file];
  const { exitCode, stdout, stderr } = await botctl(args, { env, terminal: { columns: 400, rows: 60 } });
  expect(exitCode, stderr).toBe(0);
  expect(readFileSync(file).equals(picture)).toBe(true);
  expect(stderr).toContain(`The service sent a picture that can't be read: ${reason}.`);
  expect(stdout + stderr).not.toMatch(/[█▀▄▌▐]|base64/);
});

it('a picture of megabytes is read with regular expressions that a process has used often', async () => {
  // V8 then compiles them without its protection against a deep stack.
  setFlagsFromString('--no-regexp-optimization');
  try {
    // Another query loads another copy of the module, whose expressions are compiled now.
    const { readDataUrl }: typeof DataUrl = await import(`../../src/qr/data-url.ts${'?compiled-anew'}`);
    const picture = Buffer.alloc(12 * 1024 * 1024, good);
    expect(readDataUrl(`data:image/png;base64,${picture.toString('base64')}`).equals(picture)).toBe(true);
  } finally {
    setFlagsFromString('--regexp-optimization');
  }
});
