import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { shellLiteral } from '../../../src/lib/text/quote.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { unwritableDirectory } from '../../settings/support.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { type Front, type Mishap, startFront } from './front.ts';
import { type Machine, type Pair, pairOf, profilePair, setUpMachine, signIn } from './rotated-machine.ts';

const sandbox = useSandbox();

function rotate(
  { directory }: Machine,
  args: readonly string[] = ['--yes'],
  options: RunOptions = {},
): Promise<Ran> {
  const env = { BOTCTL_CONFIG_DIR: directory, ...options.env };
  return botctl(['keys', 'rotate', '--retries', '0', ...args], { clock: withoutWaiting(), ...options, env });
}

function filePair(keyId: unknown, file: string): Pair {
  return { keyId: String(keyId), secret: readFileSync(file, 'utf8').trimEnd() };
}

function row({ stdout }: Ran): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The requests of a rotation: token, old key, create, token, new key, old key, list, delete. */
const requests = 8;

describe('keys rotate, the key of a profile', () => {
  test('stores a new key in the profile and deletes the old one', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const ran = await rotate(machine, ['--yes', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const pair = profilePair(machine);
    await machine.expectConverged(pair);
    expect(row(ran)).toEqual({
      key_id: pair.keyId,
      name: expect.stringMatching(/^ci-[b-z2-9]{8}$/),
      expires_at: null,
      replaced_key_id: machine.old.keyId,
      replaced_last_used: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      replaced_deleted: true,
      profiles: ['default'],
      secret_file: null,
    });
    expect(ran.stderr).toContain(machine.old.keyId);
    expect(ran.stderr).toContain('was last used at');
    expect(ran.stdout + ran.stderr).not.toContain(pair.secret);
    expect((await botctl(['whoami'], { env: { BOTCTL_CONFIG_DIR: machine.directory } })).exitCode).toBe(0);
    // The files that contain the old key's id, after the profile and the token were replaced.
    const files = Object.entries(machine.files()).filter(([, text]) => text.includes(machine.old.keyId));
    expect(files).toEqual([]);
  });

  const shapes = [
    ['table', /Key ID\s+key_/],
    ['ndjson', /^\{"key_id":"key_/],
    ['csv', /^key_id,name/],
    ['tsv', /^key_id\tkey_/],
    ['yaml', /^key_id: key_/],
    ['id', /^key_[\da-f]+\n$/],
  ] as const;
  test.each(shapes)('prints the result with -o %s', async (format, shape) => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const ran = await rotate(machine, ['--yes', '-o', format]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(shape);
    expect(ran.stdout).toContain(profilePair(machine).keyId);
    expect(ran.stdout + ran.stderr).not.toContain(profilePair(machine).secret);
  });

  test('does not show the secret on a terminal', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const masked = await rotate(machine, ['--yes'], { terminal: true });
    expect(masked.exitCode, masked.stderr).toBe(0);
    expect(masked.stdout).not.toContain(profilePair(machine).secret);
    expect(masked.stderr).toContain('The new secret is in profile default, and nowhere else.');
  });

  test('makes logout ask before it deletes a new secret that only this profile has', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const env = { BOTCTL_CONFIG_DIR: machine.directory };
    const rotated = await rotate(machine);
    expect(rotated.exitCode, rotated.stderr).toBe(0);
    const pair = profilePair(machine);
    const unasked = await botctl(['logout'], { env });
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    const answers = { 'Sign out anyway?': 'n' };
    const declined = await botctl(['logout'], { env, answers, terminal: { columns: 1000, rows: 40 } });
    expect(declined.exitCode, declined.stderr).toBe(3);
    expect(declined.stderr).toContain(`Profile default has the only copy of the secret of key ${pair.keyId}`);
    expect(profilePair(machine)).toEqual(pair);
    const signedOut = await botctl(['logout', '--yes'], { env });
    expect(signedOut.exitCode, signedOut.stderr).toBe(0);
    expect(machine.settings.profiles.list()).toEqual([]);
  });

  const keepers = [
    ['a file has it, too', ['--secret-file', 'key.secret']],
    ['a command has taken it', ['--then', 'cat >/dev/null']],
  ] as const;
  test.each(keepers)('does not make logout ask if %s', async (_where, args) => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const given = args.map((word) => (word === 'key.secret' ? join(temporaryDirectory(), word) : word));
    expect((await rotate(machine, ['--yes', ...given])).exitCode).toBe(0);
    const ran = await botctl(['logout'], { env: { BOTCTL_CONFIG_DIR: machine.directory } });
    expect(ran.exitCode, ran.stderr).toBe(0);
  });

  test('does not make logout ask if another profile has the new key, or the user typed its secret', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const { profiles } = machine.settings;
    const env = { BOTCTL_CONFIG_DIR: machine.directory };
    const save = (name: string, { keyId, secret }: Pair): Promise<void> =>
      profiles.save({ name, baseUrl: sandbox.baseUrl, keyId, keySecret: new Secret(secret) });
    await save('second', machine.old);
    expect((await rotate(machine)).exitCode).toBe(0);
    expect((await botctl(['logout', '--profile', 'second'], { env })).exitCode).toBe(0);
    expect((await botctl(['logout'], { env })).exitCode).toBe(2);
    await save('default', profilePair(machine));
    expect((await botctl(['logout'], { env })).exitCode).toBe(0);
  });

  test('asks first, naming the old key, the new one and the destination of its secret', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const answers = { 'Continue?': 'n' };
    const ran = await rotate(machine, [], { terminal: { columns: 1000, rows: 40 }, answers });
    expect(ran.exitCode).toBe(3);
    for (const words of [`ci (${machine.old.keyId})`, '"ci-', 'never expires', 'profile default'])
      expect(ran.stderr).toContain(words);
    const unasked = await rotate(machine, []);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    expect((await machine.keys()).length).toBe(4);
    expect(profilePair(machine)).toEqual(machine.old);
    expect(machine.journals()).toEqual([]);
  });

  test('does not append a suffix to the name on each rotation, and --name sets another', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    await rotate(machine);
    const second = await rotate(machine, ['--yes', '-o', 'json']);
    expect(row(second).name).toMatch(/^ci-[b-z2-9]{8}$/);
    const third = await rotate(machine, ['--yes', '--name', 'deploy', '-o', 'json']);
    expect(row(third).name).toMatch(/^deploy-[b-z2-9]{8}$/);
    await machine.expectConverged(profilePair(machine));
  });

  test('removes the suffix of an earlier version, and keeps a date in the name', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const args = ['--yes', '-o', 'json'];
    await rotate(machine, [...args, '--name', 'ci-20260101 (rotated 2026-01-01-0123456789ab)']);
    expect(row(await rotate(machine, args)).name).toMatch(/^ci-20260101-[b-z2-9]{8}$/);
  });

  test('sets the expiry with --expires, and otherwise the same lifetime as the old key', async () => {
    const day = 86_400_000;
    const expiresAt = new Date(Date.now() + 30 * day).toISOString();
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { expiresAt });
    const lasts = ({ stdout }: Ran): number =>
      Math.round(
        (Date.parse(String(row({ stdout, stderr: '', exitCode: 0 }).expires_at)) - Date.now()) / day,
      );
    expect(lasts(await rotate(machine, ['--yes', '-o', 'json']))).toBe(30);
    expect(lasts(await rotate(machine, ['--yes', '-o', 'json', '--expires', '90d']))).toBe(90);
    expect(lasts(await rotate(machine, ['--yes', '-o', 'json']))).toBe(90);
    const [listed] = (await machine.keys()).filter(({ key_id: id }) => id === profilePair(machine).keyId);
    expect(listed?.expires_at).toBeDefined();
    const past = await rotate(machine, ['--yes', '--expires', '2020-01-01']);
    expect(past.exitCode).toBe(2);
  });

  test('updates every profile that holds the key, keeping its settings, and no others', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const { profiles } = machine.settings;
    const twin = { baseUrl: sandbox.baseUrl, keyId: machine.old.keyId };
    const keySecret = new Secret(machine.old.secret);
    await profiles.save({ ...twin, name: 'twin', keySecret });
    await profiles.configure('twin', () => ({ pageSize: 7 }));
    await profiles.save({ ...twin, name: 'elsewhere', baseUrl: 'https://elsewhere.example', keySecret });
    const ran = await rotate(machine, ['--yes', '-o', 'json']);
    expect(row(ran).profiles).toEqual(['default', 'twin']);
    expect(profiles.get('twin')).toMatchObject({
      keyId: profilePair(machine).keyId,
      settings: { pageSize: 7 },
    });
    expect(profiles.get('elsewhere')?.keyId).toBe(machine.old.keyId);
    expect(profiles.current()).toBe('default');
  });

  test('writes the secret to a --secret-file too, mode 0600', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const file = join(machine.directory, 'new.secret');
    const ran = await rotate(machine, ['--yes', '--secret-file', file, '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(filePair(row(ran).key_id, file)).toEqual(profilePair(machine));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(row(ran).secret_file).toBe(file);
  });
});

