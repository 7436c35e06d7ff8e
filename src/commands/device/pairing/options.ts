import { Failure } from '../../../errors.ts';
import {
  choice,
  duration,
  flag,
  type Option,
  onOff,
  option,
  optionOrOff,
  path,
  phoneNumber,
} from '../../../input/options.ts';
import type { FollowOptions } from './follow.ts';
import { PictureFile } from './picture-file.ts';
import { type CodeStyle, codeStyles } from './view.ts';

/** The options of every command that follows a pairing. */
export const pairingOptions = {
  expect: option(
    '--expect <number>',
    'fail unless this phone number is the one that was paired',
    phoneNumber,
  ),
  bell: flag('--bell', 'ring the bell of the terminal when a phone has scanned, and at the end'),
  qr: optionOrOff(
    '--qr <style>',
    'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines',
    'draw nothing: tell each change in a plain line',
    choice(...codeStyles),
  ),
  qrInvert: flag('--qr-invert', 'exchange black and white, for a light background without colours'),
  qrFile: option(
    '--qr-file <file>',
    'keep the picture of the current code in this file, readable only by you, while the command waits',
    path,
  ),
  qrWeb: flag(
    '--qr-web',
    'show the code on a web page that only this machine reaches, while the command waits',
  ),
  revealQr: flag('--reveal-qr', 'print the code itself, which lets whoever has it take the device over'),
} as const;

/** What these options were given. */
export interface PairingInput {
  readonly expect: string | undefined;
  readonly bell: boolean;
  readonly qr: CodeStyle | false | undefined;
  readonly qrInvert: boolean;
  readonly qrFile: string | undefined;
  readonly qrWeb: boolean;
  readonly revealQr: boolean;
}

/** Longer than all codes live, of a connection and of three further ones. */
export const defaultTimeout = 15 * 60_000;

/** How many further rounds of codes are asked for by themselves. */
export const defaultRounds = 3;

/** Milliseconds that the service may take to show that a device has started. */
export const startPatience = 10_000;

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

/** How the options are typed that make no sense for every command. */
const flags = {
  timeout: '--timeout',
  rounds: '--rounds',
  until: '--until',
  expect: '--expect',
  bell: '--bell',
  qr: '--qr',
  qrInvert: '--qr-invert',
  qrFile: '--qr-file',
  qrWeb: '--qr-web',
  revealQr: '--reveal-qr',
} as const;

type PartnerOption = keyof typeof flags;

/** The options that only a pairing has a use for that is followed. */
export const followingOptions = ['expect', 'bell', 'qr', 'qrInvert', 'qrWeb'] as const;

/**
 * Refuses options that make no sense without another one.
 * @param partner the one that they go with: `--wait`
 * @throws Failure `usage` that names the first one that was given
 */
export function refuseWithout(
  partner: string,
  input: Readonly<Partial<Record<PartnerOption, unknown>>>,
  options: readonly PartnerOption[],
): void {
  const lone = options.find((name) => input[name] !== undefined && (name === 'qr' || input[name] !== false));
  if (lone === undefined) return;
  const typed = input[lone] === false ? `--no-${lone}` : flags[lone];
  throw new Failure('usage', `${typed} goes with ${partner}.`, {
    hint: `Add ${partner}, or leave it out.`,
  });
}

/** The part of how a pairing is followed that these options decide. */
export function followingBy(
  input: PairingInput,
): Pick<FollowOptions, 'expect' | 'bell' | 'noQr' | 'wish' | 'web' | 'revealQr'> {
  const { expect, bell, qr = 'auto', qrInvert, qrWeb, revealQr } = input;
  const wish = { style: qr === false ? 'auto' : qr, invert: qrInvert };
  return { expect, bell, noQr: qr === false, wish, web: qrWeb, revealQr };
}

/**
 * The file that was named to hold the picture.
 * @throws Failure `usage` where no file can be there
 */
export function pictureFileFor({ qrFile }: Pick<PairingInput, 'qrFile'>): PictureFile | undefined {
  return qrFile === undefined ? undefined : new PictureFile(qrFile);
}
