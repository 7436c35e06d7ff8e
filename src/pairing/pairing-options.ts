import { choice, flag, type Option, onOff, option, optionOrOff, path, withPhone } from '../cli/options.ts';
import { Failure } from '../lib/errors.ts';
import { duration } from '../lib/parse.ts';
import { codeStyles } from '../qr/styles.ts';
import type { ExpectedNumber } from '../resources/devices/pairing/expected-number.ts';
import { PictureFile } from './code-outputs.ts';

/** A number, with the name of its owner in parentheses if given. */
const numberAndName = /^(.*)\(([^()]*\p{L}[^()]*)\)$/su;

const expected = withPhone<ExpectedNumber>((toDigits) => (raw) => {
  const [, number = raw, name] = numberAndName.exec(raw.trim()) ?? [];
  const digits = toDigits(number);
  return { digits, shown: name === undefined ? `+${digits}` : `+${digits} (${name.trim()})` };
});

/** The options of every command that follows a pairing. */
export const pairingOptions = {
  expect: option(
    '--expect <number>',
    'expected phone number, with an optional name: "+55 … (Store manager)"; exit code 13 if another number is paired',
    expected,
  ),
  qr: optionOrOff(
    '--qr <style>',
    'style of the code (default: auto); sextant is the smallest, for newer terminals that leave no gaps between lines',
    'do not draw the code; print each change as a line',
    choice(...codeStyles),
  ),
  qrFile: option(
    '--qr-file <file>',
    'save a picture of the code to this file, which only you can read; it is deleted at the end',
    path,
  ),
  qrWeb: flag(
    '--qr-web',
    'show the code on a web page that only this machine can open, while the command waits',
  ),
  revealQr: flag('--reveal-qr', 'print the text of the code, with which anyone can take over the device'),
} as const;

/** The values of these options. */
export type PairingInput = {
  readonly [K in keyof typeof pairingOptions]: (typeof pairingOptions)[K] extends Option<infer T> ? T : never;
};

/** Rounds of new codes that are requested automatically. */
export const defaultRounds = 3;

/**
 * Returns the options of a command that starts a device and may wait for the pairing.
 * @param off the effect of `--no-wait`
 */
export function waitingOptions(off: string): {
  readonly wait: Option<boolean | undefined>;
  readonly timeout: Option<number | undefined>;
} {
  return {
    wait: onOff('--wait', 'wait until the device is paired', off),
    timeout: option('--timeout <duration>', 'maximum time to wait (default: 15m)', duration),
  };
}

/** The options that require following the pairing. */
export const followingOptions = ['expect', 'qr', 'qrWeb'] as const;

type PartnerOption = keyof PairingInput | 'timeout' | 'until';

/**
 * Refuses options that need another one.
 * @param partner the required option: `--wait`
 * @throws Failure `usage` that names the first one that was given
 */
export function refuseWithout(
  partner: string,
  input: Readonly<Partial<Record<PartnerOption, unknown>>>,
  options: readonly PartnerOption[],
): void {
  const lone = options.find((name) => input[name] !== undefined && (name === 'qr' || input[name] !== false));
  if (lone === undefined) return;
  const flag = lone.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const typed = input[lone] === false ? `--no-${flag}` : `--${flag}`;
  throw new Failure('usage', `${typed} needs ${partner}.`, {
    hint: `Add ${partner}, or leave out ${typed}.`,
  });
}

/**
 * Returns the file that the user named for the picture, or undefined if none.
 * @throws Failure `usage` if there can't be a file
 */
export function pictureFileFor({ qrFile }: Pick<PairingInput, 'qrFile'>): PictureFile | undefined {
  return qrFile === undefined ? undefined : new PictureFile(qrFile);
}
