import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { Failure } from '../errors.ts';
import { flag, nameOf, option, phoneNumber, requiredOption, someText, text } from '../options.ts';
import { resolveDevice } from '../settings/device-names.ts';
import type { Fields } from '../terminal/fields.ts';
import { readStdin } from '../text-input.ts';

const fields: Fields = [
  { name: 'device_id', heading: 'device', kind: 'id' },
  { name: 'name' },
  { name: 'destinationNumber', heading: 'to', kind: 'phone' },
  { name: 'sendAsAudio', heading: 'as audio', kind: 'flag' },
  { name: 'aiGeneratesMessage', heading: 'written by AI', kind: 'flag' },
  { name: 'imageUrl', heading: 'image' },
  { name: 'imageMimeType', heading: 'image type' },
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
  async run({ api, io, settings, terminal }, { device, to, message, ...input }) {
    const deviceId = resolveDevice(settings.devices, api.baseUrl, device);
    const words = message === '-' ? (await readStdin(io, '--message')).replace(/\r?\n$/, '') : message;
    const sent = api.call('sendMessage', {
      body: {
        device_id: deviceId,
        destination_number: to,
        message: words,
        send_as_audio: input.sendAsAudio || undefined,
        ai_generates_message: input.aiGeneratesMessage || undefined,
        image_url: input.imageUrl,
        image_mime_type: input.imageMimeType,
      },
    });
    const { data } = await sent.catch(async (thrown: unknown) => {
      throw await withWayToConnect(api, deviceId, device, thrown);
    });
    terminal.done(`Accepted for +${to}. Whether it arrives, the API does not tell.`);
    return data;
  },
});

/** A device that isn't connected is by far the commonest reason for a refusal, so look, and say so. */
async function withWayToConnect(api: Api, id: string, typed: string, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Failure) || thrown.code !== 'BAD_REQUEST') return thrown;
  const status = await api.call('getDeviceStatus', { path: { id } }).catch(() => undefined);
  if (!status || (status.data.status === 'started' && status.data.connected === true)) return thrown;
  return new Failure('rejected', thrown.message, {
    ...thrown,
    hint: `The device is not connected. Pair it: botctl device connect "${typed}"`,
  });
}
