import type { Failure } from '../lib/errors.ts';
import { groupedNumber } from '../lib/text/numbers.ts';
import { sanitiseLines } from '../terminal/sanitise.ts';

/** Returns text as a fenced code block, so that nothing in it is Markdown. */
export function fenced(text: string, language: string): string {
  // The fence is longer than any run of backticks in the text.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The maximum bytes of the report of a failure: a comment on a pull request takes 65,536 characters. */
const maxBytes = 60_000;

/**
 * Returns the report of a failure in Markdown, which replaces the report of a result.
 * @param redact masks secrets
 */
export function failureMarkdown(
  { message, hint, exitCode }: Failure,
  redact: (text: string) => string,
): string {
  const safe = (text: string): readonly string[] => redact(sanitiseLines(text)).split('\n');
  const lines = safe(message);
  let room = maxBytes;
  const kept = lines.filter((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room >= 0;
  });
  const left = lines.length - kept.length;
  if (left > 0) kept.push(`and ${groupedNumber(left)} more lines`);
  const cure = hint === undefined ? [] : [fenced(safe(String(hint)).join('\n'), 'text')];
  return `${[`### Failed with exit code ${exitCode}`, fenced(kept.join('\n'), 'text'), ...cure].join('\n\n')}\n`;
}