describe('keys rotate, a key from the environment', () => {
  test('requires --secret-file: exit code 2, and no requests', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url, { profile: false });
    const ran = await rotate(machine, ['--yes'], { env: machine.oldEnv });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--secret-file');
    expect(front.seen).toEqual([]);
    expect(machine.files()).toEqual({});
  });

  test('writes the secret only to --secret-file', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
    const file = join(machine.directory, 'new.secret');
    const ran = await rotate(machine, ['--yes', '--secret-file', file, '-o', 'json'], {
      env: machine.oldEnv,
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const pair = filePair(row(ran).key_id, file);
    await machine.expectConverged(pair);
    expect(ran.stderr).toContain(`BOTCTL_KEY_ID=${pair.keyId}`);
    expect(ran.stdout + ran.stderr).not.toContain(pair.secret);
    const holding = Object.entries(machine.files()).filter(([, text]) => text.includes(pair.secret));
    expect(holding.map(([name]) => name)).toEqual(['new.secret']);
  });

  test('accepts the file with the old secret as the file for the new one', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
    const file = join(machine.directory, 'ci.secret');
    writeFileSync(file, machine.old.secret);
    const { BOTCTL_KEY_SECRET: _, ...rest } = machine.oldEnv;
    const env = { ...rest, BOTCTL_KEY_SECRET_FILE: file };
    const ran = await rotate(machine, ['--yes', '--secret-file', file, '-o', 'json'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    await machine.expectConverged(filePair(row(ran).key_id, file));
  });
});

