import type { HelpPage } from './text.ts';

/** `botctl help names`. */
export const namesPage: HelpPage = {
  title: 'Names and ids',
  parts: [
    'Wherever an id goes, an exact name goes, to read and to change alike: letter for letter, case and accents ' +
      'included. A word in the form of an id is always an id. --team says in which team a bot or a document is ' +
      'looked for. Teams, bots and documents are looked up at the service, devices in the device book, since the ' +
      'API cannot list devices.',
    'If nothing has the name, a terminal offers what is near it (Do you mean Front desk? (Y/n)), or a list to choose ' +
      'from. A script gets exit code 5 with the candidates, and 2 if several have the very name.',
    {
      shell: `
$ botctl bots get "Front dest" --no-input
✗ There is no bot named "Front dest".
  This takes an id or the exact name. Did you mean one of these?
    583e3540-048f-4e1f-840a-051e81785691  Front desk  (in team Aurora Coffee)
    4359dc89-aa88-4ac7-9caf-5f5cf8706fa2  Front desk  (in team Harbour Books)
$ echo $?
5
`,
    },
    'A slip in a command, an option or a field gets a suggestion.',
    {
      shell: `
$ botctl bots lst
✗ Unknown command 'lst'.
  Did you mean botctl bots list? See botctl bots --help
$ echo $?
2
`,
    },
    'In a list, --where name=desk takes a text letter for letter, and name~desk a part of it, whatever its case and ' +
      'accents; --name of a list is what the service searches by. See botctl help output.',
  ],
};
