import { choice, flag, optionOr } from '../../cli/options.ts';

/** How the characters of files are counted, by every command that counts them. */
export const countOptions = {
  countMode: optionOr(
    '--count-mode <mode>',
    'collapsed counts a run of white space as one; raw each, as wc -m does',
    'collapsed',
    choice('collapsed', 'raw'),
  ),
  passwordStdin: flag('--password-stdin', 'read the password of encrypted PDF files from stdin'),
};
