import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';
import { linesOf } from './support.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const gif = Buffer.from('GIF89a, or something like it');

/** A service whose code is a GIF at first; then the device is connected. */
async function serviceWithGif() {
  const server = await startScriptedServer();
  const stopped = { device_id: id, status: 'stopped', connected: false, logged_in: false };
  const waiting = {
    ...stopped,
    status: 'started',
    qr_code: `data:image/png;base64,${gif.toString('base64')}`,
  };
  const connected = {
    ...stopped,
    status: 'started',
    connected: true,
    logged_in: true,
    phone_number: '+5511912345678',
  };
  server.on(
    `GET /api/openapi/v1/devices/${id}/status`,
    success(stopped),
    success(waiting),
    success(waiting),
    success(connected),
  );
  server.on(
    `POST /api/openapi/v1/devices/${id}/connect`,
    success({ device_id: id, status: 'started', message: 'ok' }),
  );
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'sk-test-secret-42',
    BOTCTL_CONFIG_DIR: temporaryDirectory(),
  };
  return { server, env };
}

describe('a code that is no PNG', () => {
  it('is never drawn: the reason is named, and --qr-file is offered', async () => {
    const { env } = await serviceWithGif();
    const { exitCode, stdout, stderr } = await botctl(['device', 'connect', id, '--wait'], { env });
    expect(exitCode).toBe(0);
    expect(linesOf(stdout)).toMatchObject([
      { event: 'unreadable', reason: 'The picture is a GIF, not a PNG.' },
      { event: 'scanned' },
      { event: 'connected', phone_number: '+5511912345678' },
    ]);
    expect(stderr).toContain("The service sent a picture that can't be read: it is a GIF, not a PNG.");
    expect(stderr).toContain('--qr-file FILE');
  });

  it('is kept as it came in the file', async () => {
    const { env } = await serviceWithGif();
    const file = join(temporaryDirectory(), 'pair.png');
    const { exitCode, stderr } = await botctl(['device', 'connect', id, '--no-wait', '--qr-file', file], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(readFileSync(file)).toEqual(gif);
    expect(stderr).toContain(`It is in ${file}`);
  });

  it('is told in words on a terminal', async () => {
    const { env } = await serviceWithGif();
    const file = join(temporaryDirectory(), 'pair.png');
    const { exitCode, stdout, stderr } = await botctl(['device', 'connect', id, '--qr-file', file], {
      env,
      terminal: true,
    });
    expect(exitCode).toBe(0);
    const words = stderr.replace(/\x1b\[[\d;?]*[A-Za-z]|\s+/g, ' ').replace(/ +/g, ' ');
    expect(words).toContain("can't be drawn: it is a GIF, not a PNG.");
    expect(stderr).not.toMatch(/[█▀▄]/);
    expect(stdout).toContain('+5511912345678');
    expect(existsSync(file)).toBe(false);
  });

  it('shows in the status as a problem, not as data', async () => {
    const { env } = await serviceWithGif();
    await botctl(['device', 'status', id], { env });
    const { stdout } = await botctl(['device', 'status', id, '-o', 'json'], { env });
    expect(JSON.parse(stdout).qr_code).toEqual({
      redacted: true,
      fingerprint: null,
      problem: 'The picture is a GIF, not a PNG.',
    });
  });
});
