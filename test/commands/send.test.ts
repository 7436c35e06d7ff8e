import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { campaignFile } from '../../src/campaigns/store/file.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { findPaths } from '../../src/settings/paths.ts';
import { unwritableDirectory } from '../settings/support.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const send = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['send', ...args], { ...options, env: { ...sandbox.env, ...options.env } });

let teamId: string;
let deviceId: string;

beforeEach(async () => {
  teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
});

const connect = (): Promise<void> => service.connect(deviceId);

/** Returns the messages that the messaging network accepted, because the API returns no text. */
async function taken(): Promise<readonly unknown[]> {
  return (await callControl(sandbox.control, '/messages', { limit: 10 })).rows;
}

describe('send', () => {
  it('sends through a connected device, and reports accepted, never delivered', async () => {
    await connect();
    const ran = await send([
      '--device',
      deviceId,
      '--to',
      '+55 (11) 98888-7777',
      '--message',
      'Ready.',
      '-o',
      'json',
    ]);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      device_id: deviceId,
      destinationNumber: '5511988887777',
      sendAsAudio: false,
      aiGeneratesMessage: false,
    });
    expect(ran.stderr).toContain('Accepted for +5511988887777.');
    expect(ran.stderr + ran.stdout).not.toMatch(/delivered/i);
    expect(await taken()).toEqual([
      expect.objectContaining({
        device_id: deviceId,
        destination_number: '5511988887777',
        message: 'Ready.',
      }),
    ]);
  });

  it('sends every member of the specification, and the text from stdin', async () => {
    await connect();
    const ran = await send(
      [
        ...[
          '--device',
          deviceId,
          '--to',
          '+5511988887777',
          '--message-file',
          '-',
          '--send-as-audio',
          '--ai-generates-message',
        ],
        ...['--image-url', 'https://x.example/a.png', '--image-mime-type', 'image/png', '-o', 'json'],
      ],
      { stdin: 'From a pipe\n' },
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({
      sendAsAudio: true,
      aiGeneratesMessage: true,
      imageUrl: 'https://x.example/a.png',
      imageMimeType: 'image/png',
    });
    expect(await taken()).toEqual([
      expect.objectContaining({
        message: 'From a pipe',
        send_as_audio: true,
        ai_generates_message: true,
        image_url: 'https://x.example/a.png',
        image_mime_type: 'image/png',
      }),
    ]);
  });

  it('sends "send_as_audio": false for --no-send-as-audio, and nothing if neither form is given', async () => {
    await connect();
    const line = ['--device', deviceId, '--to', '+5511988887777', '--message', 'Hi', '-o', 'json'];
    const off = await send([...line, '--no-send-as-audio', '--debug']);
    expect(off.exitCode, off.stderr).toBe(0);
    expect(off.stderr).toContain('"send_as_audio":false');
    expect((await send([...line, '--debug'])).stderr).not.toContain('"send_as_audio"');
  });

  it.each([
    ['--image-url', './a.png', 'must be a whole http or https address'],
    ['--image-url', 'ftp://x.example/a.png', 'must be a whole http or https address'],
    ['--image-url', 'x.example/a.png', 'must be a whole http or https address'],
    ['--image-mime-type', 'a picture', 'must be the type of an image such as image/jpeg'],
    ['--image-mime-type', 'text/html', 'must be the type of an image such as image/jpeg'],
  ])('refuses %s %s, and so does a campaign', async (option, value, says) => {
    const refused = { exitCode: 2, stdout: '', stderr: expect.stringContaining(`${option} ${says}`) };
    const message = ['--message', 'Hi', option, value];
    expect(await send(['--device', deviceId, '--to', '+5511988887777', ...message])).toMatchObject(refused);
    const campaign = ['campaigns', 'create', 'spring', '--recipients', '-', '--device', deviceId, ...message];
    expect(await botctl(campaign, { env: sandbox.env, stdin: 'phone\n+5511988887777\n' })).toMatchObject(
      refused,
    );
  });

  it('asks the user for a missing message, but not if something else is sent', async () => {
    await connect();
    const line = ['--device', deviceId, '--to', '+5511988887777'];
    const asked = await send(line, { terminal: true, answers: { 'Message:': 'Olá, está pronto.' } });
    expect(asked.exitCode, asked.stderr).toBe(0);
    const written = await send([...line, '--ai-generates-message'], { terminal: true });
    expect(written.exitCode, written.stderr).toBe(0);
    expect(await taken()).toMatchObject([{ message: 'Olá, está pronto.' }, { ai_generates_message: true }]);
  });

  it('accepts device, number and text as arguments, each once', async () => {
    await connect();
    const words = [deviceId, '+55 11 98888-7777'];
    const ran = await send([...words, 'Hello', '--fields', 'destinationNumber']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    for (const [more, message] of [
      [['--device', 'Other', 'Hello'], '<device> is given twice'],
      [['--to', '+5511977776666', 'Hello'], '<to> is given twice'],
      [['Hello', 'there'], 'A value with spaces needs quotes.'],
    ] as const) {
      const refused = await send([...words, ...more]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(message);
    }
    const image = await send([...words, '--image-url', './a.png']);
    expect(image).toMatchObject({ exitCode: 2, stdout: '' });
    const short = await send([deviceId, '+55 11 9888-77', 'Hello']);
    expect(short).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('asks before it sends a second number as the text', async () => {
    await connect();
    const line = [deviceId, '+5511988887777', '+55 11 98888-7778'];
    const asked = await send(line);
    expect(asked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('phone number') });
    expect(await send([...line, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await send([...line.slice(0, 2), '+1 for that idea'])).toMatchObject({ exitCode: 0 });
  });

  it('keeps the refusal of the service if it names a member of the message, in any state of the device', async () => {
    const envelope = {
      success: false,
      error: 'Invalid input.',
      code: 'BAD_REQUEST',
      details: { image_url: 'no' },
    };
    const bytes = Buffer.from(JSON.stringify(envelope)).toString('base64');
    const effect = { kind: 'body', bytes, type: 'application/json', status: 400 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'sendMessage', effect });
    const image = ['--image-url', 'https://x.example/a.png'];
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', ...image, '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'BAD_REQUEST', details: { image_url: 'no' }, next: [] });
  });

  it('has its own error code if the device is not connected, with the verdict of device status', async () => {
    const line = ['--device', deviceId, '--to', '+5511988887777', '--message', 'Ready.', '-o', 'json'];
    const refused = async () => {
      const ran = await send(line);
      expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
      const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
      expect(error).toMatchObject({
        code: 'DEVICE_NOT_CONNECTED',
        status: 400,
        details: { service_code: 'BAD_REQUEST' },
      });
      return error;
    };
    expect(await refused()).toMatchObject({
      hint: `${deviceId}: never connected. Run: botctl device connect ${deviceId}`,
    });
    await connect();
    await callControl(sandbox.control, '/phone', { action: 'offline', device: deviceId });
    expect(await refused()).toMatchObject({
      hint: expect.stringContaining('it reconnects automatically, so wait'),
      next: [['botctl', 'device', 'watch', deviceId]],
    });
    await callControl(sandbox.control, '/phone', { action: 'online', device: deviceId });
    await callControl(sandbox.control, '/phone', { action: 'takeover', device: deviceId });
    expect(await refused()).toMatchObject({
      hint: expect.stringContaining('another session took it over; close that one, then pair it again'),
      next: [['botctl', 'device', 'repair', deviceId]],
    });
  });

  it('keeps the error code of the service if the message is invalid otherwise', async () => {
    await connect();
    const line = ['--device', deviceId, '--to', '+5511988887777', '--image-url', 'https://x.example/a.png'];
    const ran = await send([...line, '-o', 'json']);
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'BAD_REQUEST' },
    });
  });

  it.each([
    ['nothing', [], ''],
    ['blanks', ['--message', ' '], ''],
    ['an empty pipe', ['--message-file', '-'], '\n'],
  ])('reports an empty message (%s) without a request', async (_, args, stdin) => {
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', ...args, '--debug'], { stdin });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('The message is empty.');
    expect(ran.stderr).toContain(
      '--message TEXT or --message-file FILE, or let the AI write it with --ai-generates-message',
    );
    expect(ran.stderr).not.toMatch(/(POST|GET) http/);
  });

  it('lets the service decide whether an image needs text, and reports what is missing', async () => {
    await connect();
    const image = ['--image-url', 'https://x.example/a.png'];
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', ...image]);
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(ran.stderr).toContain('Give --message TEXT');
  });

  it('records a device that was given by its id, accepted or not', async () => {
    const list = () => botctl(['device', 'list', '-o', 'json'], { env });
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const line = ['--device', deviceId, '--to', '+5511988887777', '--message', 'x'];
    expect((await send(line, { env })).exitCode).toBe(6);
    expect(JSON.parse((await list()).stdout)).toMatchObject([{ id: deviceId, name: null }]);
    await connect();
    expect((await send(line, { env })).exitCode).toBe(0);
    expect(JSON.parse((await list()).stdout)).toMatchObject([{ id: deviceId, name: 'Reception' }]);
    expect((await send(['--device', 'Reception', ...line.slice(2)], { env })).exitCode).toBe(0);
  });

  it('does not mention an unwritable device book, since the user typed the id', async () => {
    await connect();
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', '--message', 'x'], { env });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).not.toMatch(/book|Keep this id/);
  });

  it('prints the message of the service if it forbids sending', async () => {
    await connect();
    await service.call('PATCH', `/teams/${teamId}`, { banned: true });
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', '--message', 'x', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(ran.stderr).not.toContain('device connect');
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'FORBIDDEN', status: 403 },
    });
  });

  it.each([
    ['no device and no number', ['--message', 'x'], ['--device is missing.', '--to is missing.']],
    [
      'a number without its country',
      ['--device', 'x', '--to', '011 98888-7777'],
      ['--to needs a + and its country code'],
    ],
    ['a trunk zero', ['--device', 'x', '--to', '+44 (0)20 7946 0000'], ['Give +442079460000.']],
    ['a number typed without --to', ['x', '+44 (0)20 7946 0000', 'Hi'], ['<to> can be read as']],
    ['a letter in the number', ['--device', 'x', '--to', '+55 11 9888O-7777'], ['--to must be']],
  ])('refuses %s, exit code 2, with every problem at once', async (_, args, words) => {
    const ran = await send(args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const part of words) expect(ran.stderr).toContain(part);
  });

  it('does not find a device that is not in the device book', async () => {
    const ran = await send(['--device', 'Nowhere', '--to', '+5511988887777', '--message', 'x']);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('exits with code 5 for an unknown id', async () => {
    const ran = await send([
      '--device',
      '3f8d1c52-9b4e-4f7a-8a6d-2f1e5b7c9d01',
      '--to',
      '+5511988887777',
      '--message',
      'x',
    ]);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
  });
});

describe('send with unreadable opt-outs', () => {
  it.each([
    ['a damaged file', (file: string) => writeFileSync(file, 'opt-outs, '.repeat(1000))],
    ['a directory', (file: string) => mkdirSync(file)],
    ['a link that leads nowhere', (file: string) => symlinkSync(`${file}-on-another-disk`, file)],
  ])('sends nothing for %s: exit code 2', async (_what, make) => {
    await connect();
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const file = campaignFile(findPaths(env).data);
    mkdirSync(dirname(file), { recursive: true });
    make(file);
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', '--message', 'Hi'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(file) });
    expect(await taken()).toEqual([]);
  });

  it('creates no storage for opt-outs', async () => {
    await connect();
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const ran = await send(['--device', deviceId, '--to', '+5511988887777', '--message', 'Hi'], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(existsSync(campaignFile(findPaths(env).data))).toBe(false);
  });
});
