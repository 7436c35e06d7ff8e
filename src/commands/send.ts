import { defineCommand } from '../cli/command.ts';
import type { Session } from '../cli/context.ts';
import { apiSendOptions, messageText, sendOptions } from '../cli/message-options.ts';
import { nameOf, option, path, phone, positional, requiredOption } from '../cli/options.ts';
import { usageFailure } from '../lib/errors.ts';
import { text } from '../lib/parse.ts';
import { exactQuote } from '../lib/text/exact-quote.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Fields } from '../output/fields.ts';
import { deviceFor } from '../resources/devices/device.ts';
import { problemsOfWords, sendMessage, textHint } from '../resources/messages/send-message.ts';

/** The only response of the API with camelCase names (specification, Devices). JSON output keeps them. */
const fields: Fields = [
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'name' },
  { name: 'destinationNumber', heading: 'To', kind: 'phone' },
  { name: 'sendAsAudio', heading: 'As audio', kind: 'flag' },
  { name: 'aiGeneratesMessage', heading: 'Written by AI', kind: 'flag' },
  { name: 'imageUrl', heading: 'Image', detail: true },
  { name: 'imageMimeType', heading: 'Image type', detail: true },
];

/** Matches a text that is probably a second phone number. */
const phoneNumber = /^\+\d[\d ().-]{5,20}\d$/;

export const send = defineCommand({
  name: 'send',
  summary: 'Send a message through a device',
  description:
    'Give the device, the number and the text in this order, or each with its option. The device must be connected. The ' +
    'API reports that a message was accepted, not whether it was delivered. A text such as @file is sent as it is; use ' +
    '--message-file to send the text of a file. Put -- before a text that begins with a dash.',
  options: {
    device: positional(
      requiredOption('--device <device>', 'device to send through, by name or id', nameOf('device')),
    ),
    to: positional(requiredOption('--to <number>', 'phone number with country code', phone)),
    message: positional(option('--message <text>', 'text of the message', text)),
    messageFile: option('--message-file <file>', 'file with the text of the message; - reads stdin', path),
    ...sendOptions,
  },
  examples: [
    {
      line: 'botctl send Reception "+55 11 98888-7777" "Your order is ready."',
      does: 'Send a text',
    },
    {
      line: 'echo "Hello" | botctl send Reception +5511988887777 --message-file -',
      does: 'Send the output of another command',
    },
  ],
  needs: 'api',
  effect: 'sends',
  output: { kind: 'record', fields },
  checkInput(input) {
    const problems = problemsOfWords(input).filter((problem) => problem !== false);
    if (problems.length > 0) throw usageFailure(problems);
  },
  async prepare(session, { device: typed, aiGeneratesMessage, imageUrl, ...given }) {
    const device = await deviceFor(session, typed);
    const hasContent = aiGeneratesMessage || imageUrl !== undefined;
    const text = await messageText(session, given);
    const read = text === undefined && !hasContent ? await askForMessage(session) : text;
    const words = read?.trim() ? read : undefined;
    if (words === undefined && !hasContent) {
      throw usageFailure(['The message is empty.'], textHint);
    }
    return { device, words };
  },
  idOf: ({ device }) => device.id,
  async confirm(session, { to, imageUrl, aiGeneratesMessage }, { device, words = '' }) {
    const { openOptOuts } = await import('../campaigns/open-store.ts');
    const optOuts = await openOptOuts(session);
    const { assistant } = session.io;
    const image = imageUrl === undefined ? '' : ` with the image ${imageUrl}`;
    const what = aiGeneratesMessage ? ' a message that AI writes from' : '';
    const statements = [
      assistant &&
        `This sends to +${to} through ${inSentence(device.label)}${image}${what}: ${exactQuote(words)}.`,
      (await optOuts.find(to)) !== undefined && `+${to} has opted out.`,
      phoneNumber.test(words.trim()) &&
        `The text is a phone number, ${words.trim()}. To write to several numbers, create a campaign.`,
    ].filter((statement) => statement !== undefined && statement !== false);
    if (statements.length === 0) return undefined;
    const question = assistant && statements.length === 1 ? 'Send it?' : 'Send anyway?';
    return { level: 'yes', statement: statements.join(' '), question };
  },
  async run(session, { to, ...input }, { device, words }) {
    const message = {
      device_id: device.id,
      destination_number: to,
      message: words,
      ...apiSendOptions(input),
    };
    const sent = await sendMessage(session, message, device);
    session.terminal.done(`Accepted for +${to}. The API does not report delivery.`);
    return sent;
  },
});

/** Asks for the text of the message. Returns undefined in a script. */
async function askForMessage({ prompts }: Session): Promise<string | undefined> {
  if (!prompts.available) return undefined;
  const validate = (answer: string): string | true => answer.trim() !== '' || 'This must not be empty.';
  return prompts.text({ message: 'Message:', option: '--message', validate });
}
