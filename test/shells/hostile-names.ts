import fc from 'fast-check';
import type { Machine, Session, Shell } from './shell.ts';

/** The file that a name makes if any part of it is run. */
export const canary = 'owned';

/** Names that have to be written with care, among them each that was once written wrong. */
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

/** Names with characters that a shell may interpret. */
export function hostileNames(count: number, seed: number): readonly string[] {
  const name = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  return fc.sample(name, { numRuns: count, seed });
}

export type Quote = '' | '"' | "'";
export const quotes: readonly Quote[] = ['', '"', "'"];

/** How a person types the beginning of a word, with the quote left open. */
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

/** A word that is completed. */
interface Word {
  /** As it is typed, with the presses of Tab. */
  readonly typed: string;
  /** The arguments that the program must receive. */
  readonly wanted: string;
}

/** A name after some of its characters are typed, or none. */
function wordOf(shell: Shell, offered: string, quote: Quote, length: number, key = '\t'): Word {
  const start = [...offered].slice(0, length).join('');
  // After a quote that is closed, zsh writes the space before it: what stands at the end of a line is not harmed.
  const typed = shell === 'zsh' && quote === "'" ? start.replace(/'+$/, '') : start;
  return { typed: `${typedIn(shell, quote, typed)}${key}`, wanted: offered };
}

/**
 * What a shell takes for its own at Tab, in whatever quotes it stands, so that it can't be typed before: a star in
 * fish, and a question mark; in zsh the past lines that it puts in, and a dollar before a quote.
 */
const taken: Partial<Readonly<Record<Shell, RegExp>>> = { fish: /[*?]/, zsh: /![!:$]|\\!|\$'/ };

/** Characters that may be typed before Tab. */
function typeable(shell: Shell, offered: string): number {
  const at = taken[shell] ? offered.search(taken[shell]) : -1;
  return [...(at < 0 ? offered : offered.slice(0, at))].length;
}

/**
 * Whether a shell writes it and closes its quote. fish leaves the quote open after what more may follow, hides what
 * begins with a dot until that is typed, and takes a wide space for one that ends a word.
 */
function isWhole(shell: Shell, offered: string): boolean {
  return shell !== 'fish' || !/^\.|[/=@:.,-]$|\u3000/.test(offered);
}

/**
 * Completes the words of a line, and runs it.
 * @returns what went wrong, or undefined if the program got each word as one argument and nothing else ran
 */
async function failureOf({ session, machine }: Opened, words: readonly Word[]): Promise<string | undefined> {
  // The first is joined to its option.
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
 * Completes each name in each quote, all on one line, whichever comes first.
 * @param key what is pressed to complete
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

/** Completes names of which only the last letter differs: first what they have in common, then that letter. */
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
