import { Failure } from '../../../errors.ts';
import { choice, flag, option, optionOrOff, path, phoneNumber } from '../../../input/options.ts';
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
    'how to draw the code (auto)',
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

/** What of them makes no sense for a command that doesn't wait; undefined where nothing does. */
export function onlyWhileWaiting(input: PairingInput): string | undefined {
  const { expect, bell, qr, qrInvert, qrWeb } = input;
  if (expect !== undefined) return '--expect';
  if (bell) return '--bell';
  if (qr !== undefined) return qr === false ? '--no-qr' : '--qr';
  if (qrInvert) return '--qr-invert';
  return qrWeb ? '--qr-web' : undefined;
}

/**
 * Refuses an option that goes with another one only.
 * @param lone the option
 * @param partner the one that it goes with: `--wait`
 */
export function loneOption(lone: string, partner: string): Failure {
  return new Failure('usage', `${lone} goes with ${partner}.`, {
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
