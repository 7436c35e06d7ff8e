import type { Finding } from '../../learn/choice.ts';
import { isoTime } from '../../lib/time.ts';
import { version } from '../../lib/version.ts';

/**
 * Returns a page for who runs a service, as Markdown: how it chose, and what is not known.
 * @param now milliseconds since 1970
 */
export function reportOf(baseUrl: string, now: number, findings: readonly Finding[]): string {
  const known = findings.filter((finding) => finding.known);
  const unknown = findings.filter((finding) => !finding.known);
  return [
    `# How ${baseUrl} chose`,
    '',
    `Found out at ${isoTime(now)} by version ${version} of botctl, by reads alone. No names, texts or ids of customers are in it.`,
    '',
    '## Known',
    '',
    ...table(
      ['Choice', 'Specification', 'This service', 'How it is known'],
      known.map(({ choice, specification, service, how }) => [choice, specification, service ?? '', how]),
    ),
    '',
    '## Unknown',
    '',
    ...table(
      ['Choice', 'Specification', 'Why', 'What would make it known'],
      unknown.map(({ choice, specification, how, remedy }) => [choice, specification, how, remedy ?? '']),
    ),
    '',
  ].join('\n');
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map(line)];
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|<>`*]/g, '\\$&');
}
