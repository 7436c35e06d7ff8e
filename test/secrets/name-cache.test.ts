import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

it('a name that contains a secret is not cached for completion', async () => {
  const home = temporaryDirectory();
  const { BOTCTL_KEY_SECRET: secret } = sandbox.env;
  await service.team(`Team of ${secret}`);
  await service.team('Acme');
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
  const ran = await botctl(['teams', 'list'], { env, terminal: true });
  expect(ran.exitCode).toBe(0);
  const written = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  expect(written).toContain('Acme');
  expect(written).not.toContain(secret);
});
