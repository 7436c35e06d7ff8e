import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/botctl.ts';
import { eventually } from '../../support/eventually.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { scanPicture } from '../../support/scan.ts';
import { apiOf, quickly as botctl, homeFor, linesOf, reception, teamAndBot } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });
const escapeCharacter = '\x1b';

/** A code, its picture, or a terminal sequence on a stream. */
const anyCode = /data:image|sandbox\.invalid|iVBORw0KGgo|[█▀▄]/;

const whenThere = (file: string): Promise<Buffer> => eventually(() => existsSync(file) && readFileSync(file));

describe('device create', () => {
  const line = ['device', 'create', '--team', 'Acme', '--bot', 'Sales', '--name', 'Reception'];

  it('creates a device by the names of its team and bot, and masks its token', async () => {
    const { teamId, botId } = await teamAndBot(apiOf(sandbox));
    const env = homeFor(sandbox);
    const { exitCode, stdout, stderr } = await botctl([...line, '-o', 'json'], {
      env,
      terminal: true,
    });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const created = JSON.parse(stdout);
    expect(created).toMatchObject({
      name: 'Reception',
      team_id: teamId,
      bot_id: botId,
      status: 'stopped',
      token: '••••••••',
    });
    expect(stderr).toContain(`Created device Reception (${created.id}).`);
    expect(stderr).toContain("can't be read again");
    expect(stderr).toContain('botctl device connect Reception');
    const listed = await botctl(['device', 'list', '-o', 'json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { id: created.id, name: 'Reception', team_id: teamId, bot_id: botId },
    ]);
  });

  it('shows the token, or writes it to a private file, with the option for that', async () => {
    await teamAndBot(apiOf(sandbox));
    const env = homeFor(sandbox);
    const shown = await botctl([...line, '-o', 'json', '--show-token'], { env });
    const { token } = JSON.parse(shown.stdout);
    expect(token).toMatch(/^[\w-]{20,}$/);
    for (const name of readdirSync(env.BOTCTL_CONFIG_DIR ?? '', { recursive: true, encoding: 'utf8' })) {
      const path = join(env.BOTCTL_CONFIG_DIR ?? '', name);
      if (statSync(path).isFile()) expect(readFileSync(path, 'utf8')).not.toContain(token);
    }
    const file = join(temporaryDirectory(), 'token');
    const keep = ['--secret-file', file, '--allow', 'duplicate'];
    const kept = await botctl([...line, '-o', 'json', ...keep], { env });
    expect(JSON.parse(kept.stdout).token).toBe('••••••••');
    expect(kept.stderr).toContain(`Its token is in ${file}.`);
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{20,}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('prints the id with a warning if the device book cannot be written', async () => {
    await teamAndBot(apiOf(sandbox));
    const { exitCode, stdout, stderr } = await botctl([...line, '--discard-token', '-o', 'id'], {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: '/proc/botctl' },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Keep this id: ${stdout.trim()}`);
    // Its name would not be found.
    expect(stderr).toContain(`Pair it: botctl device connect ${stdout.trim()}\n`);
  });

  it('suggests pairing it by the id if its name would be ambiguous or is hard to type', async () => {
    await teamAndBot(apiOf(sandbox));
    const env = homeFor(sandbox);
    for (const name of ['11111111-1111-4111-8111-111111111111', 'Recep\ntion']) {
      const ran = await botctl(
        [
          'device',
          'create',
          '--team',
          'Acme',
          '--bot',
          'Sales',
          '--name',
          name,
          '--discard-token',
          '-o',
          'id',
        ],
        { env },
      );
      expect(ran.stderr).toContain(`Pair it: botctl device connect ${ran.stdout.trim()}\n`);
    }
  });

  it('refuses unknown names and missing options', async () => {
    await teamAndBot(apiOf(sandbox));
    const env = homeFor(sandbox);
    const unknown = await botctl(
      ['device', 'create', '--team', 'Acme', '--bot', 'Sale', '--name', 'Reception', '--discard-token'],
      { env },
    );
    expect(unknown).toMatchObject({ exitCode: 5, stdout: '' });
    expect(unknown.stderr).toContain('Sales');
    const missing = await botctl(['device', 'create', '--team', 'Acme'], { env });
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('--bot is missing.');
  });
});

describe('device connect, without a terminal', () => {
  it('connects and returns at once, with the next command and no code', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const { exitCode, stdout, stderr } = await botctl(['device', 'connect', 'Reception', '-o', 'json'], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'starting', device_id: id, name: 'Reception' });
    expect(stderr).toContain('botctl device watch Reception');
    expect(stdout + stderr).not.toMatch(anyCode);
    expect(stdout + stderr).not.toContain(escapeCharacter);
  });

  it('prints one record without --wait, with its fields', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const { stdout } = await botctl(['device', 'connect', 'Reception'], { env });
    expect(stdout).toMatch(
      new RegExp(`^event\\tstarting\ndevice_id\\t${id}\nname\\tReception\nphone_number\\t\nat\\t[^\n]+\n$`),
    );
    const picked = await botctl(['device', 'status', 'Reception', '--fields', 'status,phone_number'], {
      env,
    });
    expect(picked.stdout).toBe('status\tstarted\nphone_number\t\n');
  });

  it('waits with --wait: events with a fingerprint, and the picture in a private file that is removed', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const connecting = botctl(['device', 'connect', 'Reception', '--wait', '--qr-file', file], { env });
    const picture = await whenThere(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await scanPicture(sandbox.control, picture, { phone_number: '+5511912345678' });
    const { exitCode, stdout, stderr } = await connecting;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(linesOf(stdout)).toMatchObject([
      { event: 'code', device_id: id, number: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
      { event: 'scanned', device_id: id },
      { event: 'connected', device_id: id, phone_number: '+5511912345678' },
    ]);
    expect(stderr).toContain('Paired Reception as +5511912345678');
    expect(stdout + stderr).not.toMatch(anyCode);
    expect(existsSync(file)).toBe(false);
  });

  it('prints on a dumb terminal why there is no code, and the alternative', async () => {
    const env = { ...homeFor(sandbox), TERM: 'dumb' };
    const id = await reception(sandbox, env);
    const ran = await botctl(['device', 'connect', id, '--timeout', '1s'], { env, terminal: true });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('--qr-web or --qr-file FILE');
    expect(ran.stderr).not.toContain(escapeCharacter);
  });

  it('asks before it replaces another file, and keeps the directory and files that it did not write', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const directory = temporaryDirectory();
    const file = join(directory, 'thesis.txt');
    writeFileSync(file, 'mine');
    chmodSync(directory, 0o755);
    const line = ['device', 'connect', id, '--wait', '--timeout', '1s', '--qr-file', file];
    const unasked = await botctl(line, { env });
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await botctl([...line, '--yes'], { env })).toMatchObject({ exitCode: 9 });
    expect(existsSync(file)).toBe(false);
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  it('saves the first code without waiting with --qr-file', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const { exitCode, stdout } = await botctl(
      ['device', 'connect', 'Reception', '--qr-file', file, '-o', 'json'],
      { env },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'code' });
    await scanPicture(sandbox.control, readFileSync(file));
    const status = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ connected: true });
  });

  it('joins the wait for a device that is already waiting, and leaves a connected one unchanged', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    await botctl(['device', 'connect', 'Reception'], { env });
    const file = join(temporaryDirectory(), 'pair.png');
    const joining = botctl(['device', 'connect', 'Reception', '--wait', '--qr-file', file], { env });
    await scanPicture(sandbox.control, await whenThere(file));
    const joined = await joining;
    expect(joined.exitCode).toBe(0);
    expect(joined.stderr).toContain('Reception is already waiting for a phone.');
    const again = await botctl(['device', 'connect', 'Reception', '--wait'], { env });
    expect(again.exitCode).toBe(0);
    expect(linesOf(again.stdout)).toMatchObject([{ event: 'connected' }]);
    expect(again.stderr).toContain('Reception is connected as +55');
    expect(again.stderr).not.toContain('To pair another phone');
    const onTerminal = await botctl(['device', 'connect', 'Reception'], { env, terminal: true });
    expect(onTerminal.exitCode).toBe(0);
    expect(onTerminal.stderr).toContain('To pair another phone: botctl device repair Reception --force');
    const watched = await botctl(['device', 'watch', 'Reception'], { env, terminal: true });
    expect(watched.stderr).toContain('botctl device watch Reception --until lost');
    expect(watched.stdout).toMatch(/State.*ready/);
    expect(watched.stdout).not.toContain('Verdict');
  });

  it('exits with code 9 on a timeout, and when all codes have expired', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const timeout = await botctl(['device', 'connect', 'Reception', '--wait', '--timeout', '0s'], { env });
    expect(timeout.exitCode).toBe(9);
    expect(linesOf(timeout.stdout).at(-1)).toMatchObject({ event: 'timeout' });
    expect(timeout.stderr).toContain('--timeout');
    let told = '';
    await botctl(['device', 'disconnect', 'Reception', '--yes'], { env });
    await botctl(['device', 'connect', 'Reception'], { env });
    // A status watch requests no further codes.
    const expiring = botctl(['device', 'status', 'Reception', '--watch'], {
      env,
      onOutput: (text) => {
        told += text;
      },
    });
    await eventually(() => told.includes('"code"'));
    sandbox.advance(170_000);
    const expired = await expiring;
    expect(expired.exitCode).toBe(9);
    expect(linesOf(expired.stdout).at(-1)).toMatchObject({
      event: 'failed',
      because: 'expired',
      reason: 'QR refs attempts ended',
    });
    expect(expired.stderr).toContain(
      'Reception was not paired. All codes expired before a phone scanned one.',
    );
    expect(expired.stderr).toContain('botctl device connect Reception');
  });

  it('exits with code 130 on Ctrl-C, and removes the picture', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const { Failure } = await import('../../../src/lib/errors.ts');
    const abort = new AbortController();
    const connecting = botctl(['device', 'connect', 'Reception', '--wait', '--qr-file', file], {
      env,
      signal: abort.signal,
    });
    await whenThere(file);
    abort.abort(new Failure('interrupted', 'Interrupted.'));
    expect((await connecting).exitCode).toBe(130);
    expect(existsSync(file)).toBe(false);
  });

  it('refuses an unwritable file and a missing device before it connects', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const nowhere = await botctl(['device', 'connect', 'Reception', '--qr-file', '/nowhere/pair.png'], {
      env,
    });
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
    expect(nowhere.stderr).toContain('its directory does not exist');
    const status = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'stopped' });
    const misspelt = await botctl(['device', 'connect', 'Recepton'], { env });
    expect(misspelt.exitCode).toBe(5);
    expect(misspelt.stderr).toMatch(/Did you mean this\?\n +[\da-f-]{36} {2}Reception/);
    const unknown = await botctl(['device', 'connect', '00000000-0000-4000-8000-000000000000'], { env });
    expect(unknown.exitCode).toBe(5);
  });
});

describe('device connect, on a terminal', () => {
  it('draws the code on the alternate screen, and ends with the paired number', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const connecting = botctl(['device', 'connect', 'Reception', '--qr-file', file], {
      env,
      terminal: { columns: 120, rows: 45 },
    });
    await scanPicture(sandbox.control, await whenThere(file), { phone_number: '+5511912345678' });
    const { exitCode, stdout, stderr } = await connecting;
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /\x1b\[\?1049h[\s\S]*\x1b\[38;5;231;48;5;16m[█▀▄ ]{60,}[\s\S]*\x1b\[\?25h\x1b\[\?1049l/,
    );
    expect(stderr.slice(stderr.lastIndexOf(`${escapeCharacter}[?1049l`))).toContain(
      'Paired Reception as +5511912345678',
    );
    expect(stderr).toContain('q leave');
    expect(stdout).toContain('+5511912345678');
    expect(stdout).not.toMatch(anyCode);
  });

  it('does not wait with --no-wait, and draws nothing', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const lone = await botctl(['device', 'connect', 'Reception', '--no-wait', '--timeout', '1m'], { env });
    expect(lone.exitCode).toBe(2);
    const { exitCode, stderr } = await botctl(['device', 'connect', 'Reception', '--no-wait'], {
      env,
      terminal: true,
    });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('1049h');
    expect(stderr).not.toMatch(anyCode);
  });

  it('writes no escape sequences to a terminal that supports none', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const connecting = botctl(['device', 'connect', 'Reception', '--qr-file', file], {
      env: { ...env, TERM: 'dumb' },
      terminal: true,
    });
    await scanPicture(sandbox.control, await whenThere(file));
    const { exitCode, stdout, stderr } = await connecting;
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain(escapeCharacter);
    expect(stdout + stderr).not.toMatch(anyCode);
  });

  it('draws in the terminal’s own colours under NO_COLOR, and with spaces without UTF-8', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const drawn = async (changes: Record<string, string>): Promise<string> => {
      const terminal = { columns: 200, rows: 80 };
      const { stderr } = await botctl(['device', 'connect', 'Reception'], {
        env: { ...env, ...changes },
        terminal,
        answers: { 'Code 1, ': 'q' },
      });
      return stderr;
    };
    expect(await drawn({ NO_COLOR: '1' })).toMatch(/^(?![\s\S]*38;5;231)[\s\S]*[█▀▄]{10}/);
    // A single half block tests whether the terminal shows UTF-8.
    expect(await drawn({ LANG: 'C' })).toMatch(
      /^(?![\s\S]*[█▀▄]{2})[\s\S]*\x1b\[48;5;16m {2}\x1b\[48;5;231m {2}/,
    );
  });

  it('prints the required size if the window is too small, and quits with q', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const { exitCode, stdout, stderr } = await botctl(['device', 'connect', 'Reception'], {
      env,
      terminal: { columns: 60, rows: 18 },
      answers: { 'has 60 x 18': 'q' },
    });
    expect(stderr).toContain('The code needs a window of');
    expect(stderr).toContain('press w for a web page, or f for a');
    expect(stderr).not.toMatch(anyCode);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  });
});

describe('device pair', () => {
  it('is a synonym of device connect', async () => {
    const [pair, connect] = await Promise.all(
      ['pair', 'connect'].map((verb) => botctl(['device', verb, '--help'])),
    );
    expect(pair).toMatchObject({ exitCode: 0, stdout: connect?.stdout });
  });
});

describe('device status', () => {
  it('prints a verdict, the next command, and a fingerprint in place of the code', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const stopped = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      device_id: id,
      status: 'stopped',
      state: 'never_connected',
      verdict: 'never connected',
      next: 'botctl device connect Reception',
    });
    await botctl(['device', 'connect', 'Reception'], { env });
    const waiting = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(waiting.stdout)).toMatchObject({
      state: 'waiting',
      verdict: 'waiting for a phone to scan its code',
      qr_code: { redacted: true, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
    });
    for (const format of ['table', 'json', 'yaml', 'tsv', 'csv', 'ndjson']) {
      const { stdout, stderr } = await botctl(['device', 'status', 'Reception', '-o', format], { env });
      expect(stdout + stderr).not.toMatch(anyCode);
    }
    const revealed = await botctl(['device', 'status', 'Reception', '-o', 'json', '--reveal-qr'], { env });
    expect(JSON.parse(revealed.stdout).qr_code).toMatch(/^data:image\/png;base64,/);
  });

  it('watches without a terminal: one line for each change, to the end', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    await botctl(['device', 'connect', 'Reception'], { env });
    const file = join(temporaryDirectory(), 'pair.png');
    const watching = botctl(['device', 'status', 'Reception', '--watch', '--qr-file', file], { env });
    await scanPicture(sandbox.control, await whenThere(file));
    const { exitCode, stdout, stderr } = await watching;
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['code', 'scanned', 'connected']);
    expect(stdout + stderr).not.toMatch(anyCode);
    const again = await botctl(['device', 'status', 'Reception', '--watch'], { env });
    expect(linesOf(again.stdout).map(({ event }) => event)).toEqual(['connected']);
  });

  it('records a device that was given by its id', async () => {
    const id = await reception(sandbox, homeFor(sandbox));
    const env = homeFor(sandbox);
    await botctl(['device', 'status', id], { env });
    const { stdout } = await botctl(['device', 'list', '-o', 'id'], { env });
    expect(stdout.trim()).toBe(id);
  });

  it('refuses options that require a watch', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const { exitCode, stderr } = await botctl(['device', 'status', 'Reception', '--timeout', '1m'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean botctl device watch Reception --timeout 1m?');
  });
});

describe('device disconnect', () => {
  it('asks, and stops the device', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await botctl(['device', 'connect', 'Reception'], { env });
    const unanswered = await botctl(['device', 'disconnect', 'Reception'], { env });
    expect(unanswered).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unanswered.stderr).toContain('--yes');
    const { exitCode, stdout } = await botctl(['device', 'disconnect', 'Reception', '--yes', '-o', 'json'], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ device_id: id, status: 'stopped' });
    const again = await botctl(['device', 'disconnect', 'Reception'], { env });
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('Reception is already stopped.');
  });
});

describe('device list', () => {
  it('is empty at first', async () => {
    const { exitCode, stdout } = await botctl(['device', 'list', '-o', 'json'], { env: homeFor(sandbox) });
    expect({ exitCode, stdout: stdout.trim() }).toEqual({ exitCode: 0, stdout: '[]' });
  });
});
