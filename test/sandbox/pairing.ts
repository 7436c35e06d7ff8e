import { expect } from 'vitest';
import type { DataOf } from '../../src/contract/endpoints.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';
import type { TestApi } from './api.ts';
import { createBot, createDevice, createTeam } from './samples.ts';

export type DeviceStatus = DataOf<'getDeviceStatus'>;

/** Actions of pairing tests on the devices of a sandbox. */
export interface Devices {
  /** Creates a device that waits for its phone, and returns its id. */
  waiting(): Promise<string>;
  connect(id: string): Promise<void>;
  disconnect(id: string): Promise<void>;
  status(id: string): Promise<DeviceStatus>;
  /** Returns the picture of its current code. */
  picture(id: string): Promise<Buffer>;
  /** Returns the decoded content of its code. */
  code(id: string): Promise<string>;
}

/** Returns the actions of pairing tests, which use the API. */
export function devicesOf(api: TestApi): Devices {
  const status = async (id: string) => (await api.ok('getDeviceStatus', { path: { id } })).data;
  const connect = async (id: string) => {
    await api.ok('connectDevice', { path: { id } });
  };
  const picture = async (id: string) => {
    const { qr_code } = await status(id);
    expect(qr_code).toMatch(/^data:image\/png;base64,/);
    return Buffer.from((qr_code ?? '').replace(/^.*?,/, ''), 'base64');
  };
  return {
    async waiting() {
      const team = await createTeam(api);
      const bot = await createBot(api, team.id);
      const { id } = await createDevice(api, team.id, bot.id);
      await connect(id);
      return id;
    },
    connect,
    async disconnect(id) {
      await api.ok('disconnectDevice', { path: { id } });
    },
    status,
    picture,
    code: async (id) => readPicture(await picture(id)),
  };
}
