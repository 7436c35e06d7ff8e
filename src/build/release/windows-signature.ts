/** The index of the security directory in a PE file: its entry is a position in the file, not in memory. */
const securityDirectory = 4;

/**
 * Returns an .exe without its signature. The signature of node.exe doesn't hold for an executable with more in it, and
 * Windows would report that file as tampered with rather than as unsigned. The checksum in the header is left: Windows reads
 * it for drivers only.
 * @see https://learn.microsoft.com/windows/win32/debug/pe-format
 * @throws Error if it isn't a 64-bit .exe, or if something follows the signature
 */
export function withoutSignature(exe: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(exe);
  const entry = securityEntry(copy);
  const [offset, size] = [entry.getUint32(0, true), entry.getUint32(4, true)];
  if (offset === 0) return copy;
  // It is padded to eight bytes.
  if (copy.length - (offset + size) >= 8) throw new Error('The signature is not the end of the file.');
  entry.setUint32(0, 0, true);
  entry.setUint32(4, 0, true);
  return copy.subarray(0, offset);
}

/**
 * Returns true if an .exe has a signature, or a remainder of one.
 * @throws Error if it isn't a 64-bit .exe
 */
export function isSigned(exe: Uint8Array): boolean {
  return securityEntry(exe).getUint32(0, true) !== 0;
}

/** Returns the number of the kind of processor that an .exe is for, or undefined if it isn't a 64-bit .exe. */
export function machineOf(exe: Uint8Array): number | undefined {
  const view = new DataView(exe.buffer, exe.byteOffset, exe.byteLength);
  const header = headerOf(view);
  return header === undefined ? undefined : view.getUint16(header + 4, true);
}

function securityEntry(exe: Uint8Array): DataView {
  const view = new DataView(exe.buffer, exe.byteOffset, exe.byteLength);
  const header = headerOf(view);
  if (header === undefined) throw new Error('It is not a 64-bit .exe.');
  return new DataView(exe.buffer, exe.byteOffset + header + 24 + 112 + 8 * securityDirectory, 8);
}

/** Returns the offset of the header of a 64-bit .exe; undefined for any other file. */
function headerOf(view: DataView): number | undefined {
  const header = view.getUint32(0x3c, true);
  if (header + 26 > view.byteLength || view.getUint32(header, false) !== 0x50450000) return undefined;
  return view.getUint16(header + 24, true) === 0x20b ? header : undefined;
}
