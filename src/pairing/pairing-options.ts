import { choice, flag, type Option, onOff, option, optionOrOff, path, withPhone } from '../cli/options.ts';
import { Failure } from '../lib/errors.ts';
import { duration } from '../lib/parse.ts';
import { codeStyles } from '../qr/styles.ts';
import type { Expected } from '../resources/devices/pairing/expected-number.ts';
import { PictureFile } from './code-outputs.ts';

/** A number, and the name of its owner in parentheses where that is given. */
const numberAndName = /^(.*)\(([^()]*\p{L}[^()]*)\)$/su;

const expected = withPhone<Expected>((toDigits) => (raw) => {
  const [, number = raw, name] = numberAndName.exec(raw.trim()) ?? [];
  const digits = toDigits(number);
  return { digits, shown: name === undefined ? `+${digits}` : `+${digits} (${name.trim()})` };
});

/** The options of every command that follows a pairing. */
export const pairingOptions = {
  expect: option(
    '--expect <number>',
    'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"',
    expected,
  ),
  qr: optionOrOff(
    '--qr <style>',
    'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines',
    'draw nothing: tell each change in a plain line',
    choice(...codeStyles),
  ),
  qrFile: option(
    '--qr-file <file>',
    'keep the picture of the current code in this file, readable only by you, while the command waits',
    path,
  ),
  qrWeb: flag(
    '--qr-web',
    'show the code on a web page that only this machine reaches, while the command waits',
  ),
  revealQr: flag('--reveal-qr', 'print the code itself, with which anybody can take the device over'),
} as const;

/** The values of these options. */
export type PairingInput = {
  readonly [K in keyof typeof pairingOptions]: (typeof pairingOptions)[K] extends Option<infer T> ? T : never;
};

/** Further rounds of codes that are asked for without a person. */
export const defaultRounds = 3;

/**
 * The options of a command that starts a device and may wait for the pairing.
 * @param off what the command does with `--no-wait`
 */
export function waitingOptions(off: string): {
  readonly wait: Option<boolean | undefined>;
  readonly timeout: Option<number | undefined>;
} {
  return {
    wait: onOff('--wait', 'wait until the device is paired', off),
    timeout: option('--timeout <duration>', 'give up waiting after this long (15m)', duration),
  };
}

/** The options that only a pairing that is followed has a use for. */
export const followingOptions = ['expect', 'qr', 'qrWeb'] as const;

type PartnerOption = keyof PairingInput | 'timeout' | 'until';

/**
 * Refuses options that make no sense without another one.
 * @param partner the option that they go with: `--wait`
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
  throw new Failure('usage', `${typed} goes with ${partner}.`, {
    hint: `Add ${partner}, or leave it out.`,
  });
}

/**
 * Returns the file that was named to hold the picture, or undefined if none was.
 * @throws Failure `usage` if no file can be there
 */
export function pictureFileFor({ qrFile }: Pick<PairingInput, 'qrFile'>): PictureFile | undefined {
  return qrFile === undefined ? undefined : new PictureFile(qrFile);
}
