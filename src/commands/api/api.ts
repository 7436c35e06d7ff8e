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
  summary: 'Call any endpoint of the API, and print its answer as it comes',
  description:
    'The path is one of the API, such as /api/openapi/v1/teams, or a whole address of the same service. The ' +
    'token is added; it goes to no other origin.\n\n' +
    '--set builds a JSON body: a.b=1 goes into an object, list[]=x adds to a list; a value that is JSON (true, ' +
    '12, null, ["a"]) stands for itself, and anything else for that text. A number or a phone that has to stay ' +
    'text needs --set-string, and only --set-file reads a file.\n\n' +
    'A refusal prints its body too, and ends with the usual exit code. The body is not looked into: secrets ' +
    'that the service answers are shown.',
  arguments: {
    method: {
      ...argument(`method: ${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`, method),
      choices: methods,
    },
    path: argument('path of the endpoint, with every {id} filled in', filledPath),
  },
  options: {
    query: manyOptions('--query <name=value>', 'add to the query', pair),
    set: manyOptions('--set <name=value>', 'set a member of the JSON body', pair),
    setString: manyOptions('--set-string <name=value>', 'the same, always as text', pair),
    setFile: manyOptions('--set-file <name=file>', 'the same, the text of a file', pair),
    body: option('--body <file>', 'send this JSON as it is; - reads stdin', path),
    file: option('--file <file>', 'upload as a form; --set gives its other fields', path),
    paginate: flag('--paginate', 'read every page of a list, as one array or with -o ndjson row by row'),
    include: flag('--include', 'print status and headers before the body'),
    dryRun: flag('--dry-run', 'call nothing; print the call as a curl line with the token as $TOKEN'),
  },
  examples: [
    { line: 'botctl api GET /api/openapi/v1/teams --query page=1', does: 'Read a page of teams' },
    {
      line: 'botctl api GET /api/openapi/v1/bots --paginate -o ndjson',
      does: 'Every bot, one a line',
    },
    {
      line: 'botctl api PATCH /api/openapi/v1/teams/ID --set paying=true --set quotas.bots=5',
      does: 'Change members of a team',
    },
    {
      line: 'botctl api POST /api/openapi/v1/bots --body bot.json --dry-run',
      does: 'See the call as a curl line',
    },
  ],
  needs: 'api',
  effect: 'changes',
  readsOnly: ({ method: given, dryRun }) =>
    dryRun === true || (given !== undefined && safeMethods.has(given)),
  output: { kind: 'text' },

  prepare: planCall,

  // Nothing that the API has brings back what it deleted.
  async confirm(_session, { method: given, dryRun }, plan) {
    if (given !== 'DELETE' || dryRun) return undefined;
    const [path = ''] = plan.path.split('?');
    return { level: 'yes', statement: `This deletes what is at ${path}.` };
  },

  async run(session, input, plan) {
    if (input.dryRun) return (await import('./curl.ts')).dryRun(session, plan);
    // The service's answer is the result, whatever is in it.
    session.revealResult();
    // If the device book can't be used, this fails before the call: the id of the new device would be lost.
    if (createsDevice(plan)) await session.devices.intents();
    if (input.paginate) return { rows: session.api.rows(plan.path) };
    const answer = await session.api.request(plan);
    await tellBeside(session, plan, answer);
    const head = input.include ? headOf(answer) : undefined;
    return withFailure({ bytes: answer.bytes, head, failure: answer.failure }, answer.failure);
  },
});

function createsDevice({ method: verb, path: to }: Plan): boolean {
  return verb === 'POST' && /\/v1\/devices\/?(\?|$)/.test(to);
}

/** Tells a person what the body alone doesn't, and notes a device that it shows. */
async function tellBeside(session: Session, plan: Plan, answer: RawAnswer): Promise<void> {
  const { terminal, io } = session;
  if (answer.settled) {
    terminal.note(
      `The service refused the repeated call (${answer.status}): the call before it had done the work.`,
    );
  } else if (answer.bytes.length === 0 && answer.failure === undefined && io.stdout.isTTY) {
    terminal.note(`${answer.status}: the answer has no body.`);
  }
  const { data } = answer;
  if (!isObject(data)) return;
  // The API can't list devices: an id that nobody notes is lost.
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
