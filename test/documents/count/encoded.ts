/**
 * Returns a text in an encoding, as `TextDecoder` reads it. UTF-16 has a mark.
 * @throws Error for a character that the encoding lacks
 */
export function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  if (encoding === 'iso-2022-jp') return iso2022jp(text);
  const table = tableOf(encoding);
  const parts = [...text].map((character) => {
    const bytes = table.get(character);
    if (!bytes) throw new Error(`${encoding} has no ${character}`);
    return bytes;
  });
  return Buffer.from(parts.flat());
}

/** The bytes of EUC-JP without the highest bit, between the escape sequences of their character sets. */
function iso2022jp(text: string): Buffer {
  const runs = text.match(/\p{ASCII}+|[\uff61-\uff9f]+|[^\p{ASCII}\uff61-\uff9f]+/gu) ?? [];
  const parts = runs.map((run) => {
    if (/^\p{ASCII}/u.test(run)) return [Buffer.from(run)];
    const bytes = encoded(run, 'euc-jp').map((byte) => byte & 0x7f);
    // Half-width letters have a byte before them in EUC-JP.
    return /^[\uff61-\uff9f]/.test(run)
      ? [Buffer.from('\x1b(I'), bytes.filter((_, at) => at % 2 === 1), Buffer.from('\x1b(B')]
      : [Buffer.from('\x1b$B'), bytes, Buffer.from('\x1b(B')];
  });
  return Buffer.concat(parts.flat());
}

/** The bytes of each character that one or two bytes stand for. */
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
