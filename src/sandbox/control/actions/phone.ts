import { scanPicture, scanScreen } from '../../phone/phone.ts';
import { type Actions, parseJson } from '../action.ts';
import { oneNamed } from '../named.ts';
import { ControlProblem } from '../problem.ts';
import { phoneRequest, pictureType } from '../protocol.ts';

/** The simulated phone: what is held before it, and what a person does with it. */
export const phoneActions: Actions<'/scan' | '/phone'> = {
  async '/scan'({ service }, { body, type, query }) {
    const phoneNumber = query.get('number') ?? undefined;
    const stalls = query.has('stall');
    if (phoneNumber !== undefined && !/^\+[1-9]\d{6,14}$/.test(phoneNumber)) {
      throw new ControlProblem(400, 'The number of the phone must be a plus and digits.');
    }
    const device = type.startsWith(pictureType)
      ? await scanPicture(service.network, body, { phoneNumber, stalls })
      : await scanScreen(service.network, body.toString('utf8'), { phoneNumber, stalls });
    return { device_id: device.id, name: device.name, phone_number: device.phone_number ?? '' };
  },

  async '/phone'({ service }, { body }) {
    const { action, device: named } = parseJson(phoneRequest, body);
    const { device, changed } = await service.network.act(
      (await oneNamed(service, 'devices', named)).id,
      action,
    );
    return {
      device_id: device.id,
      name: device.name,
      status: device.status,
      connected: device.connected,
      logged_in: device.logged_in,
      blocked: device.blocked,
      last_disconnect_reason: device.last_disconnect_reason,
      changed,
    };
  },
};
