const sectorSize = 512;
const endOfChain = 0xfffffffe;
const free = 0xffffffff;

/** Returns an old Office document with these streams, each in its own sectors after the table and the directory. */
export function madeOle(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const fat: number[] = [0xfffffffd, endOfChain];
  const sectors: Buffer[] = [];
  const entries = [entry('Root Entry', { type: 5, child: 1 })];
  const all = Object.entries(streams);
  for (const [index, [name, content]] of all.entries()) {
    // At least the size from which streams are stored in sectors; smaller ones are stored elsewhere.
    const size = Math.max(content.length, 4096);
    const count = Math.ceil(size / sectorSize);
    const start = fat.length;
    for (let at = 1; at <= count; at += 1) fat.push(at === count ? endOfChain : start + at);
    sectors.push(Buffer.concat([content, Buffer.alloc(count * sectorSize - content.length)]));
    entries.push(entry(name, { type: 2, right: index + 1 < all.length ? index + 2 : free, start, size }));
  }
  const header = Buffer.alloc(sectorSize, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.fill(0, 8, 76);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(endOfChain, 60);
  header.writeUInt32LE(endOfChain, 68);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(sectorSize, 0xff);
  for (const [index, next] of fat.entries()) table.writeUInt32LE(next, 4 * index);
  const directory = Buffer.concat([...entries, Buffer.alloc(sectorSize)]).subarray(0, sectorSize);
  return Buffer.concat([header, table, directory, ...sectors]);
}

function entry(
  name: string,
  { type, child = free, right = free, start = endOfChain, size = 0 }: Partial<Record<string, number>>,
): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(2 * name.length + 2, 64);
  bytes.writeUInt8(type ?? 0, 66);
  bytes.writeUInt32LE(free, 68);
  bytes.writeUInt32LE(right, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}
