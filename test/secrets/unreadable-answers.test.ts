import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { type Scripted, startScriptedServer, success } from '../support/scripted-server.ts';

// A scripted server is a separate service for each answer, so that no cached token is left and each command requests
// one.

const secret = 'sk-live-0123456789abcdef';
const id = '11111111-1111-4111-8111-111111111111';

/** Answers without the envelope, each with the secret in it. */
const answers: readonly (readonly [what: string, answer: Scripted])[] = [
  ['bare JSON', { body: { access_token: secret, key_secret: secret, token: secret, qr_code: secret } }],
  [
    'other names',
    { body: { success: true, data: { id, key_id: 'k', device_id: id, jwt: secret, value: secret } } },
  ],
  ['a text as data', { body: { success: true, data: secret } }],
  ['a list', { body: [secret, { a: [secret] }] }],
  ['a JSON text', { body: `"${secret}"` }],
  ['a text', { body: secret }],
  ['a form', { body: `access_token=${secret}&token_type=bearer` }],
  ['words', { body: { message: `Keep it: ${secret}` } }],
  ['details', { body: { details: { key_secret: secret } } }],
  ['a text with another status', { status: 500, body: secret }],
  ['bare JSON with another status', { status: 403, body: { secret } }],
];

const calls: readonly (readonly [name: EndpointName, args: readonly string[]])[] = [
  ['createToken', ['teams', 'list']],
  ['createToken', ['doctor']],
  ['createToken', ['api', 'POST', '/api/openapi/auth/token', '--set', 'key_id=k', '--yes']],
  ['createKey', ['keys', 'create', '--name', 'ci', '--show-secret']],
  ['createKey', ['keys', 'rotate', '--then', 'true', '--yes']],
  ['createDevice', ['device', 'create', '--team', id, '--bot', id, '--name', 'Desk', '--discard-token']],
  ['getDeviceStatus', ['device', 'status', id]],
  ['getDeviceStatus', ['device', 'connect', id, '--no-wait']],
];

describe('an unreadable response that may contain a secret', () => {
  it.each(calls)('is not quoted: %s by %j', async (name, args) => {
    const { method, path } = endpoints[name];
    for (const [what, answer] of answers) {
      const server = await startScriptedServer();
      server.on('GET *', success({ id, key_id: 'key', name: 'Desk', team_id: id }));
      const route = `${method} ${path.replace('{id}', id)}`;
      server.on(route, answer);
      const env = {
        BOTCTL_BASE_URL: server.url,
        BOTCTL_KEY_ID: 'key',
        BOTCTL_KEY_SECRET: 'secret-of-the-key',
      };
      const bundle = join(temporaryDirectory(), 'bundle.json');
      for (const more of [[], ['--debug', '--error-format', 'json']]) {
        const bundled = args[0] === 'doctor' ? ['--bundle', bundle] : [];
        const { stdout, stderr } = await botctl([...args, ...bundled, '--retries', '0', ...more], { env });
        const shown = [
          args[0] === 'api' ? '' : stdout,
          stderr,
          existsSync(bundle) ? readFileSync(bundle, 'utf8') : '',
        ];
        expect(server.seenAt(route).length, what).toBeGreaterThan(0);
        expect(shown.join('\n'), `${what}, ${more[0]}`).not.toContain(secret);
      }
    }
  });
});
