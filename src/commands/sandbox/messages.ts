import { defineCommand } from '../../cli/command.ts';
import { nameOf, option, phone } from '../../cli/options.ts';
import { feedCommand, feedOptions, feedRows } from './feed-rows.ts';
import { runningSandbox } from './running.ts';

export const messages = defineCommand({
  ...feedCommand,
  name: 'messages',
  summary: 'Show the messages sent through the sandbox',
  description:
    'Lists each message that the sandbox accepted, also if the response was lost. request_id is that of "sandbox log". ' +
    'A message is deleted with its device, and when the sandbox is reset. Times are those of the ' +
    "sandbox's clock.",
  options: {
    device: option('--device <device>', 'id or exact name of the device', nameOf('device')),
    to: option('--to <number>', 'recipient, with country code', phone),
    ...feedOptions,
  },
  examples: [
    { line: 'botctl sandbox messages --device Reception', does: 'Show the messages of a device' },
    {
      line: 'botctl sandbox messages --to "+55 11 98888-7777" --since 5m',
      does: 'Show recent messages to a number',
    },
    { line: 'botctl sandbox messages --follow', does: 'Watch the messages' },
  ],
  output: {
    kind: 'list',
    fields: [
      { name: 'time', kind: 'id', usualWidth: 24, importance: 9 },
      { name: 'name', heading: 'Device', importance: 7 },
      { name: 'device_id', kind: 'id', namedBy: 'name' },
      { name: 'destination_number', heading: 'To', kind: 'phone', importance: 8 },
      { name: 'message', heading: 'Text', importance: 8 },
      { name: 'send_as_audio', heading: 'As audio', kind: 'flag', importance: 2 },
      { name: 'ai_generates_message', heading: 'By AI', kind: 'flag', importance: 2 },
      { name: 'image_url', heading: 'Image', importance: 1 },
      { name: 'image_mime_type', heading: 'Image type', importance: 1 },
      { name: 'request_id', heading: 'Request', kind: 'id', usualWidth: 12, importance: 5 },
      { name: 'id', kind: 'id', importance: 1 },
    ],
    empty: { none: 'No messages yet.', noMatch: 'No matching message.' },
  },
  async run(context, { device, to, ...input }) {
    const control = await runningSandbox(context, input.data);
    const { callControl } = await import('../../sandbox/control/client.ts');
    const words = ['messages', ...(device ? ['--device', device] : []), ...(to ? ['--to', `+${to}`] : [])];
    return feedRows(context, words, input, (request) =>
      callControl(control, '/messages', { ...request, device, to }),
    );
  },
});
