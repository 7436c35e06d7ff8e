/** Written apart from the redactor's own list, so that each checks the other. */
const encodings: Readonly<Record<string, (secret: string) => readonly string[]>> = {
  raw: (secret) => [secret],
  'JSON-escaped': (secret) => [inJson(secret)],
  'URL-encoded': (secret) => [encodeURIComponent(secret), lowerHex(encodeURIComponent(secret))],
  CSV: (secret) => [inCsv(secret), inCsv(inJson(secret))],
  TSV: (secret) => [inTsv(secret), inTsv(inJson(secret))],
  YAML: (secret) => [inJson(secret), secret.replaceAll("'", "''")],
  base64: (secret) => [0, 1, 2].map((before) => insideBase64(secret, before, 'base64')),
  base64url: (secret) => [0, 1, 2].map((before) => insideBase64(secret, before, 'base64url')),
};

/** Every text in which a secret may hide. */
export function everyForm(secret: string): readonly string[] {
  return Object.values(encodings).flatMap((encode) => encode(secret));
}

/** The encoded form of a secret, if it differs: random bytes may contain nothing to escape. */
function changed([name, encode]: readonly [string, (typeof encodings)[string]], secret: string) {
  const forms = encode(secret);
  return [name, name === 'raw' ? forms : forms.filter((form) => form !== secret)] as const;
}

/** Forms of secrets by the names of their encodings: one secret is looked for in many texts. */
const known = new Map<string, readonly (readonly [encoding: string, forms: readonly string[]])[]>();

/** How a text holds a secret: the names of the encodings in which it is there. */
export function formsIn(text: string, secret: string): readonly string[] {
  const forms = known.get(secret) ?? Object.entries(encodings).map((encoding) => changed(encoding, secret));
  known.set(secret, forms);
  return forms.filter(([, all]) => all.some((form) => text.includes(form))).map(([name]) => name);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** As it stands in a cell in quotes (RFC 4180). */
function inCsv(text: string): string {
  return text.replaceAll('"', '""');
}

function inTsv(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
  return text.replace(/[\\\t\n\r]/g, (found) => escapes[found] ?? found);
}

function lowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
}

/** What base64 makes of a secret alone, with so many bytes before it; the characters at its edges are shared. */
function insideBase64(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bits = 8 * Buffer.byteLength(secret);
  const encoded = Buffer.from('x'.repeat(before) + secret).toString(encoding);
  const first = Math.ceil((8 * before) / 6);
  return encoded.slice(first, Math.floor((8 * before + bits) / 6));
}
