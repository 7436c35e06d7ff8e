/** Characters of a name that a sentence shows. */
const longest = 200;

/**
 * Returns a name as it stands in a sentence. Its line breaks and tabs are blanks: what comes after one would pass for a
 * line of botctl's own, a failure or what to do next. What else commands a terminal is taken out on the way there.
 */
export function inSentence(name: string): string {
  const line = name.replace(/[\t\n\v\f\r\x85\u2028\u2029]+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
