import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';

const secret = 'the secret of a key';

it('a name that holds a secret is not remembered for completion', async () => {
  const home = temporaryDirectory();
  const server = await startScriptedServer();
  const teams = [`Team of ${secret}`, 'Acme'].map((name, index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    name,
  }));
  server.on('GET /api/openapi/v1/teams', success(teams, { page: 1, limit: 50, total: 2, totalPages: 1 }));
  const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: secret };
  const ran = await botctl(['teams', 'list'], { env: { ...env, BOTCTL_CONFIG_DIR: home }, terminal: true });
  expect(ran.exitCode).toBe(0);
  const written = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  expect(written).toContain('Acme');
  expect(written).not.toContain(secret);
});
