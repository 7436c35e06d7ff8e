import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { binary } from '../support/process.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// A scripted server presses Ctrl-C when a call has arrived, and answers after that or never: a fault's delay would end
// by the clock.

const id = '11111111-1111-4111-8111-111111111111';

/** Runs a script with bash in its own terminal, where Ctrl-C reaches all of its processes. */
function bash(script: string, env: Readonly<Record<string, string>>) {
  const file = join(temporaryDirectory(), 'loop.sh');
  writeFileSync(file, script);
  const pty = spawn('bash', [file], {
    cols: 200,
    rows: 40,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TERM: 'xterm', ...env },
  });
  let shown = '';
  pty.onData((data) => {
    shown += data;
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
  });
  onTestFinished(() => {
    try {
      pty.kill('SIGKILL');
    } catch {
      // The process has already exited.
    }
  });
  return { ended, interrupt: () => pty.write('\x03'), shown: () => shown };
}

const firsts: readonly (readonly [string, boolean])[] = [
  ['is answered', true],
  ['gets no answer', false],
];
it.each(firsts)('Ctrl-C ends a shell loop whose first message %s', async (_, isAnswered) => {
  const server = await startScriptedServer();
  let loop: ReturnType<typeof bash> | undefined;
  server.on(
    `GET /api/openapi/v1/devices/${id}/status`,
    success({ device_id: id, status: 'started', connected: true }),
  );
  server.on('POST /api/openapi/v1/send', async () => {
    loop?.interrupt();
    await eventually(() => loop?.shown().includes('Waiting up to 3 s') ?? false);
    if (isAnswered) return success({ device_id: id });
    // An impatient user presses it again.
    loop?.interrupt();
    return undefined;
  });
  loop = bash(
    `for number in +5511999990001 +5511999990002; do
       "${process.execPath}" "${binary}" send --device ${id} --to $number --message Hi
     done
     echo "the loop went on"`,
    {
      BOTCTL_BASE_URL: server.url,
      BOTCTL_KEY_ID: 'k',
      BOTCTL_KEY_SECRET: 'the-secret-of-k',
      BOTCTL_CONFIG_DIR: temporaryDirectory('process'),
    },
  );
  expect(await loop.ended).toBe(130);
  expect(server.seenAt('POST /api/openapi/v1/send')).toHaveLength(1);
  expect(loop.shown()).not.toContain('the loop went on');
  expect(loop.shown()).toContain(
    isAnswered ? 'Accepted for +5511999990001' : 'It is not known whether the message was sent',
  );
});
