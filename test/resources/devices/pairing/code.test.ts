import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePng } from '../../../../src/qr/decode.ts';
import { isRead, readCode } from '../../../../src/resources/devices/pairing/code.ts';
import { dataUrl, drawCode } from '../../../../src/sandbox/code-picture.ts';

const link = `https://wa.me/settings/linked_devices#2@${'aB3/'.repeat(25)},${'k9+='.repeat(11)}`;
const bare = `2@${'aB3/'.repeat(25)},${'k9+='.repeat(11)},1`;

/** Returns the text of a code and of its stored picture, or the reason why there is no code. */
async function read(given: string): Promise<readonly string[]> {
  const code = await readCode(given);
  return isRead(code) ? [code.payload.reveal(), decodePng(code.picture)] : [code.problem];
}

describe('the code in a status', () => {
  it('is the same from a data URL, from bare base64, and as text', async () => {
    const picture = drawCode(link);
    const all = [dataUrl(picture), picture.toString('base64'), `${picture.toString('base64')}\n`, link];
    for (const given of all) expect(await read(given)).toEqual([link, link]);
    const [one, other] = await Promise.all([readCode(dataUrl(picture)), readCode(link)]);
    expect(isRead(one) && isRead(other) && one.fingerprint === other.fingerprint).toBe(true);
    for (const other of [bare, `sgnl://linkdevice?uuid=${'5d0c1a52'.repeat(4)}`])
      expect(await read(other)).toEqual([other, other]);
  });

  it.each([
    ['pending'],
    ['The code is being made: please wait, and ask again'],
    ['https://example.com/devices/5d0c1a52/qr.png?size=400'],
    ['https://example.com/devices/5d0c1a52-3f0e-4c3b-9a53/qr.png'],
    ['C:\\\\data\\\\devices\\\\5d0c1a52-3f0e-4c3b-9a53\\\\qr.png'],
    ['//cdn.example.com/qr/5d0c1a52-3f0e-4c3b,size=400'],
    ['/var/lib/service/devices/5d0c1a52:qr/current'],
    ['blob:https://example.com/5d0c1a52-3f0e-4c3b'],
    ['ftp://example.com/devices/5d0c1a52-3f0e-4c3b'],
    ['Error:ENOENT,open:/tmp/qr_codes/5d0c1a52'],
    [`<svg xmlns="http://www.w3.org/2000/svg"></svg>`],
    [JSON.stringify({ code: 'x'.repeat(40) })],
    [Buffer.from('some other kind of file, and a long one').toString('base64')],
  ])('is not read from %s', async (given) => {
    expect(await read(given)).toEqual(['is not a base64 data URL']);
  });

  it('names the format of a picture that is not a PNG, without its media type too', async () => {
    expect(await read(Buffer.from('GIF89a, or something like it').toString('base64'))).toEqual([
      'is a GIF, not a PNG',
    ]);
  });

  it('or a reason is returned, for any input', async () => {
    const piece = fc.constantFrom(
      'data:',
      'image/png;base64,',
      'iVBORw0KGgo',
      '2@',
      ',',
      '#',
      'https://',
      '\u0000',
      ' ',
    );
    const text = fc.array(fc.oneof(fc.string(), piece)).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        for (const part of await read(given)) expect(part).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});
