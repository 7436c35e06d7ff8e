import type { HelpPage, HelpPart } from './text.ts';

/** What the specification of the service leaves open, what botctl does about it, and how the sandbox decided. */
const openPoints: readonly { readonly point: string; readonly botctl: string; readonly sandbox: string }[] = [
  {
    point: 'names of filters and of the page parameters',
    botctl:
      "sends page, limit, name, paying, team_id, type, or what the profile says; checks every answer, and filters here, saying so, where the service didn't",
    sandbox: 'the same names; another one is BAD_REQUEST',
  },
  {
    point: 'page and limit where none is given',
    botctl: 'sends both, reads what came back',
    sandbox: '1 and 20',
  },
  {
    point: 'numeric status of UNAUTHORIZED, FORBIDDEN, INTERNAL_ERROR',
    botctl: 'goes by code, then by the status',
    sandbox: '401, 403, 500',
  },
  {
    point: 'which fields a create requires',
    botctl: 'sends what it was given',
    sandbox:
      'team: user and name, plan; bot: team and name; device: team, bot and name; document: all; send: device, number, and a message or ai_generates_message',
  },
  {
    point: 'defaults of a bot; whether its flags are shown',
    botctl: 'shows what comes',
    sandbox: 'role dynamic, temperature 1, empty texts; flags in the detail form',
  },
  {
    point: 'empty values',
    botctl: 'missing and null read alike',
    sandbox: 'absent, but for vector_id and details',
  },
  {
    point: 'parts of quotas in a PATCH',
    botctl: 'reads first, always sends all six',
    sandbox: 'missing ones stay; bots, documents and characters are enforced',
  },
  {
    point: 'order of lists; partial match',
    botctl: 'sorts only when asked',
    sandbox: 'by creation; any case',
  },
  {
    point: 'deleting the key in use, or a bot linked to devices',
    botctl: 'offers keys rotate; names the devices that the book knows',
    sandbox: 'BAD_REQUEST',
  },
  {
    point: 'when FORBIDDEN',
    botctl: "exit 6, with the service's words",
    sandbox: 'a blocked device, a banned team',
  },
  {
    point: 'rate limits',
    botctl: 'honours 429 and Retry-After on every call',
    sandbox: 'none',
  },
  {
    point: 'publishing a bot',
    botctl: 'never offers it; warns before a change that unpublishes',
    sandbox: 'sandbox publish, beside the API',
  },
  {
    point: 'listing, updating and deleting devices',
    botctl: 'the device book',
    sandbox: 'not served',
  },
  {
    point: 'connect when started, disconnect when stopped',
    botctl: 'reads the status first, joins a wait',
    sandbox: 'BAD_REQUEST',
  },
  {
    point: 'how long codes live; further states of a device',
    botctl: 'follows what comes, and shows any value',
    sandbox: '60 s for the first, 20 s for five more, then stopped with a reason',
  },
  {
    point: 'team settings, device type, key scope',
    botctl: 'shown as they come',
    sandbox: '{}, messaging_app, global',
  },
  {
    point: 'kinds of files; unit of their size',
    botctl: 'by content; bytes',
    sandbox: 'pdf, txt, docx, doc; bytes',
  },
];

/** `botctl help specification`. */
export const specificationPage: HelpPage = {
  title: 'What the specification withholds',
  parts: [
    'The specification of the service leaves things open. botctl takes what comes and checks it; the sandbox had to ' +
      'decide. If your service differs, botctl profiles set says how it calls its parameters, and botctl api reaches ' +
      'everything.',
    ...openPoints.map(
      ({ point, botctl, sandbox }): HelpPart => ({
        heading: `${point.charAt(0).toUpperCase()}${point.slice(1)}`,
        rows: [
          ['botctl', botctl],
          ['sandbox', sandbox],
        ],
      }),
    ),
  ],
};
