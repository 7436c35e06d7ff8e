import { ownMember } from '../../lib/json-object.ts';

/** The headings for the options of commands with many of them. An option means the same in every command. */
export const optionGroups: Readonly<Record<string, readonly string[]>> = {
  Texts: ['instructions', 'instructions-file', 'description', 'identification-name'],
  'Knowledge and actions': ['document', 'question', 'action', 'action-file'],
  Behaviour: [
    'role',
    'temperature',
    'allow-human',
    'use-audio-responses',
    'allow-user-audio-requests',
    'capture-payments',
    'break-lines',
  ],
  'Reading the list': ['to-column', 'skip-invalid', 'key-column'],
  'Other messages': ['send-as-audio', 'ai-generates-message', 'image-url', 'image-mime-type'],
  Pace: ['gap', 'daily', 'window', 'tz'],
  Bots: ['attach', 'detach-removed'],
  Files: ['include', 'exclude', 'as-text', 'password-stdin', 'chars'],
  'Names of documents': ['name-by', 'ledger'],
  Sending: ['max-new', 'concurrency', 'retry-unknown'],
  Calls: ['after', 'times', 'rate', 'seed'],
  'Pages and order': ['page', 'limit', 'all', 'sort', 'where'],
  Variables: ['var', 'vars', 'each'],
  Devices: ['secrets-file', 'discard-token'],
  Location: ['data', 'database', 'files', 'host', 'port'],
};

/** The help of a command with at most this many options has no groups. */
const maxUngrouped = 12;

const headings = Object.fromEntries(
  Object.entries(optionGroups).flatMap(([heading, names]) => names.map((name) => [name, heading] as const)),
);

/**
 * Returns options by heading, in the order of the help: first those without a heading, which are the
 * common ones, as Options. A heading for a single option is omitted.
 */
export function groupedOptions<T extends { name(): string }>(
  options: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  if (options.length <= maxUngrouped) return new Map([['Options', options]]);
  const headingOf = (option: T): string =>
    ownMember(headings, option.name().replace(/^no-/, '')) ?? 'Options';
  const counts = options.map(headingOf);
  const grouped = new Map<string, T[]>([['Options', []]]);
  for (const option of options) {
    const heading = headingOf(option);
    const isAlone = counts.filter((one) => one === heading).length < 2;
    const key = isAlone ? 'Options' : heading;
    grouped.set(key, [...(grouped.get(key) ?? []), option]);
  }
  return grouped;
}
