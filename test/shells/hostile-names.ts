import fc from 'fast-check';
import type { Machine, Session, Shell } from './shell.ts';

/** The file that a name creates if any part of it is executed. */
export const canary = 'owned';

/** Names that need careful quoting, including each that was once quoted wrong. */
export const knownHostile: readonly string[] = [
  `!;touch ${canary} #`,
  `!!;touch ${canary}`,
  `'; touch ${canary} #`,
  `"; touch ${canary} #`,
  `\\"; touch ${canary} #`,
  `\\'; touch ${canary} #`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `$\\'; touch ${canary} #`,
  `$'\\'; touch ${canary} #`,
  `;touch ${canary}`,
  `a;touch ${canary};`,
  `a & touch ${canary} | touch ${canary} > ${canary}`,
  `<(touch ${canary})`,
  `=(touch ${canary})`,
  `(touch ${canary})`,
  `{touch,${canary}}`,
  `a\ntouch ${canary}\n`,
  'tab\there',
  '\u001b[A',
  "'",
  '"',
  '!',
  '\\',
  '$',
  '`',
  "it's",
  "'tis",
  "'''",
  '""',
  `ends with "`,
  "ends with '",
  'ends with \\',
  'ends with !',
  'ends with $',
  'ends with two\\\\',
  `"'"!'"!`,
  'wow!t "!s" !$ !-1',
  ' leads with a space',
  'two  spaces  ',
  '~',
  '~root',
  '=ls',
  'a=~',
  'a:~',
  ':',
  'a:b=c',
  '-rf',
  '--team=x',
  '#hash',
  '^a^b',
  '%self',
  '@{x}',
  '* ? [a] {a,b}',
  'a,b',
  '$HOME $((1+1))',
  '$\'x\' $"x"',
  'Café ☕ 店',
  '東\u3000京',
  'nbsp\u00a0here',
  '👩‍💻',
  'é',
  '%s%n',
];

const piece = fc.constantFrom(
  ...['!', "'", '"', '`', '$', '\\', ' ', ';', '&', '|', '<', '>', '(', ')', '{', '}', '[', ']', '*', '?'],
  ...['~', '=', ':', ',', '-', '#', '^', '%', '@', '+', '/', '.', 'a', 'B', '1', 'é', '店', '☕', '\n', '\t'],
  ...[`;touch ${canary};`, `$(touch ${canary})`, `\`touch ${canary}\``, `\n touch ${canary}\n`],
  ...["'\\''", '"\\""', '!!', '!$', '\\\\', "$'", '$"', '\u3000', '-rf', 'n', 't'],
);

/** Generates names with characters that a shell may interpret. */
export function hostileNames(count: number, seed: number): readonly string[] {
  const name = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  return fc.sample(name, { numRuns: count, seed });
}

export type Quote = '' | '"' | "'";
export const quotes: readonly Quote[] = ['', '"', "'"];

/** Returns the beginning of a word as a user types it, with the quote left open. */
function typedIn(shell: Shell, quote: Quote, text: string): string {
  const isFish = shell === 'fish';
  if (quote === "'") return `'${isFish ? text.replace(/['\\]/g, '\\$&') : text.replaceAll("'", "'\\''")}`;
  if (quote === '"') return `"${text.replace(isFish ? /["$\\]/g : /["$`\\]/g, '\\$&')}`;
  return text.replace(/[ !-.:-@[-^`{-~\u3000]/g, '\\$&');
}

/** A shell in a terminal. */
export interface Opened {
  readonly shell: Shell;
  readonly session: Session;
  readonly machine: Machine;
}

/** A word to complete. */
interface Word {
  /** The typed text, including Tab keys. */
  readonly typed: string;
  /** The argument that the program must receive. */
  readonly wanted: string;
}

