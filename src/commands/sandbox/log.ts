import { defineCommand } from '../../cli/command.ts';
import type { Tone } from '../../terminal/colour.ts';
import { feedCommand, feedOptions, feedRows } from './feed-rows.ts';
import { runningSandbox } from './running.ts';

const toneOf = (status: unknown): Tone | undefined => {
  if (typeof status !== 'number' || status < 400) return undefined;
  return status < 500 ? 'warning' : 'bad';
};

export const log = defineCommand({
  ...feedCommand,
  name: 'log',
  summary: 'Show the requests that the running sandbox met',
  description:
    'A row is written before its answer goes out, so that one whose answer was lost is there too; a row without ' +
    'status had no answer. request_id is also the header x-request-id of the answer. Secrets are masked. The log ' +
    'is kept beside the data, 64 MiB of it at most. Times are those of the ' +
    "sandbox's clock. A pipe gets what --follow shows as NDJSON.",
  options: feedOptions,
  examples: [
    { line: 'botctl sandbox log --limit 10', does: 'See what became of the newest calls' },
    { line: 'botctl sandbox log --follow', does: 'Watch the requests as they come' },
    {
      line: 'botctl sandbox log --since 5m --fields method,path,status,fault',
      does: 'See which fault met what in the last minutes',
    },
    { line: 'botctl sandbox log -o ndjson', does: 'Give all of it to a script' },
  ],
  output: {
    kind: 'list',
    fields: [
      // Cut it would tell nothing: rows differ by its end.
      { name: 'time', kind: 'id', usual: 24, importance: 9 },
      { name: 'operation', usual: 16, importance: 8 },
      { name: 'method', usual: 6, importance: 3 },
      // Of a call that the API has, the operation tells what its beginning would.
      { name: 'path', keepsEnd: true, importance: 7 },
      { name: 'status', kind: 'id', usual: 6, importance: 9, tone: toneOf },
      { name: 'duration_ms', heading: 'Took (ms)', kind: 'number', importance: 6 },
      { name: 'fault', usual: 20, importance: 5 },
      { name: 'request_id', heading: 'Request', kind: 'id', usual: 12, importance: 5 },
      { name: 'key_id', heading: 'Key', kind: 'id', usual: 28, importance: 4 },
      { name: 'request_bytes', heading: 'Sent', kind: 'bytes', importance: 1 },
      { name: 'response_bytes', heading: 'Answered', kind: 'bytes', importance: 1 },
    ],
    empty: { none: 'The sandbox has met no request yet.', noMatch: 'No request matches.' },
  },
  async run(context, input) {
    const control = await runningSandbox(context, input.data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    return feedRows(context, ['log'], input, (request) => callControl(control, '/log', request));
  },
});
