import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Mishap, startFront } from '../commands/keys/front.ts';
import { type Machine, type Pair, profilePair, setUpMachine } from '../commands/keys/rotated-machine.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

/** The requests of a rotation: token, old key, create, token, new key, old key, list, delete. */
const requests = ['sign in', 'read', 'create', 'prove', 'try', 'verify', 'look', 'delete'];

/** A way to run a rotation, and to read the new key afterwards. */
interface Way {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  newKey(stdout: string): Pair;
}

function profileWay(machine: Machine): Way {
  const env = { BOTCTL_CONFIG_DIR: machine.directory };
  return { args: [], env, newKey: () => profilePair(machine) };
}

function environmentWay(machine: Machine): Way {
  const file = join(machine.directory, 'new.secret');
  return {
    args: ['--secret-file', file],
    env: { BOTCTL_CONFIG_DIR: machine.directory, ...machine.oldEnv },
    newKey: (stdout) => ({
      keyId: String((JSON.parse(stdout) as { key_id: unknown }).key_id),
      secret: readFileSync(file, 'utf8').trimEnd(),
    }),
  };
}

function rotate({ args, env }: Way) {
  return start(['keys', 'rotate', '--yes', '-o', 'json', ...args], { env });
}

async function killAndRunAgain(at: number, mishap: Mishap, from: 'profile' | 'environment'): Promise<void> {
  const front = await startFront(sandbox.baseUrl);
  const machine = await setUpMachine(sandbox, front.url, { profile: from === 'profile' });
  const way = from === 'profile' ? profileWay(machine) : environmentWay(machine);

  front.fail(at, mishap);
  const killed = rotate(way);
  await front.failed();
  killed.process.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  front.fail(undefined);

  const again = rotate(way);
  expect(await again.ended, again.output.stderr).toBe(0);
  await machine.expectConverged(way.newKey(again.output.stdout));
}

describe('keys rotate, killed, then run again', () => {
  describe.each(['lost and silent', 'done and silent'] as const)('while a request is %s', (mishap) => {
    it.each(requests.map((name, at) => [name, at] as const))('%s, a profile', (_, at) =>
      killAndRunAgain(at, mishap, 'profile'),
    );
  });

  it.each(requests.map((name, at) => [name, at] as const))(
    'while a request is done and silent: %s, the environment',
    (_, at) => killAndRunAgain(at, 'done and silent', 'environment'),
  );

  it('exits with code 130 on Ctrl-C at once, and suggests how to continue', async () => {
    const front = await startFront(sandbox.baseUrl);
    const machine = await setUpMachine(sandbox, front.url);
    front.fail(2, 'done and silent');
    const stopped = rotate(profileWay(machine));
    await front.failed();
    stopped.process.kill('SIGINT');
    expect(await stopped.ended).toBe('SIGINT');
    expect(stopped.output.stderr).toContain('Run it again');
    front.fail(undefined);
    const again = rotate(profileWay(machine));
    expect(await again.ended, again.output.stderr).toBe(0);
    await machine.expectConverged(profilePair(machine));
  });
});
