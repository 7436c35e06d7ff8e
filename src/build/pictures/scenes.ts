import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../lib/package-root.ts';
import { withCleanUp } from '../clean-up.ts';
import { PicturedScreen, type Size } from './screen.ts';
import { drawSvg } from './svg.ts';

const run = promisify(execFile);
const binary = join(packageRoot(), 'bin', 'botctl.js');

/** A picture, and the command that is on it. */
interface Scene {
  readonly line: readonly string[];
  readonly size: Size;
  /** Text that is on the screen before the picture is taken. */
  readonly shows: string | RegExp;
}

const scenes: Readonly<Record<string, Scene>> = {
  'pairing.svg': {
    line: ['device', 'connect', 'Reception'],
    size: { columns: 100, rows: 36 },
    shows: 'Code 1, round 1: ',
  },
  'bots.svg': {
    line: ['bots', 'list', '--fields', 'name,role,published,temperature,id'],
    size: { columns: 100, rows: 12 },
    shows: 'Wholesale orders',
  },
};

const team = 'Aurora Coffee';

/** A bot of the pictures. */
interface PicturedBot {
  readonly name: string;
  readonly role: string;
  readonly isPublished: boolean;
}

const bots: readonly PicturedBot[] = [
  { name: 'Front desk', role: 'support', isPublished: true },
  { name: 'Night desk', role: 'support', isPublished: true },
  { name: 'Gift cards', role: 'sales', isPublished: true },
  { name: 'Table reservations', role: 'dynamic', isPublished: false },
  { name: 'Wholesale orders', role: 'sales', isPublished: false },
];

/** Takes every picture, by its file name, from the built botctl on a sandbox of its own. */
export async function takePictures(): Promise<Readonly<Record<string, string>>> {
  const home = mkdtempSync(join(tmpdir(), 'botctl-pictures-'));
  const env = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    BOTCTL_CONFIG_DIR: home,
  };
  const start = ['sandbox', 'start', '--port', '0', '--phone', 'manual', '-o', 'ndjson'];
  const sandbox = spawn(process.execPath, [binary, ...start], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(sandbox, 'close');
  const over = new AbortController();
  let call: ReturnType<typeof run> | undefined;
  let screen: PicturedScreen | undefined;
  const cleanUp = async (): Promise<void> => {
    over.abort();
    call?.child.kill();
    // Each of them may write below the home until it has ended.
    await Promise.allSettled([call, screen?.close()]);
    sandbox.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  let said = '';
  sandbox.stderr.on('data', (text) => {
    said += text;
  });
  return withCleanUp(cleanUp, async () => {
    const first = await Promise.race([once(sandbox.stdout, 'data'), ended.then(() => undefined)]);
    if (!first) throw new Error(`the sandbox did not start: ${said}`);
    await fill((...args) => {
      over.signal.throwIfAborted();
      call = run(process.execPath, [binary, ...args], { env });
      return call;
    });
    const pictures: [string, string][] = [];
    for (const [file, { line, size, shows }] of Object.entries(scenes)) {
      over.signal.throwIfAborted();
      const typed = ['botctl', ...line].join(' ');
      screen = new PicturedScreen([process.execPath, binary, ...line], size, { env, typed });
      pictures.push([file, drawSvg(await screen.showing(shows), typed)]);
      await screen.close();
      screen = undefined;
    }
    return Object.fromEntries(pictures);
  });
}

async function fill(botctl: (...args: readonly string[]) => Promise<unknown>): Promise<void> {
  await botctl(
    ...['teams', 'create', '--name', team, '--plan', 'pro', '--admin-name', 'Store manager'],
    ...['--admin-email', 'manager@aurora.example', '--admin-phone', '+5511999990000'],
  );
  for (const { name, role, isPublished } of bots) {
    await botctl('bots', 'create', '--team', team, '--name', name, '--role', role);
    if (isPublished) await botctl('sandbox', 'publish', name);
  }
  await botctl(
    ...['device', 'create', '--team', team, '--bot', 'Front desk', '--name', 'Reception', '--discard-token'],
  );
}
