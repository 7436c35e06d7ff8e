import { Document, isScalar, visit } from 'yaml';
import { exactJson, guardDepth, NestedTooDeeply, parseExactly } from '../lib/exact-json.ts';

const unsafe =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd\p{Surrogate}]/u;
/** Matches a line of only blanks: the library writes ` \n` as a block that loses its blank. */
const blankLine = /^[ \t]+$/m;
const escapable = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/g;

/**
 * Returns a value as YAML 1.2. Text with characters that control a terminal is written in double quotes with those
 * characters escaped, so that it stays lossless. So is U+FFFD, because a file that contains it is refused as damaged.
 */
export function toYaml(value: unknown): string {
  return guardDepth(
    () => yamlOf(value),
    (cause) => new NestedTooDeeply(value, cause),
  );
}

function yamlOf(value: unknown): string {
  // Converts through JSON: an object that prints as something else, such as a secret, does so here too.
  const document = new Document(parseExactly(exactJson(value ?? null)), {
    aliasDuplicateObjects: false,
    // Many tools still read YAML 1.1, where an unquoted yes, 012 or 1_000 is not text.
    compat: 'yaml-1.1',
  });
  return documentText(document);
}

/** Returns the text of a document, with characters that control a terminal escaped. Its comments have none of them. */
function documentText(document: Document): string {
  visit(document, (_key, node) => {
    if (!isScalar(node) || typeof node.value !== 'string') return;
    if (unsafe.test(node.value) || blankLine.test(node.value)) node.type = 'QUOTE_DOUBLE';
  });
  // On several lines the library writes a line of one blank as a backslash too.
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY });
  return text.replace(escapable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
