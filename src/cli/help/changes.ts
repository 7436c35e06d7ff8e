import type { HelpPage } from './text.ts';

/** `botctl help changes`. */
export const changesPage: HelpPage = {
  title: 'Changes, and what is asked before them',
  parts: [
    'A change is compared with what the service shows, and only what differs is sent: nothing at all if nothing ' +
      'does. A bot is best kept in a file: bots get --editable writes one of what there is, bots edit opens it in ' +
      'your editor, bots diff shows what it would change (exit code 11 if anything), bots update --file makes it so.',
    'Questions, actions and documents of a bot are replaced as a whole by bots update; these change one of them. ' +
      'Quotas of a team can be counted up and down.',
    {
      shell: `
$ botctl bots questions add "Front desk" --team "Aurora Coffee" --question "Is there wifi?" --answer "Yes, for guests."
✓ Added question "Is there wifi?" of bot Front desk. It is not published.
NUMBER  QUESTION           ANSWER
     1  When do you open?  Every day from seven to six.
     2  Is there wifi?     Yes, for guests.
$ botctl teams update "Aurora Coffee" --quota bots=+5 --fields name,quotas.bots
✓ Changed quotas of team Aurora Coffee.
Name    Aurora Coffee

Quotas
  Bots  15
`,
    },
    'A published bot that is changed is not published any more until that is done in the platform: the API cannot ' +
      'publish. botctl warns before such a change.',
    {
      heading: 'Before something happens',
      rows: [
        ['a read, a create', 'nothing is asked'],
        ['a change that hurts', 'asks y/N, and No is the default; --yes answers it'],
        ['what cannot be undone', 'asks you to type the name; --confirm NAME answers it, --yes does not'],
        ['a protected profile', 'asks for its own name; --confirm-profile NAME answers it'],
      ],
    },
    'Off a terminal nothing is asked: a question without an answer ends with exit code 2. No terminal never means yes.',
    'Verbs that the API lacks answer why, and what to do instead:',
    {
      shell: `
$ botctl teams delete "Aurora Coffee"
✗ The API has no way to delete a team.
  Ban it instead: botctl teams update <team> --ban
$ echo $?
2
`,
    },
  ],
};
