// Formatted without Intl, which costs a command 10 ms.

/** Formats a number with thousands separators: `12,500`, `-1,234.5`. */
export function groupedNumber(value: number): string {
  const text = String(value);
  if (!/^-?\d{5,}(\.\d+)?$/.test(text)) return text;
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Formats a count with its noun: `1 row`, `3 rows`. */
export function pluralize(count: number, noun: string): string {
  return `${groupedNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const byteUnits = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Formats a size in bytes with decimal units: `999 B`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let size = bytes;
  for (const unit of byteUnits) {
    size /= 1000;
    // From 999.5 on it would round to 1000.
    if (size < 999.5 || unit === 'PB') return `${size < 99.95 ? size.toFixed(1) : Math.round(size)} ${unit}`;
  }
  return `${bytes} B`;
}
