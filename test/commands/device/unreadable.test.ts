import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, answerInTurn } from '../../support/answer.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { quickly as botctl, homeFor, linesOf, reception } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });
const gif = Buffer.from('GIF89a, or something like it');

/** Creates a stopped device whose code is a GIF at first; then it is connected. */
async function deviceWithGif() {
  const env = homeFor(sandbox);
  const id = await reception(sandbox, env);
  const stopped = { device_id: id, status: 'stopped', connected: false, logged_in: false };
  const started = { ...stopped, status: 'started' };
  const waiting = { ...started, qr_code: `data:image/png;base64,${gif.toString('base64')}` };
  const connected = { ...started, connected: true, logged_in: true, phone_number: '+5511912345678' };
  const seen = [stopped, waiting, waiting, connected];
  await answerInTurn(sandbox, 'getDeviceStatus', ...seen.map((one) => answer(one)));
  return { env, id };
}

describe('a code that is no PNG', () => {
  it('is never drawn: the reason is printed, and --qr-file is suggested', async () => {
    const { env, id } = await deviceWithGif();
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

  it('is saved unchanged in the file', async () => {
    const { env, id } = await deviceWithGif();
    const file = join(temporaryDirectory(), 'pair.png');
    const { exitCode, stderr } = await botctl(['device', 'connect', id, '--no-wait', '--qr-file', file], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(readFileSync(file)).toEqual(gif);
    expect(stderr).toContain(`Open ${file} in a viewer`);
  });

  it('is described on a terminal', async () => {
    const { env, id } = await deviceWithGif();
    const file = join(temporaryDirectory(), 'pair.png');
    const { exitCode, stdout, stderr } = await botctl(['device', 'connect', id, '--qr-file', file], {
      env,
      terminal: true,
    });
    expect(exitCode).toBe(0);
    const words = stderr.replace(/\x1b\[[\d;?]*[A-Za-z]|\s+/g, ' ').replace(/ +/g, ' ');
    expect(words).toContain("can't be read: it is a GIF, not a PNG.");
    expect(stderr).not.toMatch(/[█▀▄]/);
    expect(stdout).toContain('+5511912345678');
    expect(existsSync(file)).toBe(false);
  });

  it('appears in the status as a problem, not as data', async () => {
    const { env, id } = await deviceWithGif();
    await botctl(['device', 'status', id], { env });
    const { stdout } = await botctl(['device', 'status', id, '-o', 'json'], { env });
    expect(JSON.parse(stdout).qr_code).toEqual({
      redacted: true,
      fingerprint: null,
      problem: 'The picture is a GIF, not a PNG.',
    });
  });
});
