/**
 * Returns a text in an encoding, as `TextDecoder` reads it. UTF-16 has a byte order mark.
 * @throws Error for a character that the encoding lacks
 */
export function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const table = tableOf(encoding);
  const parts = [...text].map((character) => {
    const bytes = table.get(character);
    if (!bytes) throw new Error(`${encoding} has no ${character}`);
    return bytes;
  });
  return Buffer.from(parts.flat());
}

/** Returns the bytes of each character that one or two bytes encode. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const put = (...bytes: readonly number[]): void => {
    const decoder = new TextDecoder(encoding);
    // Without `stream`, Node 20 decodes windows-1252 as Latin-1.
    const text = decoder.decode(Uint8Array.from(bytes), { stream: true });
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes);
  };
  for (let first = 0; first < 256; first += 1) put(first);
  if (/^(windows|iso)/.test(encoding)) return table;
  for (let first = 0x81; first < 255; first += 1)
    for (let second = 0x40; second < 255; second += 1) put(first, second);
  return table;
}
