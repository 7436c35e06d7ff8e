import type { SendOptions } from '../campaigns/campaign.ts';
import { suspiciousTexts } from '../lib/files/suspicious-text.ts';
import { readFileOption } from '../lib/files/text-input.ts';
import { imageType, webAddress } from '../lib/parse.ts';
import { confirmSuspiciousTexts } from './confirm.ts';
import type { Session } from './context.ts';
import { flag, onOff, option } from './options.ts';

/** The options of a message beside its text. */
export const sendOptions = {
  sendAsAudio: onOff('--send-as-audio', 'send the text as audio', 'send a text message'),
  aiGeneratesMessage: flag('--ai-generates-message', 'let the AI of the service write a personal message'),
  imageUrl: option('--image-url <url>', 'address of an image to send', webAddress),
  imageMimeType: option('--image-mime-type <type>', 'type of the image, such as image/jpeg', imageType),
};

/** Returns the values of `sendOptions` by the API's names. */
export function apiSendOptions(input: {
  readonly sendAsAudio: boolean | undefined;
  readonly aiGeneratesMessage: boolean;
  readonly imageUrl: string | undefined;
  readonly imageMimeType: string | undefined;
}): SendOptions {
  return {
    send_as_audio: input.sendAsAudio,
    ai_generates_message: input.aiGeneratesMessage || undefined,
    image_url: input.imageUrl,
    image_mime_type: input.imageMimeType,
  };
}

/**
 * Returns the text of --message or --message-file, or undefined if neither is given. A --message that looks like the
 * name of a file is confirmed first.
 * @throws Failure as `confirmSuspiciousTexts` and `readFileOption`
 */
export async function messageText(
  session: Session,
  {
    message,
    messageFile,
  }: { readonly message: string | undefined; readonly messageFile: string | undefined },
): Promise<string | undefined> {
  await confirmSuspiciousTexts(session, suspiciousTexts('--message', message, '--message-file'));
  if (messageFile === undefined) return message;
  return (await readFileOption(session.io, messageFile, '--message-file')).replace(/\r?\n$/, '');
}
