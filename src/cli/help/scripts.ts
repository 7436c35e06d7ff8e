import type { HelpPage } from './text.ts';

/** `botctl help scripts`. */
export const scriptsPage: HelpPage = {
  title: 'Scripts and CI jobs',
  parts: [
    'BOTCTL_BASE_URL, BOTCTL_KEY_ID and BOTCTL_KEY_SECRET_FILE say who calls; there is nothing to log in to. Nothing ' +
      'is written to disk but a cache (the token, compiled code) and the device book, and both only if there is a ' +
      'place for them. A fresh machine has an empty device book: name a device by its id there. A job needs no ' +
      'sandbox: install with npm install --omit=optional.',
    'No question is asked if stdin or stderr is no terminal, if CI is set, or with --no-input. The command fails with ' +
      'exit code 2 instead, and names the option that answers: --yes for y/N, --confirm NAME for a name.',
    'Lists show 50 rows unless --all or --limit N is given; a line on stderr says if rows were left out.',
    '429 and failures of the network are repeated by themselves (--retries, 3), with the pauses that the service asks ' +
      'for; --max-rps 5 stays below a limit. What creates or sends is repeated only if it provably never reached the ' +
      'service. Otherwise the exit code is 12, outcome unknown, and the error says what to check.',
    'Secrets are masked on every stream, --debug included. botctl token prints a valid access token for other tools. ' +
      'With -o json a failure ends stderr with one line of JSON:',
    {
      // Raw: JSON has backslashes.
      shell: String.raw`
$ botctl bots get "Back office" -o json
{"error":{"code":"NOT_FOUND","message":"There is no bot named \"Back office\".","hint":"See what there is: botctl bots list","next":[["botctl","bots","list"]],"status":null,"exit":5}}
$ echo $?
5
`,
    },
    'Anything that the API has and botctl has no command for is a call of botctl api away; --dry-run shows it as curl:',
    {
      shell: `
$ botctl api GET /api/openapi/v1/teams --query page=1 --query limit=1 --dry-run
The token for it: TOKEN=$(botctl token)
curl -sS -H "Authorization: Bearer $TOKEN" 'https://api.example.com/api/openapi/v1/teams?page=1&limit=1'
`,
    },
    'A document cannot be replaced or deleted through the API: what changed has to be a file of another name. Pairing ' +
      'in a script: botctl help pairing. Exit codes: botctl help exit-codes.',
  ],
};
