import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { argument, flag, manyOptions, option, path } from '../../cli/options.ts';
import type { RawAnswer } from '../../client/raw-request.ts';
import { isObject } from '../../lib/json-object.ts';
import { pair } from '../../lib/parse.ts';
import { noteDevice, noteSeenDevice } from '../../resources/devices/note-device.ts';
import { type Plan, planCall } from './plan.ts';
import { filledPath, method, methods, safeMethods } from './target.ts';

export const api = defineCommand({
  name: 'api',
  summary: 'Call any API endpoint',
  description:
    'Prints the response body as received, even for an error, and exits with the usual code. Secrets in the response ' +
    'are not masked. The access token is added, and is sent to the service in use only.\n\n' +
    '--set builds a JSON body: a.b=1 sets a member of an object, list[]=x appends to a list. A value that is valid ' +
    'JSON (true, 12, null, ["a"]) is sent as JSON, any other value as text. Use --set-string to send a number or a ' +
    'phone number as text.',
  arguments: {
    method: {
      ...argument(`method: ${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`, method),
      choices: methods,
    },
    path: argument('path, such as /api/openapi/v1/teams, or the full address', filledPath),
  },
  options: {
    query: manyOptions('--query <name=value>', 'query parameter', pair),
    set: manyOptions('--set <name=value>', 'member of the JSON body', pair),
    setString: manyOptions('--set-string <name=value>', 'member of the JSON body, always text', pair),
    setFile: manyOptions(
      '--set-file <name=file>',
      'member of the JSON body; its value is the text of a file',
      pair,
    ),
    body: option('--body <file>', 'file with the JSON body, sent unchanged; - for stdin', path),
    file: option('--file <file>', 'file to upload as a form; --set adds form fields', path),
    paginate: flag('--paginate', 'read all pages of a list, as one array (-o ndjson: a row per line)'),
    include: flag('--include', 'print status and headers before the body'),
    dryRun: flag('--dry-run', 'print the call as a curl command with $TOKEN, and send nothing'),
  },
  examples: [
    { line: 'botctl api GET /api/openapi/v1/teams --query page=1', does: 'Read a page of teams' },
    {
      line: 'botctl api GET /api/openapi/v1/bots --paginate -o ndjson',
      does: 'Print all bots, one per line',
    },
    {
      line: 'botctl api PATCH /api/openapi/v1/teams/ID --set paying=true --set quotas.bots=5',
      does: 'Change members of a team',
    },
    {
      line: 'botctl api POST /api/openapi/v1/bots --body bot.json --dry-run',
      does: 'Print the call as a curl command',
    },
  ],
  needs: 'api',
  effect: 'changes',
  readsOnly: ({ method: given, dryRun }) =>
    dryRun === true || (given !== undefined && safeMethods.has(given)),
  output: { kind: 'text' },

  prepare: planCall,

  // The API cannot restore a deleted object.
  async confirm(_session, { method: given, dryRun }, plan) {
    if (given !== 'DELETE' || dryRun) return undefined;
    const [path = ''] = plan.path.split('?');
    return { level: 'yes', statement: `This deletes ${path}.` };
  },

  async run(session, input, plan) {
    if (input.dryRun) return (await import('./curl.ts')).dryRun(session, plan);
    // The response is the result, with any content.
    session.revealResult();
    // If the device book can't be used, this fails before the call: the id of the new device would be lost.
    if (createsDevice(plan)) await session.devices.intents();
    if (input.paginate) return { rows: session.api.rows(plan.path) };
    const answer = await session.api.request(plan);
    await reportAnswer(session, plan, answer);
    const head = input.include ? headOf(answer) : undefined;
    return withFailure({ bytes: answer.bytes, head, failure: answer.failure }, answer.failure);
  },
});

function createsDevice({ method: verb, path: to }: Plan): boolean {
  return verb === 'POST' && /\/v1\/devices\/?(\?|$)/.test(to);
}

/** Reports what the body alone does not show, and adds the device that the body names or creates to the device book. */
async function reportAnswer(session: Session, plan: Plan, answer: RawAnswer): Promise<void> {
  const { terminal, io } = session;
  if (answer.settled) {
    terminal.note(`The first attempt succeeded but its response was lost; the retry got ${answer.status}.`);
  } else if (answer.bytes.length === 0 && answer.failure === undefined && io.stdout.isTTY) {
    terminal.note(`${answer.status}: the response has no body.`);
  }
  const { data } = answer;
  if (!isObject(data)) return;
  // The API can't list devices: an id that is not stored is lost.
  if (typeof data.device_id === 'string') await noteSeenDevice(session, { id: data.device_id });
  if (!createsDevice(plan) || typeof data.id !== 'string') return;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const { id, name, team_id: teamId, bot_id: botId } = data;
  await noteDevice(session, { id, name: text(name), teamId: text(teamId), botId: text(botId) });
}

function headOf({ status, headers }: RawAnswer): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\n`);
  return `HTTP/1.1 ${status}\n${lines.join('')}\n`;
}
