import { fillPath } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { isObject } from '../../lib/json-object.ts';
import { type Choice, unknown } from '../choice.ts';
import { differencesIn } from './differences.ts';

/** Devices that are asked for, where the first ones are there no more. */
const mostTried = 3;

/** How the status of a device differs from the contract. No list shows devices, so one is read that this machine knows. */
export const deviceMembers: Choice = {
  name: 'members of the status of a device',
  specification: 'Device status view',
  section: 'members',
  async learn(service) {
    const tried = service.devices.slice(0, mostTried);
    for (const id of tried) {
      const { outcome, data } = await service.get(fillPath(endpoints.getDeviceStatus.path, { id }));
      if (outcome !== 'answered' || !isObject(data)) continue;
      const { deviceStatus } = await import('../../contract/devices.ts');
      return differencesIn([[deviceStatus, [data]]]);
    }
    return unknown(
      tried.length === 0
        ? 'The device book has no device of this service, and no list shows any.'
        : 'The service shows none of the devices in the device book.',
      'The id of a device in the device book, by device add.',
    );
  },
};
