import { globalOptions } from '../global-options.ts';
import type { HelpPage } from './text.ts';

/** `botctl help options`. */
export const optionsPage: HelpPage = {
  title: 'Options that every command takes, before or after its name',
  parts: [
    {
      rows: globalOptions.map(({ flags, summary, choices }) => [
        // Short ones stand before their long form; the others line up with that.
        flags.startsWith('--') ? `    ${flags}` : flags,
        choices ? `${summary}: ${choices.join(', ')}` : summary,
      ]),
    },
    {
      rows: [
        ['-h, --help', 'show help, of a command where one is named'],
        ['-v, --version', 'print the version'],
      ],
    },
    '--yes answers y/N questions only. What asks for a name is answered by --confirm NAME, and what a protected ' +
      'profile asks by --confirm-profile NAME. Off a terminal a question that has no answer fails with exit 2.',
    'Formats and fields: botctl help output. Variables for some of these: botctl help environment.',
  ],
};
