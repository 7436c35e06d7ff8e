import { describe, expect, it } from 'vitest';
import { isSoundlySigned, signed } from '../../../src/build/release/macos-signature.ts';
import { isSigned, withoutSignature } from '../../../src/build/release/windows-signature.ts';

/** Returns a 64-bit .exe that consists of headers, 100 bytes and a signature, with padding. */
function exe({ signature = 40, padding = 0 } = {}): Buffer {
  const header = 0x80;
  const directories = header + 24 + 112;
  const start = directories + 16 * 8;
  const file = Buffer.alloc(start + 100 + signature + padding, 1);
  file.fill(0, 0, start);
  file.write('MZ', 0);
  file.writeUInt32LE(header, 0x3c);
  file.writeUInt32BE(0x50450000, header);
  file.writeUInt16LE(0x20b, header + 24);
  if (signature > 0) {
    file.writeUInt32LE(start + 100, directories + 4 * 8);
    file.writeUInt32LE(signature, directories + 4 * 8 + 4);
  }
  return file;
}

describe('the signature of an .exe', () => {
  it.each([0, 7])('is removed with %i bytes of padding', (padding) => {
    const signedExe = exe({ padding });
    const unsigned = withoutSignature(signedExe);
    expect([isSigned(signedExe), isSigned(unsigned)]).toEqual([true, false]);
    expect(unsigned).toHaveLength(signedExe.length - 40 - padding);
    expect(Buffer.from(unsigned)).toEqual(exe({ signature: 0 }));
  });

  it('may be missing', () => {
    expect(Buffer.from(withoutSignature(exe({ signature: 0 })))).toEqual(exe({ signature: 0 }));
  });

  it('is not removed if something follows it, or from another kind of file', () => {
    expect(() => withoutSignature(exe({ padding: 8 }))).toThrow('not the end');
    expect(() => withoutSignature(Buffer.alloc(400))).toThrow('not a 64-bit .exe');
  });
});

/** Returns a 64-bit Mach-O file with two segments and room for another load command. */
function machO(): Buffer {
  const file = Buffer.alloc(20_000, 7);
  file.fill(0, 0, 4096);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(2, 16);
  file.writeUInt32LE(144, 20);
  const segments: readonly (readonly [string, number, number])[] = [
    ['__TEXT', 0, 16_384],
    ['__LINKEDIT', 16_384, 20_000 - 16_384],
  ];
  for (const [index, [name, offset, size]] of segments.entries()) {
    const at = 32 + 72 * index;
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, 'latin1');
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  }
  return file;
}

describe('the signature of a program for macOS', () => {
  it('covers each page', () => {
    const program = signed(machO(), 'botctl');
    expect([isSoundlySigned(machO()), isSoundlySigned(program)]).toEqual([false, true]);
    for (const position of [40, 5000, 19_999]) {
      const changed = Buffer.from(program);
      changed[position] = (changed[position] ?? 0) ^ 1;
      expect(isSoundlySigned(changed)).toBe(false);
    }
  });

  it('is the same for the same program', () => {
    expect(signed(machO(), 'botctl')).toEqual(signed(machO(), 'botctl'));
  });

  it('is replaced', () => {
    const once = signed(machO(), 'other');
    expect(isSoundlySigned(signed(once, 'botctl'))).toBe(true);
  });

  it('is refused for another kind of file, and for one without room', () => {
    expect(() => signed(Buffer.alloc(64), 'botctl')).toThrow('not a 64-bit Mach-O file');
    const full = machO();
    full.fill(1, 32 + 144, 32 + 160);
    expect(() => signed(full, 'botctl')).toThrow('no room');
  });
});
