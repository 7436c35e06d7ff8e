import { Writable } from 'node:stream';
import { Chalk } from 'chalk';
import type { Output } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';

// Individual exports, so that the bundle omits the editor prompt with its half a megabyte of encodings.
export { input, password, search } from '@inquirer/prompts';

/**
 * The theme of the prompts. The library ignores NO_COLOR, so every style is
 * set here.
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
    // An answer may be No, and nothing has been done yet: no success mark.
    prefix: { idle: chalk.cyan('?'), done: chalk.dim('?') },
    spinner: { interval: 130, frames: ['-', '\\', '|', '/'] },
    icon: { cursor: unicode ? '❯' : '>' },
    // Each takes only its text: the library also passes the state of the prompt, and chalk would print it.
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
 * The library closes the stream of each question; this one may be closed. It forwards everything
 * immediately, without waiting for earlier output: otherwise the end of a question would be drawn after
 * its answer was given, mixed with later output.
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
