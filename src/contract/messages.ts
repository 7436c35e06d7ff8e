import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { resource, uuid } from './schema.ts';

/** The response to a send: camelCase names, except `device_id` (specification, Devices). */
export const sentMessage = resource('device_id', {
  device_id: uuid,
  name: z.string(),
  destinationNumber: z.string(),
  sendAsAudio: z.boolean(),
  aiGeneratesMessage: z.boolean(),
  imageUrl: z.optional(z.string()),
  imageMimeType: z.optional(z.string()),
});

export const sendMessage = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/send',
  summary: 'Send a message through a device that is started and connected',
  body: z.strictObject({
    device_id: uuid,
    message: z.optional(z.string()),
    /** International format, digits only. */
    destination_number: z.string().check(z.regex(/^[1-9]\d{6,14}$/)),
    send_as_audio: z.optional(z.boolean()),
    ai_generates_message: z.optional(z.boolean()),
    image_url: z.optional(z.url({ protocol: /^https?$/ })),
    image_mime_type: z.optional(z.string()),
  }),
  data: sentMessage,
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
