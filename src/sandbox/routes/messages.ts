import { isDatabaseError } from '../../database/error.ts';
import { type Handlers, Refusal } from '../service.ts';
import { deviceNotFound, findDevice } from './devices.ts';

/** The handler of outbound messages. */
export const messageHandlers: Handlers<'sendMessage'> = {
  async sendMessage(service, { body, requestId }) {
    const text = body.message?.trim() ? body.message : undefined;
    const byAi = body.ai_generates_message ?? false;
    if (text === undefined && !byAi) {
      throw new Refusal('BAD_REQUEST', 'A message needs text in message, or ai_generates_message.');
    }
    const device = await findDevice(service, body.device_id, service.clock.now());
    if (device.blocked) throw new Refusal('FORBIDDEN', 'The device is blocked by the messaging app.');
    const team = await service.store.db
      .selectFrom('teams')
      .select('banned')
      .where('id', '=', device.team_id)
      .executeTakeFirstOrThrow();
    if (team.banned) throw new Refusal('FORBIDDEN', 'The team of this device is banned.');
    if (device.status !== 'started' || !device.connected) {
      throw new Refusal('BAD_REQUEST', 'The device is not started and connected.');
    }
    const asAudio = body.send_as_audio ?? false;
    const taking = service.network.messages.add({
      device_id: device.id,
      destination_number: body.destination_number,
      message: text ?? null,
      send_as_audio: asAudio,
      ai_generates_message: byAi,
      image_url: body.image_url ?? null,
      image_mime_type: body.image_mime_type ?? null,
      request_id: requestId,
    });
    await taking.catch((error: unknown) => {
      throw isDatabaseError(error, 'foreignKey') ? deviceNotFound(device.id) : error;
    });
    return {
      data: {
        device_id: device.id,
        name: device.name,
        destinationNumber: body.destination_number,
        sendAsAudio: asAudio,
        aiGeneratesMessage: byAi,
        ...(body.image_url !== undefined && { imageUrl: body.image_url }),
        ...(body.image_mime_type !== undefined && { imageMimeType: body.image_mime_type }),
      },
    };
  },
};