describe('keys rotate --keep-old', () => {
  test('keeps the old key until --finish, and nothing else deletes it', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const kept = await rotate(machine, ['--yes', '--keep-old', '-o', 'json']);
    expect(kept.exitCode, kept.stderr).toBe(0);
    expect(row(kept)).toMatchObject({ replaced_key_id: machine.old.keyId, replaced_deleted: false });
    expect(kept.stderr).toContain('botctl keys rotate --finish');
    const pair = profilePair(machine);
    for (const one of [machine.old, pair]) expect((await signIn(sandbox.baseUrl, one)).status).toBe(200);
    const plain = await rotate(machine, ['--yes', '-o', 'json']);
    expect(plain.exitCode).toBe(2);
    expect(plain.stderr).toContain('botctl keys rotate --finish');
    // A job that runs again after its output was lost has the same result.
    const again = await rotate(machine, ['--yes', '--keep-old', '-o', 'json']);
    expect(row(again)).toMatchObject({ key_id: pair.keyId, replaced_deleted: false });
    expect((await signIn(sandbox.baseUrl, machine.old)).status).toBe(200);
    const finished = await rotate(machine, ['--yes', '--finish', '-o', 'json']);
    expect(finished.exitCode, finished.stderr).toBe(0);
    expect(row(finished)).toMatchObject({ key_id: pair.keyId, replaced_deleted: true });
    await machine.expectConverged(pair);
    const late = await rotate(machine, ['--yes', '--finish']);
    expect(late.exitCode).toBe(2);
    expect(late.stderr).toContain('botctl keys list');
    await machine.expectConverged(pair);
  });

  test('accepts --finish with the old key and with the new one for a key from the environment', async () => {
    for (const finishedBy of ['old', 'new']) {
      const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
      const file = join(machine.directory, 'new.secret');
      const args = ['--yes', '--keep-old', '--secret-file', file, '-o', 'json'];
      const kept = await rotate(machine, args, { env: machine.oldEnv });
      expect(kept.exitCode, kept.stderr).toBe(0);
      const pair = filePair(row(kept).key_id, file);
      const newEnv = { ...machine.oldEnv, BOTCTL_KEY_ID: pair.keyId, BOTCTL_KEY_SECRET: pair.secret };
      const env = finishedBy === 'old' ? machine.oldEnv : newEnv;
      const finished = await rotate(machine, ['--yes', '--finish'], { env });
      expect(finished.exitCode, finished.stderr).toBe(0);
      await machine.expectConverged(pair);
    }
  });

  test('asks what happens to which key, and cannot be combined with --finish', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const terminal = { columns: 1000, rows: 40 };
    const ran = await rotate(machine, ['--keep-old'], { terminal, answers: { 'Continue?': 'n' } });
    expect(ran.stderr).toContain(`${machine.old.keyId} is kept for now. Continue?`);
    const both = await rotate(machine, ['--keep-old', '--finish', '--yes']);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('--keep-old and --finish');
  });

  test('keeps the old key if interrupted before the new one was stored, and a plain run continues', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    front.fail(3, 'lost and cut');
    const cut = await rotate(machine, ['--yes', '--keep-old']);
    expect(cut.exitCode).toBe(8);
    expect(cut.stderr).toContain('botctl keys rotate --keep-old');
    front.fail(undefined);
    expect((await rotate(machine)).exitCode).toBe(0);
    for (const pair of [machine.old, profilePair(machine)])
      expect((await signIn(sandbox.baseUrl, pair)).status).toBe(200);
  });
});

