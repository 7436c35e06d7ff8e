import { shellWord } from './shell-word.ts';

/** A command that calls the service as somebody, in a sentence that suggests it. */
const suggested =
  /\bbotctl (?=(?:whoami|token|doctor|login|logout|keys|teams|bots|docs|api|device|send|sandbox (?!start))\b)/g;

/**
 * Makes the command lines that a text suggests work as the profile that was chosen for this line alone:
 * `Look: botctl teams list` → `Look: botctl --profile staging teams list`. A line that names a profile, and
 * help, stay as they are.
 * @param profile what `--profile` was given; undefined if it wasn't
 */
export function withProfile(text: string, profile: string | undefined): string {
  if (profile === undefined) return text;
  return text.replace(suggested, (start, at: number) => {
    const line = /^[^\n]*?(?=\bbotctl |\n|$)/.exec(text.slice(at + start.length))?.[0] ?? '';
    return /--(?:profile|help)\b/.test(line) ? start : `${start}--profile ${shellWord(profile)} `;
  });
}
