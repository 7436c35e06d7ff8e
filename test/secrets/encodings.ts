/** Separate from the redactor's own list, so that each checks the other. */
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

/** Returns every text in which a secret may be hidden. */
export function everyForm(secret: string): readonly string[] {
  return Object.values(encodings).flatMap((encode) => encode(secret));
}

/** Returns the encoded form of a secret, if it differs: random bytes may contain nothing to escape. */
function changed([name, encode]: readonly [string, (typeof encodings)[string]], secret: string) {
  const forms = encode(secret);
  return [name, name === 'raw' ? forms : forms.filter((form) => form !== secret)] as const;
}

/** Caches the forms of secrets by their encodings, because one secret is searched in many texts. */
const known = new Map<string, readonly (readonly [encoding: string, forms: readonly string[]])[]>();

/** Returns the names of the encodings in which a text contains a secret. */
export function formsIn(text: string, secret: string): readonly string[] {
  const forms = known.get(secret) ?? Object.entries(encodings).map((encoding) => changed(encoding, secret));
  known.set(secret, forms);
  return forms.filter(([, all]) => all.some((form) => text.includes(form))).map(([name]) => name);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** Returns a text as the content of a quoted cell (RFC 4180). */
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

/**
 * Returns the base64 characters that encode only the secret, after this many other bytes; characters shared with the
 * bytes around it are left out.
 */
function insideBase64(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bits = 8 * Buffer.byteLength(secret);
  const encoded = Buffer.from('x'.repeat(before) + secret).toString(encoding);
  const first = Math.ceil((8 * before) / 6);
  return encoded.slice(first, Math.floor((8 * before + bits) / 6));
}