describe('keys rotate --then', () => {
  test('gives a command the new secret and its id, while the old key still works', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url, { profile: false });
    const taken = join(machine.directory, 'taken');
    const line = `cat > '${taken}'; printf %s "$BOTCTL_NEW_KEY_ID" > '${taken}.id'; echo stored; cat '${taken}' >&2`;
    let isOldThere: boolean | undefined;
    // The list before the delete of the old key, which is the last request.
    front.fail(requests - 2, async () => {
      isOldThere = (await signIn(sandbox.baseUrl, machine.old)).status === 200;
      expect(readFileSync(taken, 'utf8')).not.toBe('');
    });
    const ran = await rotate(machine, ['--yes', '--then', line, '-o', 'json'], { env: machine.oldEnv });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(isOldThere).toBe(true);
    const pair = { keyId: readFileSync(`${taken}.id`, 'utf8'), secret: readFileSync(taken, 'utf8') };
    expect(row(ran)).toMatchObject({ key_id: pair.keyId, replaced_deleted: true, secret_file: null });
    expect(ran.stderr).toContain('stored');
    expect(ran.stdout + ran.stderr).not.toContain(pair.secret);
    await machine.expectConverged(pair);
  });

  test('keeps the old key if the command fails, and prints how to continue', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const ran = await rotate(machine, ['--yes', '--then', 'echo no vault >&2; exit 3']);
    expect(ran.exitCode).toBe(10);
    for (const words of ['no vault', 'exit code 3', 'keys rotate --then COMMAND', 'keys rotate --finish'])
      expect(ran.stderr).toContain(words);
    for (const pair of [machine.old, profilePair(machine)])
      expect((await signIn(sandbox.baseUrl, pair)).status).toBe(200);
    expect((await rotate(machine)).exitCode).toBe(2);
    const again = await rotate(machine, ['--yes', '--then', 'true']);
    expect(again.exitCode, again.stderr).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });

  test('keeps the old key if the secret is stored nowhere else and the command fails or skips it, and --finish refuses', async () => {
    const commands = [
      ['false', 'exit code 1'],
      ['true', 'did not read the new secret'],
      ['head -c 3 >/dev/null', 'did not read the new secret'],
    ] as const;
    for (const [line, why] of commands) {
      const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
      const env = machine.oldEnv;
      const ran = await rotate(machine, ['--yes', '--then', line], { env });
      expect(ran.exitCode, line).toBe(10);
      expect(ran.stderr).toContain(why);
      expect(ran.stderr).toContain('keys rotate --finish --secret-file FILE');
      for (const args of [['--finish'], [], ['--keep-old']]) {
        const refused = await rotate(machine, ['--yes', ...args], { env });
        expect(refused.exitCode, args.join(' ')).toBe(2);
        expect(refused.stderr).toContain('keys rotate --finish --secret-file FILE');
        expect((await signIn(sandbox.baseUrl, machine.old)).status).toBe(200);
      }
      const file = join(machine.directory, 'new.secret');
      const finish = line === 'true' ? ['--then', `cat > '${file}'`] : ['--finish', '--secret-file', file];
      const ended = await rotate(machine, ['--yes', '-o', 'json', ...finish], { env });
      expect(ended.exitCode, ended.stderr).toBe(0);
      await machine.expectConverged(filePair(row(ended).key_id, file));
    }
    const help = (await botctl(['keys', 'rotate', '--help'])).stdout.replaceAll(/\s+/g, ' ');
    expect(help).toContain('shell command that reads the new secret from stdin');
    expect(help).toContain(
      'kept if the command does not read its stdin and the secret is saved nowhere else',
    );
  });

  test('lets --finish delete the old key after a later command received the secret', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
    const file = join(machine.directory, 'taken');
    const env = machine.oldEnv;
    const kept = await rotate(machine, ['--yes', '--keep-old', '--then', `cat > '${file}'`], { env });
    expect(kept.exitCode, kept.stderr).toBe(0);
    const finished = await rotate(machine, ['--yes', '--finish', '-o', 'json'], { env });
    expect(finished.exitCode, finished.stderr).toBe(0);
    await machine.expectConverged(filePair(row(finished).key_id, file));
  });

  test('shows no part of the new secret, however much the command prints after it', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const line = 'cat; head -c 3960 /dev/zero | tr "\\0" x';
    const ran = await rotate(machine, ['--yes', '--then', line]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const { secret } = profilePair(machine);
    const printed = ran.stderr.replaceAll(/\s/g, '');
    expect(printed).toContain('xxxx');
    expect(printed).not.toContain(secret.slice(-8));
  });

  test('gives the command no part of the old key', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
    const line = 'cat >/dev/null; env | grep ^BOTCTL_KEY | cut -d= -f1; echo "of $BOTCTL_NEW_KEY_ID"';
    const { BOTCTL_KEY_SECRET: secret = '', ...rest } = machine.oldEnv;
    const file = join(machine.directory, 'old.secret');
    writeFileSync(file, secret);
    const ran = await rotate(machine, ['--yes', '--then', line], {
      env: { ...rest, BOTCTL_KEY_SECRET_FILE: file },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/^of \S+$/m);
    expect(ran.stderr).not.toMatch(/^\W*BOTCTL_KEY_(ID|SECRET|SECRET_FILE)$/m);
  });

  test('stops everything that the command started on a signal, and keeps the old key', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const [started, ended] = [join(machine.directory, 'started'), join(machine.directory, 'ended')];
    const inner = `trap "echo > '${ended}'; exit" TERM; echo > '${started}'; while :; do sleep 0.05; done`;
    const controller = new AbortController();
    // Its shell reports the sleep that the signal ended, and would die of a stderr that is closed by then.
    const run = rotate(machine, ['--yes', '--then', `sh -c ${shellLiteral(inner)} 2>/dev/null | cat`], {
      signal: controller.signal,
    });
    await expect.poll(() => existsSync(started), { timeout: 20_000 }).toBe(true);
    controller.abort(new Failure('terminated', 'Terminated.'));
    const ran = await run;
    expect(ran.exitCode).toBe(143);
    await expect.poll(() => existsSync(ended), { timeout: 10_000 }).toBe(true);
    expect((await signIn(sandbox.baseUrl, machine.old)).status).toBe(200);
  });

  test('runs it with --keep-old, and keeps the old key', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const ran = await rotate(machine, ['--yes', '--keep-old', '--then', 'cat >/dev/null', '-o', 'json']);
    expect(row(ran)).toMatchObject({ replaced_deleted: false });
    expect((await signIn(sandbox.baseUrl, machine.old)).status).toBe(200);
  });
});

