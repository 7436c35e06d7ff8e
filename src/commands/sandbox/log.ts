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
  summary: 'Show the request log of the sandbox',
  description:
    'A request is logged before its response is sent, so lost responses are listed too. A row without a status had no ' +
    'response. request_id is the x-request-id header of the response. Secrets are masked. The log is kept in the data ' +
    "directory, at most 64 MiB. Times are those of the sandbox's clock.",
  options: feedOptions,
  examples: [
    { line: 'botctl sandbox log --limit 10', does: 'Show the newest requests' },
    { line: 'botctl sandbox log --follow', does: 'Watch the requests' },
    {
      line: 'botctl sandbox log --since 5m --fields method,path,status,fault',
      does: 'Show which faults applied in the last five minutes',
    },
    { line: 'botctl sandbox log -o ndjson', does: 'Print the whole log for a script' },
  ],
  output: {
    kind: 'list',
    fields: [
      // Not cut, because rows differ at its end.
      { name: 'time', kind: 'id', usualWidth: 24, importance: 9 },
      { name: 'operation', usualWidth: 16, importance: 8 },
      { name: 'method', usualWidth: 6, importance: 3 },
      // For an API call, the operation already shows the start of the path.
      { name: 'path', keepsEnd: true, importance: 7 },
      { name: 'status', kind: 'id', usualWidth: 6, importance: 9, tone: toneOf },
      { name: 'duration_ms', heading: 'Took (ms)', kind: 'number', importance: 6 },
      { name: 'fault', usualWidth: 20, importance: 5 },
      { name: 'request_id', heading: 'Request', kind: 'id', usualWidth: 12, importance: 5 },
      { name: 'key_id', heading: 'Key', kind: 'id', usualWidth: 28, importance: 4 },
      { name: 'request_bytes', heading: 'Sent', kind: 'bytes', importance: 1 },
      { name: 'response_bytes', heading: 'Answered', kind: 'bytes', importance: 1 },
    ],
    empty: { none: 'No requests yet.', noMatch: 'No matching request.' },
  },
  async run(context, input) {
    const control = await runningSandbox(context, input.data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    return feedRows(context, ['log'], input, (request) => callControl(control, '/log', request));
  },
});
