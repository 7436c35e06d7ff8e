import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { createTestApi } from './api.ts';
import { devicesOf } from './pairing.ts';
import { createBot, createDevice, createTeam } from './samples.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

const devices = devicesOf(api);

async function pairedDevice(): Promise<string> {
  const id = await devices.waiting();
  await scanPicture(sandbox.control, await devices.picture(id));
  return id;
}

const message = { message: 'Your order is ready.', destination_number: '5511988887777' };

describe('sending', () => {
  it('echoes what was sent', async () => {
    const id = await pairedDevice();
    const { data } = await api.ok('sendMessage', { body: { device_id: id, ...message } });
    expect(data).toEqual({
      device_id: id,
      name: 'Counter',
      destinationNumber: '5511988887777',
      sendAsAudio: false,
      aiGeneratesMessage: false,
    });
  });

  it('echoes every option', async () => {
    const id = await pairedDevice();
    const body = {
      device_id: id,
      ...message,
      send_as_audio: true,
      ai_generates_message: true,
      image_url: 'https://shop.example/menu.jpg',
      image_mime_type: 'image/jpeg',
    };
    const { data } = await api.ok('sendMessage', { body });
    expect(data).toMatchObject({
      sendAsAudio: true,
      aiGeneratesMessage: true,
      imageUrl: 'https://shop.example/menu.jpg',
      imageMimeType: 'image/jpeg',
    });
  });

  it('refuses an image URL that is not http or https', async () => {
    const id = await pairedDevice();
    for (const image_url of ['ftp://x.example/a.png', 'javascript:alert(1)', 'file:///etc/passwd'])
      await api.refused('sendMessage', 'BAD_REQUEST', { body: { device_id: id, ...message, image_url } });
  });

  it('needs a text, or the AI to write one', async () => {
    const id = await pairedDevice();
    const { destination_number } = message;
    const body = { device_id: id, destination_number };
    await api.refused('sendMessage', 'BAD_REQUEST', { body });
    await api.refused('sendMessage', 'BAD_REQUEST', { body: { ...body, message: ' ' } });
    await api.refused('sendMessage', 'BAD_REQUEST', { body: { ...body, ai_generates_message: false } });
    await api.ok('sendMessage', { body: { ...body, ai_generates_message: true } });
  });

  it('needs a destination in digits', async () => {
    const id = await pairedDevice();
    for (const destination_number of ['', '+5511988887777', 'reception', '12']) {
      await api.refused('sendMessage', 'BAD_REQUEST', {
        body: { device_id: id, message: 'Hi', destination_number },
      });
    }
    await api.refused('sendMessage', 'BAD_REQUEST', { body: { device_id: id, message: 'Hi' } });
  });

  it('needs a device that exists, is started and connected', async () => {
    await api.refused('sendMessage', 'NOT_FOUND', { body: { device_id: randomUUID(), ...message } });
    const team = await createTeam(api);
    const bot = await createBot(api, team.id);
    const { id } = await createDevice(api, team.id, bot.id);
    const body = { device_id: id, ...message };
    await api.refused('sendMessage', 'BAD_REQUEST', { body });
    await api.ok('connectDevice', { path: { id } });
    await api.refused('sendMessage', 'BAD_REQUEST', { body });
  });

  it('stops when the connection ends', async () => {
    const id = await pairedDevice();
    await api.ok('disconnectDevice', { path: { id } });
    await api.refused('sendMessage', 'BAD_REQUEST', { body: { device_id: id, ...message } });
  });

  it('is forbidden to a banned team', async () => {
    const id = await pairedDevice();
    const [{ id: teamId } = { id: '' }] = (await api.ok('listTeams')).data;
    await api.ok('updateTeam', { path: { id: teamId }, body: { banned: true } });
    await api.refused('sendMessage', 'FORBIDDEN', { body: { device_id: id, ...message } });
    await api.ok('updateTeam', { path: { id: teamId }, body: { banned: false } });
    await api.ok('sendMessage', { body: { device_id: id, ...message } });
  });
});
