import type { ChalkInstance } from 'chalk';
import type { Output } from '../lib/io.ts';

/** 0 none, 1 sixteen colours, 2 256 colours, 3 true colour. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** The meaning of a colour. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet';

/** Colours text by meaning, or returns it unchanged if there is no colour. */
export interface Paint {
  tone(tone: Tone | undefined, text: string): string;
  heading(text: string): string;
}

/**
 * Returns the colour level of a stream. `--no-color` has priority, then FORCE_COLOR, then NO_COLOR
 * (as in Node itself), then the type of the stream.
 *
 * @param color false with `--no-color`
 * @see https://no-color.org and https://force-color.org
 */
export function colorLevel(
  stream: Output,
  env: Readonly<Record<string, string | undefined>>,
  color: boolean,
): ColorLevel {
  return explainColor(stream, env, color).level;
}

/** Returns the colour level of a stream, and the reason: an option, a variable, or the stream itself. */
export function explainColor(
  stream: Output,
  env: Readonly<Record<string, string | undefined>>,
  color: boolean,
): { readonly level: ColorLevel; readonly because: string } {
  if (!color) return { level: 0, because: '--no-color' };
  if (env.FORCE_COLOR !== undefined) return { level: forcedLevel(env.FORCE_COLOR), because: 'FORCE_COLOR' };
  if (env.NO_COLOR) return { level: 0, because: 'NO_COLOR' };
  if (stream.isTTY !== true) return { level: 0, because: 'no terminal' };
  if (env.TERM === 'dumb') return { level: 0, because: 'TERM' };
  if (/^(truecolor|24bit)$/.test(env.COLORTERM ?? '')) return { level: 3, because: 'COLORTERM' };
  if (env.WT_SESSION) return { level: 3, because: 'WT_SESSION' };
  if (/-256(color)?$/.test(env.TERM ?? '')) return { level: 2, because: 'TERM' };
  const named = (['TERM', 'COLORTERM', 'TERM_PROGRAM'] as const).find((name) => env[name]);
  return named ? { level: 1, because: named } : { level: 0, because: 'no TERM' };
}

function forcedLevel(value: string): ColorLevel {
  if (value === '0' || value === 'false') return 0;
  if (value === '2') return 2;
  return value === '3' ? 3 : 1;
}

/** Returns whether the locale is UTF-8 (POSIX order of the variables), or the terminal always uses it. */
export function takesUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return /utf-?8/i.test(locale) || env.WT_SESSION !== undefined || env.TERM_PROGRAM === 'vscode';
}

const withoutColour: Paint = { tone: (_tone, text) => text, heading: (text) => text };

const loaded = new Map<ColorLevel, Paint>([[0, withoutColour]]);

/** Returns the colours of a level; loads the colour library unless the level is 0. */
export async function loadPaint(level: ColorLevel): Promise<Paint> {
  const known = loaded.get(level);
  if (known) return known;
  const { Chalk } = await import('chalk');
  const paint = paintWith(new Chalk({ level }));
  loaded.set(level, paint);
  return paint;
}

/** Returns the colours of a level synchronously: none unless `loadPaint` was awaited for it. */
export function paintIfLoaded(level: ColorLevel): Paint {
  return loaded.get(level) ?? withoutColour;
}

function paintWith(chalk: ChalkInstance): Paint {
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: chalk.green,
    warning: chalk.yellow,
    bad: chalk.red,
    quiet: chalk.dim,
  };
  return {
    tone: (tone, text) => (tone === undefined || text === '' ? text : tones[tone](text)),
    heading: (text) => (text === '' ? text : chalk.bold(text)),
  };
}
