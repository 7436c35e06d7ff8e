import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../../../support/botctl.ts';
import { eventually } from '../../../support/eventually.ts';
import { scaledClock } from '../../../support/fake-clock.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { startScriptedServer } from '../../../support/scripted-server.ts';
import { apiOf, homeFor, reception } from '../support.ts';

const sandbox = useSandbox();

/** Returns a device, a home that has it in its device book, and a command that appends each event to a file. */
async function place(more: Record<string, string> = {}) {
  const home = temporaryDirectory();
  const log = join(home, 'events');
  const script = join(home, 'note.sh');
  writeFileSync(
    script,
    '#!/bin/sh\ncat >> "$LOG"\necho "told $*"\n[ $EXIT = 0 ] || echo "cannot notify" >&2\nexit $EXIT\n',
  );
  chmodSync(script, 0o700);
  const env = { ...homeFor(sandbox, home), PATH: process.env.PATH ?? '', LOG: log, EXIT: '0', ...more };
  const id = await reception(sandbox, env);
  const events = (): readonly Record<string, unknown>[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  return { env, id, script, events, api: apiOf(sandbox) };
}

/** Watches with a fast clock until the test interrupts it. */
function watching(args: readonly string[], options: RunOptions) {
  const end = new AbortController();
  let seen = '';
  const ran = botctl(['device', 'watch', ...args], {
    clock: scaledClock(10),
    signal: end.signal,
    onOutput: (text) => {
      seen += text;
    },
    ...options,
  });
  return { ran, end, until: (words: string) => eventually(() => seen.includes(words)) };
}

describe('device watch with hooks', () => {
  it('runs a command for a change of one device, and keeps watching', async () => {
    const { env, id, script, events, api } = await place();
    const { ran, end, until } = watching(
      ['Reception', '--hook', 'night', '--exec', script, '-o', 'json', '--all'],
      { env },
    );
    await until('"never_connected"');
    await api.call('connectDevice', { path: { id } });
    await eventually(() => events().some(({ state }) => state === 'ready'));
    await api.call('disconnectDevice', { path: { id } });
    await eventually(() => events().some(({ state }) => state === 'stopped'));
    await api.call('connectDevice', { path: { id } });
    await eventually(() => events().at(-1)?.state === 'ready');
    end.abort();
    const { stderr, stdout } = await ran;
    // The reason of the disconnect belongs to the state that it caused.
    const reasons = events().map(({ state, reason }) => [state, typeof reason]);
    expect(reasons).toContainEqual(['stopped', 'string']);
    expect(reasons).toContainEqual(['ready', 'object']);
    expect(reasons.filter(([state, type]) => (state === 'stopped') !== (type === 'string'))).toEqual([]);
    const [first] = events();
    expect(first).toMatchObject({ event: 'state', was: 'never_connected', hook: 'night', device_id: id });
    for (const [at, event] of events().entries()) {
      expect(Object.keys(event)).toEqual([
        ...['event', 'device_id', 'name', 'team_name', 'state', 'was', 'reason', 'phone_number'],
        ...['at', 'delivery', 'hook'],
      ]);
      expect(event).toMatchObject({ name: 'Reception', team_name: 'Acme' });
      if (at > 0) expect(event.was).toBe(events()[at - 1]?.state);
    }
    expect(stderr).toContain(`Reception, ${script}: told -o json --all`);
    expect(stdout + stderr + readFileSync(env.LOG, 'utf8')).not.toMatch(/data:image|sandbox\.invalid/);
    expect(stdout).not.toContain('told');
  });

  it('continues after a failed hook, and runs no hook for the first state', async () => {
    const { env, id, script, events, api } = await place({ EXIT: '3' });
    const { ran, end, until } = watching(['Reception', '--exec', script], { env });
    await until('"never_connected"');
    await api.call('connectDevice', { path: { id } });
    await eventually(() => events().some(({ state }) => state === 'ready'));
    end.abort();
    const { stderr } = await ran;
    expect(events().map(({ was }) => was)).not.toContain(null);
    expect(stderr).toContain(`! Hook ${script} for Reception: it ended with exit code 3: cannot notify.`);
    const again = await botctl(['device', 'watch', '--all', '--timeout', '8s', '--exec', script], {
      env: { ...env, LOG: join(temporaryDirectory(), 'none') },
      clock: scaledClock(10),
    });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stderr).not.toContain('told');
  });

  it('runs no hook for the first state of a device that joins the device book later', async () => {
    const { env, script, events, api } = await place();
    // A device that another machine created and connected.
    const elsewhere = homeFor(sandbox);
    const create = ['device', 'create', 'Late', '--team', 'Acme', '--bot', 'Sales', '--discard-token'];
    const late = (await botctl([...create, '-o', 'id'], { env: elsewhere })).stdout.trim();
    await api.call('connectDevice', { path: { id: late } });
    await eventually(async () => {
      const { data } = await api.call('getDeviceStatus', { path: { id: late } });
      return data.connected === true && data.logged_in === true;
    });
    const { ran, end, until } = watching(['--all', '--every', '5s', '--exec', script], { env });
    await until('"never_connected"');
    const added = await botctl(['device', 'add', late, '--name', 'Late'], { env });
    expect(added.exitCode, added.stderr).toBe(0);
    await until('"event":"added"');
    await until('"state":"ready"');
    await api.call('disconnectDevice', { path: { id: late } });
    await eventually(() => events().some(({ state }) => state === 'stopped'));
    end.abort();
    const { stderr } = await ran;
    expect(events(), stderr).toHaveLength(1);
    expect(events()[0]).toMatchObject({ device_id: late, name: 'Late', was: 'ready', state: 'stopped' });
  });

  it('waits for the hook of the final state', async () => {
    const { env, id, script, events, api } = await place();
    const { ran, until } = watching(['Reception', '--until', 'ready', '--exec', script], { env });
    await until('"never_connected"');
    await api.call('connectDevice', { path: { id } });
    const { exitCode, stderr } = await ran;
    expect(exitCode, stderr).toBe(0);
    expect(events().at(-1)).toMatchObject({ state: 'ready', phone_number: expect.stringMatching(/^\+\d+$/) });
  });

  it('posts to a webhook too, signed, and shows only the host of its address', async () => {
    const server = await startScriptedServer();
    server.on('POST /hook/T0KEN-in-path', { status: 302, headers: { location: '/elsewhere' } });
    const { env, id, script, events, api } = await place({ BOTCTL_WEBHOOK_SECRET: 'whsec-0123456789' });
    const url = `${server.url}/hook/T0KEN-in-path?token=T0KEN-in-query`;
    const { ran, end, until } = watching(['--all', '--webhook', url, '--debug', '--exec', script], { env });
    await until('"never_connected"');
    await api.call('connectDevice', { path: { id } });
    await eventually(() => events().length > 0 && server.seen.some(({ method }) => method === 'POST'));
    await eventually(() => events().some(({ state }) => state === 'ready'));
    end.abort();
    const { stderr, stdout } = await ran;
    const [request] = server.seenAt('POST /hook/T0KEN-in-path');
    const event = JSON.parse(`${request?.body}`);
    expect(event).toMatchObject({ name: 'Reception', hook: expect.stringMatching(/^webhook-/) });
    expect(request?.headers['botctl-delivery']).toBe(event.delivery);
    expect(request?.headers['botctl-signature']).toMatch(/^t=\d+,v1=[\da-f]{64}$/);
    expect(stderr).toContain(`Hook 127.0.0.1:${server.port} for Reception: it answered 302, a redirect`);
    expect(stderr + stdout).not.toMatch(/T0KEN|whsec/);
    expect(server.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('warns about posts that are not signed', async () => {
    const { env } = await place();
    const line = ['device', 'watch', '--all', '--timeout', '0s', '--webhook', 'http://127.0.0.1:9/x'];
    const ran = await botctl(line, { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('To sign them, set BOTCTL_WEBHOOK_SECRET');
    const file = join(temporaryDirectory(), 'secret');
    writeFileSync(file, 'whsec-0123456789\n', { mode: 0o600 });
    const signed = await botctl([...line, '--webhook-secret-file', file], { env });
    expect(signed.stderr).not.toContain('not signed');
    const none = await botctl([...line, '--webhook-secret-file', `${file}-none`], { env });
    expect(none).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it.each([
    [['--hook', 'x'], 2, '--hook needs --exec or --webhook.'],
    [['--webhook-secret-file', 'x'], 2, '--webhook-secret-file needs --webhook.'],
    [['--exec'], 2, '--exec needs a command'],
    [['--exec', './no such command'], 2, "can't be run: there is no such command"],
    [['--webhook', 'http://hooks.example.com/TOKEN'], 2, '--webhook must be https'],
    [['--qr-web', '--exec', 'sh'], 2, '--qr-web needs one device that is to be paired'],
  ])('refuses %j', async (more, exitCode, message) => {
    const { env } = await place();
    const ran = await botctl(['device', 'watch', 'Reception', ...more], { env });
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain('TOKEN');
  });

  it('shows the output of a hook as a note while the table covers the terminal, and keeps it', async () => {
    const { env, id, script, events, api } = await place();
    const end = new AbortController();
    let screen = '';
    const ran = botctl(['device', 'watch', '--all', '--exec', script, 'x'], {
      env,
      terminal: true,
      clock: scaledClock(10),
      signal: end.signal,
      onError: (text) => {
        screen += text;
      },
    });
    await eventually(() => screen.includes('never connected'));
    await api.call('connectDevice', { path: { id } });
    await eventually(() => events().length > 0);
    await eventually(() => screen.includes('told x'));
    end.abort();
    const { stderr } = await ran;
    expect(stderr.slice(stderr.lastIndexOf('\x1b[?1049l'))).toContain(`Reception, ${script}: told x`);
  });
});
