import type { HelpPage } from './text.ts';

/** `botctl help numbers`. */
export const numbersPage: HelpPage = {
  title: 'Phone numbers',
  parts: [
    'Phone numbers are taken as people write them, always with their country code: +55 (11) 99999-0000. Blanks, ' +
      'dots, hyphens and parentheses are dropped; seven to fifteen digits have to remain. A trunk zero in ' +
      'parentheses, +44 (0)20, is refused: whether to dial it depends on the caller. They are sent as each field ' +
      'wants them: + and digits for an administrator, digits alone for the destination of a message. They are ' +
      'shown as + and digits.',
    {
      shell: `
$ botctl send --device Reception --to "+44 (0)20 7946 0018" --message Hello
✗ --to must be written without the trunk zero "(0)": "+44 (0)20 7946 0018".
  See botctl send --help
$ echo $?
2
`,
    },
    'device connect --expect compares the number that was paired, digit by digit; exit code 13 says that it is ' +
      'another one. Brazilian mobile numbers got a ninth digit, and messaging apps go on showing older ones without ' +
      'it: both ways of writing one count as the same.',
  ],
};