describe('keys rotate refuses, and changes nothing,', () => {
  async function expectUntouched(machine: Machine): Promise<void> {
    expect((await machine.keys()).length).toBe(4);
    if (machine.settings.profiles.get('default')) expect(profilePair(machine)).toEqual(machine.old);
    expect(machine.journals()).toEqual([]);
  }

  test('if the file cannot be written', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    for (const file of [machine.directory, join(machine.directory, 'nowhere', 'file'), '/dev/null']) {
      const ran = await rotate(machine, ['--yes', '--secret-file', file]);
      expect(ran.exitCode, ran.stderr).toBe(2);
    }
    await expectUntouched(machine);
  });

  test('if no journal can be written', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl, { profile: false });
    const env = { ...machine.oldEnv, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const file = join(temporaryDirectory(), 'new.secret');
    const ran = await rotate(machine, ['--yes', '--secret-file', file], { env });
    expect(ran.exitCode, ran.stderr).toBe(2);
    expect(ran.stderr).toContain('rotation');
    await expectUntouched(machine);
  });

  test('if the journal is broken, which it names', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    await rotate(machine);
    const file = join(machine.directory, 'rotations', 'broken.json');
    writeFileSync(file, '{"origin":');
    const ran = await rotate(machine);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(file);
  });

  test('for a protected profile without its name', async () => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    await machine.settings.profiles.configure('default', () => ({ protected: true }));
    expect((await rotate(machine)).exitCode).toBe(2);
    await expectUntouched(machine);
    const ran = await rotate(machine, ['--yes', '--confirm', 'default']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(machine.settings.profiles.get('default')?.settings?.protected).toBe(true);
  });

  test('while another rotation of the same key is running', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const abort = new AbortController();
    // Token, the old key, then the create.
    front.fail(2, 'lost and silent');
    const first = rotate(machine, ['--yes'], { signal: abort.signal, urgent: abort.signal });
    await front.failed();
    const second = await rotate(machine);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain(`Key ${machine.old.keyId} is being rotated by process ${process.pid}`);
    // The lock of a living process must not be removed.
    expect(second.stderr).not.toContain('rm ');
    abort.abort(new Error('enough'));
    await first;
    const third = await rotate(machine);
    expect(third.exitCode, third.stderr).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });
});

