/**
 * Replaces values that differ in each run, so that only their form is compared. Each rule replaces letters and digits
 * of an id or a number, and no words. The width stays, so that columns are compared, except for times that have just
 * passed.
 */
const rules: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, zeros],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, zeros],
  [/(?<=\b(?:file-|asst_|vs_|botsecret_|key_))[\w-]{20,}/g, (found) => '0'.repeat(found.length)],
  [/(?<=\(until )\d{4}-\d\d-\d\d(?=\))/g, zeros],
  [/(?<=key-)[b-z2-9]{8}\b/g, zeros],
  [/(?<=\bfingerprint"?:? "?)[0-9a-f]{8,}\b/g, zeros],
  // A sandbox's phone has a different number for each device.
  [/(?<=\bas |\bReception \(|^Phone number +|^paired +)\+\d+/gm, zeros],
  [/\b(?:just now|\d+ (?:second|minute)s? ago)\b/g, 'just now'],
  [/\b\d+ seconds?\b/g, '0 seconds'],
  [/\b\d+(?:\.\d+)? (?=m?s\b)/g, '0 '],
  // If the screen was captured late, the code is already a second old.
  [/(?<=\bNext code in about )(?:1 min|\d+ s)(?=\.)/g, '0 s'],
  [/(?<=^Made on +)\S+$/gm, 'vm'],
  [/(?<=^(?:Took \(s\)|Process) +)[\d.]+$/gm, '0'],
];

function zeros(found: string): string {
  return found.replaceAll(/[0-9A-Za-z_]/g, '0');
}

/** Returns a text without values that differ in each run and without trailing blanks. */
export function stable(text: string): string {
  let stabilised = text.replaceAll(/[ \t]+$/gm, '').trimEnd();
  for (const [pattern, replacement] of rules) {
    stabilised =
      typeof replacement === 'string'
        ? stabilised.replaceAll(pattern, replacement)
        : stabilised.replaceAll(pattern, replacement);
  }
  return stabilised;
}
