const unsafeInJson = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Escapes characters that `JSON.stringify` leaves unescaped although terminals interpret them: DEL, C1 and bidi
 * controls. The value stays the same (RFC 8259, section 7).
 */
export function escapeJson(json: string): string {
  return json.replace(unsafeInJson, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
