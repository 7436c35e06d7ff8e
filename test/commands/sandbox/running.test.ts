import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import qrcodeTerminal from 'qrcode-terminal';
import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../../src/contract/endpoints.ts';
import { readPicture } from '../../../src/sandbox/phone/camera.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { createBot, createDevice, createTeam } from '../../sandbox/samples.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

const run = (args: readonly string[], stdin = ''): Promise<Ran> =>
  botctl(['sandbox', ...args, '--data', sandbox.data], { stdin });

async function waitingDevice(): Promise<{ id: string; png: Buffer }> {
  const team = await createTeam(api);
  const bot = await createBot(api, team.id);
  const { id } = await createDevice(api, team.id, bot.id);
  await api.ok('connectDevice', { path: { id } });
  const { qr_code = '' } = await statusOf(id);
  return { id, png: Buffer.from(qr_code.replace(/^.*?,/, ''), 'base64') };
}

async function statusOf(id: string): Promise<DataOf<'getDeviceStatus'>> {
  return (await api.ok('getDeviceStatus', { path: { id } })).data;
}

function savedPicture(png: Buffer): string {
  const file = join(temporaryDirectory(), 'code.png');
  writeFileSync(file, png);
  return file;
}

function drawn(payload: string): string {
  let text = '';
  qrcodeTerminal.generate(payload, { small: true }, (lines) => {
    text = lines;
  });
  return `Scan this code:\n\n${text}\nWaiting …\n`;
}

describe('sandbox phone scan', () => {
  it('pairs by a saved picture, with the number given', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run([
      'phone',
      'scan',
      savedPicture(png),
      '--number',
      '+55 (11) 99999-0000',
      '-o',
      'json',
    ]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '✓ Paired Counter as +5511999990000.\n' });
    expect(JSON.parse(ran.stdout)).toEqual({
      device_id: id,
      name: 'Counter',
      phone_number: '+5511999990000',
    });
    expect(await statusOf(id)).toMatchObject({ connected: true, phone_number: '+5511999990000' });
  });

  it('pairs by a screen that is piped in', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run(['phone', 'scan', '--text'], drawn(readPicture(png)));
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(id);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('pairs by a screen in a file', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run(['phone', 'scan', '--text', savedPicture(Buffer.from(drawn(readPicture(png))))]);
    expect(ran.exitCode).toBe(0);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('says why it did not', async () => {
    const { id, png } = await waitingDevice();
    const noPicture = await run(['phone', 'scan', savedPicture(Buffer.from('GIF89a'))]);
    expect(noPicture).toMatchObject({ exitCode: 2, stdout: '' });
    expect(noPicture.stderr).toContain('not a PNG');
    const noCode = await run(['phone', 'scan', '--text'], 'nothing but text');
    expect(noCode.exitCode).toBe(2);
    expect(noCode.stderr).toContain('no QR code');
    sandbox.advance(60_000);
    const dead = await run(['phone', 'scan', savedPicture(png)]);
    expect(dead.exitCode).toBe(6);
    expect(dead.stderr).toContain('not valid any more');
    expect(dead.stderr).toContain('botctl device status');
    expect(await statusOf(id)).toMatchObject({ connected: false });
  });
});

describe('sandbox clock advance', () => {
  it('lets time pass', async () => {
    const { id } = await waitingDevice();
    const ran = await run(['clock', 'advance', '10m', '-o', 'json']);
    expect(ran.exitCode).toBe(0);
    const { now }: { now: string } = JSON.parse(ran.stdout);
    expect(new Date(now).getTime()).toBeGreaterThan(Date.now() + 9 * 60_000);
    expect(await statusOf(id)).toMatchObject({ status: 'stopped' });
  });
});

describe('sandbox publish', () => {
  it('publishes a bot by its name', async () => {
    const team = await createTeam(api);
    const { id } = await createBot(api, team.id, { name: 'Recepção' });
    const ran = await run(['publish', 'Recepção', '-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ bot_id: id, name: 'Recepção', published: true });
  });

  it('knows no other', async () => {
    const ran = await run(['publish', 'Nobody']);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    expect(ran.stderr).toContain('There is no bot Nobody.');
  });
});

describe('sandbox seed', () => {
  it('reports what it made', async () => {
    const ran = await run(['seed', '--teams', '2', '--bots', '3', '--docs', '4']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'teams\t2\nbots\t3\ndocuments\t4\n' });
  });
});