/** Returns a word for a name of which some characters, or none, are typed. */
function wordOf(shell: Shell, offered: string, quote: Quote, length: number, key = '\t'): Word {
  const start = [...offered].slice(0, length).join('');
  // zsh writes the space after a closed quote before that quote; the end of the line is safe.
  const typed = shell === 'zsh' && quote === "'" ? start.replace(/'+$/, '') : start;
  return { typed: `${typedIn(shell, quote, typed)}${key}`, wanted: offered };
}

/**
 * Text that a shell interprets at Tab inside any quotes, so that it can't be typed before: a star and a question mark
 * in fish; in zsh history expansions, and a dollar before a quote.
 */
const taken: Partial<Readonly<Record<Shell, RegExp>>> = { fish: /[*?]/, zsh: /![!:$]|\\!|\$'/ };

/** Returns the number of characters that may be typed before Tab. */
function typeable(shell: Shell, offered: string): number {
  const at = taken[shell] ? offered.search(taken[shell]) : -1;
  return [...(at < 0 ? offered : offered.slice(0, at))].length;
}

/**
 * Returns whether a shell completes a name and closes its quote. fish leaves the quote open if more text may follow,
 * hides names with a leading dot until it is typed, and treats a wide space as the end of a word.
 */
function isWhole(shell: Shell, offered: string): boolean {
  return shell !== 'fish' || !/^\.|[/=@:.,-]$|\u3000/.test(offered);
}

/**
 * Completes the words of a command, and runs it.
 * @returns the problem, or undefined if the program received each word as one argument and nothing else ran
 */
async function failureOf({ session, machine }: Opened, words: readonly Word[]): Promise<string | undefined> {
  // The first word is joined to its option.
  const typed = words.map((word, index) => `--team${index === 0 ? '=' : ' '}${word.typed}`).join(' ');
  const given = words.flatMap(({ wanted }, index) =>
    index === 0 ? [`--team=${wanted}`] : ['--team', wanted],
  );
  const wanted = JSON.stringify(['bots', 'list', ...given]);
  const called = await session.called(`botctl bots list ${typed}`).catch((error: unknown) => String(error));
  const ran = machine.takes(canary) ? 'a part of it ran; ' : '';
  if (ran === '' && JSON.stringify(called) === wanted) return undefined;
  return `${JSON.stringify(typed)}: ${ran}${JSON.stringify(called)} instead of ${wanted}`;
}

/**
 * Completes each name in each quote, all in one command, in any order.
 * @param key the key that completes
 */
export async function failuresOf(
  opened: Opened,
  names: readonly string[],
  key = '\t',
): Promise<readonly string[]> {
  const failures: (string | undefined)[] = [];
  for (const [index, name] of names.entries()) {
    const [offered = ''] = await opened.machine.offer([{ id: 'team-1', name }]);
    if (!isWhole(opened.shell, offered)) continue;
    const word = (nth: number): Word => {
      const length = Math.min((index + nth) % 5, typeable(opened.shell, offered));
      return wordOf(opened.shell, offered, quotes[(index + nth) % 3] ?? '', length, key);
    };
    failures.push(await failureOf(opened, [word(0), word(1), word(2)]));
  }
  return failures.filter((failure) => failure !== undefined);
}

/** Completes names that differ only in the last letter: first their common part, then that letter. */
export async function failuresOfPairs(opened: Opened, names: readonly string[]): Promise<readonly string[]> {
  const failures: (string | undefined)[] = [];
  for (const name of names) {
    const [offered = '', other] = await opened.machine.offer([
      { id: 'team-1', name: `${name}x` },
      { id: 'team-2', name: `${name}y` },
    ]);
    if (offered !== `${name}x` || other === undefined || typeable(opened.shell, name) < [...name].length)
      continue;
    const words = quotes.map((quote) => {
      const { typed, wanted } = wordOf(opened.shell, other, quote, 1);
      return { typed: `${typed}y\t`, wanted };
    });
    failures.push(await failureOf(opened, words));
  }
  return failures.filter((failure) => failure !== undefined);
}
