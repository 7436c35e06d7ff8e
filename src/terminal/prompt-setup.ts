import { Writable } from 'node:stream';
import { Chalk } from 'chalk';
import type { Output } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';

// Named one by one, so that the bundle leaves out the editor prompt with its half a megabyte of encodings.
export { input, password, search } from '@inquirer/prompts';

/**
 * The look of the prompts. The library ignores NO_COLOR; every style that it
 * has is given here, so that none of its own is left.
 */
export function promptTheme(color: boolean, unicode: boolean): object {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const keysHelpTip = (keys: readonly (readonly [key: string, action: string])[]): string =>
    chalk.dim(
      keys
        .map(([key, action]) => `${unicode ? key : (ownMember(asciiKeys, key) ?? key)} ${action}`)
        .join(', '),
    );
  return {
    // An answer may be a No, and nothing is done yet: no mark that says that it went well.
    prefix: { idle: chalk.cyan('?'), done: chalk.dim('?') },
    spinner: { interval: 130, frames: ['-', '\\', '|', '/'] },
    icon: { cursor: unicode ? '❯' : '>' },
    // Each takes its text alone: the library hands over the state of the prompt too, and chalk would print it.
    style: {
      answer: (text: string) => chalk.cyan(text),
      message: (text: string) => chalk.bold(text),
      error: (text: string) => chalk.red(`! ${text}`),
      defaultAnswer: (text: string) => chalk.dim(`(${text})`),
      help: (text: string) => chalk.dim(text),
      highlight: (text: string) => chalk.cyan(text),
      key: (text: string) => chalk.cyan(`<${text}>`),
      searchTerm: (text: string) => chalk.cyan(text),
      description: (text: string) => chalk.dim(text),
      disabled: (text: string) => chalk.dim(text),
      keysHelpTip,
      maskedText: 'not shown while you type',
    },
  };
}

const asciiKeys: Readonly<Record<string, string>> = { '↑↓': 'up/down', '⏎': 'enter' };

/**
 * The library ends the stream that it was given with each question; this one it may. It hands everything on at
 * once, without waiting for what came before: otherwise the end of a question would be drawn after its answer
 * was given, below or above what is said next.
 */
export function forwardTo(output: Output): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, encoding, done) {
      output.write(chunk, encoding);
      done();
    },
  });
  return Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => output.columns || 80 },
    rows: { get: () => output.rows || 24 },
  });
}
