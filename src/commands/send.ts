import { defineCommand } from '../command.ts';
import type { Session } from '../context.ts';
import { Failure } from '../errors.ts';
import { flag, nameOf, option, phoneNumber, requiredOption, someText, text } from '../input/options.ts';
import { readStdin } from '../input/text-input.ts';
import { findDevice } from '../settings/device-names.ts';
import type { Fields } from '../terminal/fields.ts';
import { shellWord } from '../text/shell-word.ts';
import { noteSeenDevice } from './noted-devices.ts';

/** The one answer of the API with camelCase names (api.md, Devices); JSON keeps them. */
const fields: Fields = [
  { name: 'device_id', heading: 'Device', kind: 'id' },
  { name: 'name' },
  { name: 'destinationNumber', heading: 'To', kind: 'phone' },
  { name: 'sendAsAudio', heading: 'As audio', kind: 'flag' },
  { name: 'aiGeneratesMessage', heading: 'Written by AI', kind: 'flag' },
  { name: 'imageUrl', heading: 'Image', detail: true },
  { name: 'imageMimeType', heading: 'Image type', detail: true },
];

export const send = defineCommand({
  name: 'send',
  summary: 'Send a message through a paired device',
  description:
    'The device has to be started and connected. The service accepts a message; whether it is delivered, the API does not tell.',
  options: {
    device: requiredOption('--device <device>', 'device to send through, by name or id', nameOf('device')),
    to: requiredOption('--to <number>', 'phone number with its country code', phoneNumber),
    message: option('--message <text>', 'what to send; - reads stdin', text),
    sendAsAudio: flag('--send-as-audio', 'turn the text into audio first'),
    aiGeneratesMessage: flag('--ai-generates-message', 'let the AI write a personal message'),
    imageUrl: option('--image-url <url>', 'address of an image to send along', someText),
    imageMimeType: option('--image-mime-type <type>', 'type of the image, such as image/jpeg', someText),
  },
  examples: [
    {
      line: 'botctl send --device Reception --to "+55 11 98888-7777" --message "Your order is ready."',
      does: 'Send a text',
    },
    {
      line: 'echo "Hello" | botctl send --device Reception --to +5511988887777 --message -',
      does: 'Send what is piped in',
    },
  ],
  needs: 'session',
  effect: 'creates',
  guarded: true,
  output: { kind: 'record', fields },
  async prepare({ api, io, settings }, { device, message, aiGeneratesMessage, imageUrl }) {
    const { id } = findDevice(settings.devices, api.baseUrl, device, { for: 'write' });
    const read = message === '-' ? (await readStdin(io, '--message')).replace(/\r?\n$/, '') : message;
    const words = read?.trim() ? read : undefined;
    if (words === undefined && !aiGeneratesMessage && imageUrl === undefined) throw nothingToSend();
    return { id, words };
  },
  async run(session, { device, to, ...input }, { id, words }) {
    const { api, terminal } = session;
    const sent = api.call('sendMessage', {
      body: {
        device_id: id,
        destination_number: to,
        message: words,
        send_as_audio: input.sendAsAudio || undefined,
        ai_generates_message: input.aiGeneratesMessage || undefined,
        image_url: input.imageUrl,
        image_mime_type: input.imageMimeType,
      },
    });
    const { data } = await sent.catch(async (thrown: unknown) => {
      const hasText = words !== undefined || input.aiGeneratesMessage;
      throw await explained(session, { id, typed: device, hasText }, thrown);
    });
    await noteSeenDevice(session, { id, name: textOf(data.name) });
    await session.settings.devices.recordSending(api.baseUrl, id, undefined);
    terminal.done(`Accepted for +${to}. Whether it arrives, the API does not tell.`);
    return data;
  },
});

const waysToText = 'Give --message TEXT, or let the AI write it with --ai-generates-message.';

function nothingToSend(): Failure {
  return new Failure('usage', 'There is no message to send.', { hint: waysToText });
}

/** What was asked for, as far as it explains a refusal. */
interface Attempt {
  readonly id: string;
  /** The device as it was typed. */
  readonly typed: string;
  readonly hasText: boolean;
}

/** A device that isn't connected is by far the commonest reason for a refusal, so look, and say so. */
async function explained(
  session: Session,
  { id, typed, hasText }: Attempt,
  thrown: unknown,
): Promise<unknown> {
  if (!(thrown instanceof Failure)) return thrown;
  const { api, signal } = session;
  if (thrown.code === 'FORBIDDEN') return forbidden(session, { id, typed }, thrown);
  if (thrown.code !== 'BAD_REQUEST') return thrown;
  const status = await api.call('getDeviceStatus', { path: { id }, signal }).catch(() => undefined);
  if (status) await noteSeenDevice(session, { id });
  const isReady = !status || (status.data.status === 'started' && status.data.connected === true);
  if (isReady && hasText) return thrown;
  const pair = `The device is not connected. Pair it: botctl device connect ${shellWord(typed)}`;
  return new Failure('rejected', thrown.message, { ...thrown, hint: isReady ? waysToText : pair });
}

/** No status read tells that a device is blocked, so the device book keeps it. */
async function forbidden(
  { api, settings, clock }: Session,
  { id, typed }: Pick<Attempt, 'id' | 'typed'>,
  thrown: Failure,
): Promise<Failure> {
  const at = new Date(clock.now()).toISOString();
  await settings.devices.recordSending(api.baseUrl, id, at);
  const hint = `The device or its team may be blocked; see where it stands: botctl device status ${shellWord(typed)}`;
  return new Failure('rejected', thrown.message, { ...thrown, hint: thrown.hint ?? hint });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
