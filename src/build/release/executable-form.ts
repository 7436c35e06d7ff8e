import { isSoundlySigned } from './macos-signature.ts';
import type { Platform } from './platforms.ts';
import { isSigned, machineOf } from './windows-signature.ts';

/**
 * The mark in Node's executable that is followed by 1 if it has a program inside.
 * @see https://nodejs.org/api/single-executable-applications.html
 */
const fuse = Buffer.from('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1');

/** The numbers by which ELF, Mach-O and PE name a kind of processor. */
const machines: Readonly<Record<Platform['name'], number>> = {
  'linux-x64': 62,
  'linux-arm64': 183,
  'macos-x64': 0x01000007,
  'macos-arm64': 0x0100000c,
  'windows-x64': 0x8664,
};

/**
 * Returns what is wrong with the form of an executable, as a sentence, or undefined if it has the format, the processor and
 * the kind of signature that its platform needs, and a program inside. Whether it runs shows only there.
 */
export function formProblem(name: Platform['name'], executable: Uint8Array): string | undefined {
  const file = Buffer.from(executable.buffer, executable.byteOffset, executable.byteLength);
  const machine = readMachine(name, file);
  if (machine !== machines[name]) return `It is not a 64-bit executable for ${name}.`;
  if (!file.includes(fuse)) return 'It has no program inside.';
  if (name.startsWith('macos') && !isSoundlySigned(file)) return 'Its signature does not cover the file.';
  if (name.startsWith('windows') && isSigned(file)) return 'It has a signature, which is not its own.';
  return undefined;
}

/** Returns the number of the processor, or undefined if the file has another format. */
function readMachine(name: Platform['name'], file: Buffer): number | undefined {
  if (file.length < 64) return undefined;
  if (name.startsWith('windows')) return machineOf(file);
  if (name.startsWith('macos')) return file.readUInt32LE(0) === 0xfeedfacf ? file.readUInt32LE(4) : undefined;
  // The magic number, 64 bits, little-endian.
  return file.readUInt32BE(0) === 0x7f454c46 && file.readUInt16BE(4) === 0x0201
    ? file.readUInt16LE(18)
    : undefined;
}
