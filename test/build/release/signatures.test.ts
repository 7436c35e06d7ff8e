import { describe, expect, it } from 'vitest';
import { formProblem } from '../../../src/build/release/executable-form.ts';
import { isSoundlySigned, signExecutable } from '../../../src/build/release/macos-signature.ts';
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

  it('is not removed if data follows it or the file has another format', () => {
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

describe('the signature of a macOS program', () => {
  it('covers each page', () => {
    const program = signExecutable(machO(), 'botctl');
    expect([isSoundlySigned(machO()), isSoundlySigned(program)]).toEqual([false, true]);
    for (const position of [40, 5000, 19_999]) {
      const changed = Buffer.from(program);
      changed[position] = (changed[position] ?? 0) ^ 1;
      expect(isSoundlySigned(changed)).toBe(false);
    }
  });

  it('is the same for the same program', () => {
    expect(signExecutable(machO(), 'botctl')).toEqual(signExecutable(machO(), 'botctl'));
  });

  it('is replaced if there is one', () => {
    const once = signExecutable(machO(), 'other');
    expect(isSoundlySigned(signExecutable(once, 'botctl'))).toBe(true);
  });

  it('is refused for another file format, and if there is no room for it', () => {
    expect(() => signExecutable(Buffer.alloc(64), 'botctl')).toThrow('not a 64-bit Mach-O file');
    const full = machO();
    full.fill(1, 32 + 144, 32 + 160);
    expect(() => signExecutable(full, 'botctl')).toThrow('no room');
  });
});

describe('the format of an executable', () => {
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
  const elf = (machine: number, mark: string): Buffer => {
    const file = Buffer.alloc(200);
    file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
    file.writeUInt16LE(machine, 18);
    file.write(mark, 100);
    return file;
  };
  const mac = (machine: number): Buffer => {
    const file = machO();
    file.writeUInt32LE(machine, 4);
    file.write(`${fuse}:1`, 5000);
    return file;
  };
  const windows = (signature: number): Buffer => {
    const file = exe({ signature });
    file.writeUInt16LE(0x8664, 0x80 + 4);
    file.write(`${fuse}:1`, file.length - signature - 60);
    return file;
  };

  it.each([
    ['linux-x64', elf(62, `${fuse}:1`)],
    ['linux-arm64', elf(183, `${fuse}:1`)],
    ['macos-arm64', signExecutable(mac(0x0100000c), 'botctl')],
    ['macos-x64', signExecutable(mac(0x01000007), 'botctl')],
    ['windows-x64', windows(0)],
  ] as const)('is accepted for %s', (name, file) => {
    expect(formProblem(name, file)).toBeUndefined();
  });

  it.each([
    ['linux-x64', 'of another processor', elf(183, `${fuse}:1`), 'not a 64-bit executable'],
    ['linux-x64', 'without a program', elf(62, `${fuse}:0`), 'no program'],
    ['linux-x64', 'of another system', windows(0), 'not a 64-bit executable'],
    ['macos-arm64', 'without a signature', mac(0x0100000c), 'signature'],
    [
      'macos-arm64',
      'of another processor',
      signExecutable(mac(0x01000007), 'botctl'),
      'not a 64-bit executable',
    ],
    ['windows-x64', 'with a signature', windows(40), 'signature'],
    ['windows-x64', 'that is empty', Buffer.alloc(0), 'not a 64-bit executable'],
  ] as const)('is refused for %s %s', (name, _, file, problem) => {
    expect(formProblem(name, file)).toContain(problem);
  });
});