describe('keys rotate, if a step fails,', () => {
  async function failAt(front: Front, machine: Machine, at: number, mishap: Mishap): Promise<Ran> {
    front.fail(at, mishap);
    const ran = await rotate(machine);
    front.fail(undefined);
    return ran;
  }

  /** Resumes a rotation whose create reaches the service while it waits, under the name that this function returns. */
  async function arriveLate(nameOf: (name: string) => string) {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    front.fail(2, 'lost and cut');
    await rotate(machine, ['--yes', '--name', 'continuous integration']);
    front.fail(undefined);
    const [journal = ''] = machine.journals();
    const text = readFileSync(join(machine.directory, 'rotations', journal), 'utf8');
    const [name = ''] = (JSON.parse(text) as { names: string[] }).names;
    const waits: number[] = [];
    let late = '';
    const clock = {
      ...systemClock,
      async sleep(milliseconds: number) {
        waits.push(milliseconds);
        const line = ['keys', 'create', '--name', nameOf(name), '--show-secret', '-o', 'json'];
        late = String(row(await botctl(line, { env: machine.oldEnv })).key_id);
      },
    };
    const again = await rotate(machine, ['--yes'], { clock });
    return { machine, again, waits, late: () => late };
  }

  test('sends the number of requests that these tests assume', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    expect((await rotate(machine)).exitCode).toBe(0);
    expect(front.seen.length).toBe(requests);
  });

  test('exits with code 12 after a lost response to the create, and the next run deletes the orphan', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, 2, 'done and cut');
    expect(ran.exitCode).toBe(12);
    expect(ran.stderr).toContain('botctl keys rotate');
    expect((await machine.keys()).length).toBe(5);
    expect(machine.journals().length).toBe(1);
    const again = await rotate(machine);
    expect(again.exitCode, again.stderr).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });

  test('waits once for a create that has not arrived, and deletes the key that appears meanwhile', async () => {
    const { machine, again, waits } = await arriveLate((name) => name);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(waits).toEqual([60_000]);
    expect(again.stderr).toContain('The key of the earlier run may still appear; waiting 60 s.');
    await machine.expectConverged(profilePair(machine));
  });

  test('reports a create with a truncated name that arrives during the wait: exit code 12, and no run deletes the key', async () => {
    const { machine, again, late } = await arriveLate((name) => name.slice(0, 24));
    expect(again.exitCode, again.stderr).toBe(12);
    expect(again.stderr).toContain(`botctl keys delete ${late()}`);
    expect(profilePair(machine)).toEqual(machine.old);
    await machine.deleteKey(late());
    expect((await rotate(machine)).exitCode).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });

  test('stops waiting for a create on a signal, and can be resumed', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 2, 'lost and cut');
    const stopped = new AbortController();
    const clock = {
      ...systemClock,
      sleep(milliseconds: number, signal?: AbortSignal) {
        stopped.abort(new Failure('interrupted', 'Interrupted.'));
        return systemClock.sleep(milliseconds, signal);
      },
    };
    const ran = await rotate(machine, ['--yes'], { clock, signal: stopped.signal });
    expect(ran.exitCode, ran.stderr).toBe(130);
    expect(ran.stderr).toContain('botctl keys rotate');
    expect(machine.journals()).toHaveLength(1);
    expect((await rotate(machine)).exitCode).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });

  test('keeps the new secret sealed in a private journal until it is stored', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, 3, 'lost and cut');
    expect(ran.exitCode).toBe(8);
    expect(ran.stderr).toContain('Nothing is lost');
    const [journal = ''] = machine.journals();
    const file = join(machine.directory, 'rotations', journal);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(machine.directory, 'rotations')).mode & 0o777).toBe(0o700);
    const text = readFileSync(file, 'utf8');
    await rotate(machine);
    expect(text).not.toContain(profilePair(machine).secret);
    expect(text).not.toContain(machine.old.secret);
    await machine.expectConverged(profilePair(machine));
  });

  test('exits with code 10 once the new key is stored, and the next run deletes the old one', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, 7, 'lost and failed');
    expect(ran.exitCode).toBe(10);
    expect(profilePair(machine).keyId).not.toBe(machine.old.keyId);
    const again = await rotate(machine, ['--yes', '--expires', '90d', '-o', 'json']);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stderr).toContain('--expires are ignored');
    expect(row(again)).toMatchObject({
      replaced_key_id: machine.old.keyId,
      key_id: profilePair(machine).keyId,
    });
    await machine.expectConverged(profilePair(machine));
  });

  test('keeps the profile’s key if killed after the profile was written and before the journal was', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 4, 'lost and cut');
    const [journal = ''] = machine.journals();
    const file = join(machine.directory, 'rotations', journal);
    const created = readFileSync(file);
    await failAt(front, machine, 1, 'lost and cut');
    const { keyId } = profilePair(machine);
    expect(keyId).not.toBe(machine.old.keyId);
    writeFileSync(file, created);
    const again = await rotate(machine);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(profilePair(machine).keyId).toBe(keyId);
    await machine.expectConverged(profilePair(machine));
  });

  test('reports that the next run deletes the new key if the journal cannot be written after the create', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    front.fail(2, async () => {
      const file = join(machine.directory, 'rotations', machine.journals()[0] ?? '');
      rmSync(file);
      mkdirSync(join(file, 'in the way'), { recursive: true });
    });
    const ran = await rotate(machine);
    expect(ran.exitCode, ran.stderr).toBe(2);
    const created = (await machine.keys()).at(-1)?.key_id;
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(`run it again. This deletes the new key ${created}`);
    expect(profilePair(machine)).toEqual(machine.old);
  });

  test('keeps the old key if another user deleted the new one before it was stored, and leaves nothing', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 3, 'lost and cut');
    const orphan = (await machine.keys()).at(-1);
    await machine.deleteKey(orphan?.key_id ?? '');
    const again = await rotate(machine);
    expect(again.exitCode, again.stderr).toBe(6);
    expect(again.stderr).toContain(`Key ${machine.old.keyId} stays in use`);
    expect(profilePair(machine)).toEqual(machine.old);
    expect(machine.journals()).toEqual([]);
    expect((await rotate(machine)).exitCode).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });

  test('does not delete an orphan that another profile uses', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 2, 'done and cut');
    const [answer = ''] = front.lost;
    const orphan = pairOf((JSON.parse(answer) as { data: unknown }).data);
    expect((await signIn(sandbox.baseUrl, orphan)).status).toBe(200);
    const ran = await rotate(machine);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect((await machine.keys()).map(({ key_id: id }) => id)).toContain(orphan.keyId);
  });

  test('leaves nothing after a refused create, and deletes the orphan of the run before', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 2, 'done and cut');
    expect((await machine.keys()).length).toBe(5);
    // The token is cached by now: the old key, list, delete, list, create.
    const ran = await failAt(front, machine, 4, 'refused');
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('Not today');
    expect((await machine.keys()).length).toBe(4);
    expect(machine.journals()).toEqual([]);
    expect(profilePair(machine)).toEqual(machine.old);
  });

  test('restores the old key in the profile if the new one cannot read', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, 5, 'refused');
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('Not today');
    // The key was used, if only here, so the user has to delete it.
    const [left] = (await machine.keys()).slice(-1);
    expect(ran.stderr).toContain(`botctl keys delete ${left?.key_id}`);
    expect(profilePair(machine)).toEqual(machine.old);
    expect(machine.journals()).toEqual([]);
  });

  test('exits with code 10 if the service keeps the old key, and does not retry', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, 7, 'refused');
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain('Not today');
    expect(ran.stderr).toContain(`botctl keys delete ${machine.old.keyId}`);
    expect(machine.journals()).toEqual([]);
    expect(profilePair(machine).keyId).not.toBe(machine.old.keyId);
    expect((await rotate(machine)).exitCode).toBe(0);
    expect((await machine.keys()).map(({ key_id: id }) => id)).toContain(machine.old.keyId);
  });

  test('writes the secret to a --secret-file that is given only with --finish too', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    await failAt(front, machine, 7, 'lost and cut');
    const file = join(machine.directory, 'late.secret');
    const again = await rotate(machine, ['--yes', '--secret-file', file]);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(filePair(profilePair(machine).keyId, file)).toEqual(profilePair(machine));
    await machine.expectConverged(profilePair(machine));
  });

  test('reads the secret from the --secret-file if that has the new one already', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url, { profile: false });
    const file = join(machine.directory, 'ci.secret');
    writeFileSync(file, machine.old.secret);
    const { BOTCTL_KEY_SECRET: _, ...rest } = machine.oldEnv;
    const options = { env: { ...rest, BOTCTL_KEY_SECRET_FILE: file } };
    const args = ['--yes', '--secret-file', file, '-o', 'json'];
    front.fail(5, 'lost and cut');
    expect((await rotate(machine, args, options)).exitCode).toBe(10);
    front.fail(undefined);
    const again = await rotate(machine, args, options);
    expect(again.exitCode, again.stderr).toBe(0);
    await machine.expectConverged(filePair(row(again).key_id, file));
  });

  test('removes the temporary file of a killed run', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const args = ['--yes', '--secret-file', join(machine.directory, 'new.secret')];
    front.fail(3, 'lost and cut');
    await rotate(machine, args);
    front.fail(undefined);
    const [journal = ''] = machine.journals();
    const text = readFileSync(join(machine.directory, 'rotations', journal), 'utf8');
    const { nonce } = JSON.parse(text) as { nonce: string };
    writeFileSync(join(machine.directory, `new.secret.${nonce}`), 'half a sec');
    const again = await rotate(machine, args);
    expect(again.exitCode, again.stderr).toBe(0);
    const left = readdirSync(machine.directory).filter((name) => name.startsWith('new.secret'));
    expect(left).toEqual(['new.secret']);
  });

  test('exits with code 2 if another botctl rotated the key during the question', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    front.fail(1, async () => {
      front.fail(undefined);
      expect((await rotate(machine)).exitCode).toBe(0);
    });
    const late = await rotate(machine, ['--yes', '--error-format', 'json']);
    expect(late.exitCode, late.stderr).toBe(2);
    expect(late.stderr).toContain('Nothing was done here');
    expect(late.stderr).toContain('"INVALID_INPUT"');
    await machine.expectConverged(profilePair(machine));
  });

  test('converges on the next undisturbed run, for any number of failures', async () => {
    const mishap = fc.constantFrom<Mishap>(
      'lost and cut',
      'done and cut',
      'lost and failed',
      'done and failed',
    );
    const failures = fc.array(fc.tuple(fc.nat({ max: requests }), mishap), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(failures, fc.constantFrom('profile', 'environment'), async (mishaps, source) => {
        const front = await startFront(sandbox.baseUrl);
        const machine = await setUpMachine(sandbox, front.url, { profile: source === 'profile' });
        const file = join(machine.directory, 'new.secret');
        const args = source === 'profile' ? ['--yes'] : ['--yes', '--secret-file', file];
        const options = source === 'profile' ? {} : { env: machine.oldEnv };
        let ran: Ran | undefined;
        for (const [at, kind] of [...mishaps, [undefined, undefined] as const]) {
          if (ran?.exitCode === 0) break;
          front.fail(at, kind);
          ran = await rotate(machine, [...args, '-o', 'json'], options);
        }
        expect(ran?.exitCode, ran?.stderr).toBe(0);
        const pair = source === 'profile' ? profilePair(machine) : filePair(ran && row(ran).key_id, file);
        await machine.expectConverged(pair);
        expect(readdirSync(machine.directory).filter((name) => name.startsWith('new.secret.'))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  const mishaps = ['lost and cut', 'done and cut', 'lost and failed', 'done and failed'] as const;
  const whole = Array.from({ length: requests }, (_, at) => mishaps.map((mishap) => [at, mishap] as const));
  const each = whole.flat();
  test.each(each)('converges on the next run if request %i %s', async (at, mishap) => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    const ran = await failAt(front, machine, at, mishap);
    expect([8, 10, 12]).toContain(ran.exitCode);
    expect(ran.stderr).not.toContain('unexpected');
    const again = await rotate(machine);
    expect(again.exitCode, again.stderr).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });
});
