import { describe, expect, it } from 'vitest';
import { maskedBody } from '../../src/client/debug.ts';
import { Redactor } from '../../src/secrets/redactor.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { answer, answerInTurn, refuse } from '../support/answer.ts';
import { keySecret } from '../support/open-test-api.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

const { sandbox, open, fail } = useFaultySandbox();

const id = '11111111-1111-4111-8111-111111111111';

describe('--debug', () => {
  it('logs requests, responses, timing and retries, and no secret', async () => {
    const token = 'token-number-1';
    await fail('createToken', answer({ access_token: token, expires_in: 60 }));
    await answerInTurn(sandbox, 'listTeams', refuse(503, 'BUSY', `later, ${keySecret}`), answer([]));
    await fail('createKey', answer({ key_id: 'k', key_secret: 'the-new-secret', name: token }));
    const code = 'data:image/png;base64,abcd';
    await fail('getDeviceStatus', answer({ device_id: id, qr_code: code, status: 'started' }));
    const redactor = new Redactor();
    // This secret has characters that each encoding writes differently.
    const identity = {
      ...{ baseUrl: sandbox.baseUrl, keyId: 'key-1', keySecret: new Secret(keySecret) },
      ...({ source: 'current profile', profile: 'default' } as const),
    };
    const { api, debug } = await open({ identity, redactor });
    await api.call('listTeams', { query: { name: keySecret } });
    await api.call('createKey', { body: { name: 'ci' } });
    await api.call('getDeviceStatus', { path: { id } });
    const text = debug.join('\n');
    expect(debug[0]).toMatch(
      /^→ POST http:\/\/127\.0\.0\.1:\d+\/api\/openapi\/auth\/token \{"key_id":"key-1"/,
    );
    expect(text).toMatch(/← 200 after \d+ ms/);
    expect(text).toContain('waiting 0.5 s before attempt 2: The service failed (503)');
    expect(text).toContain('"name":"ci"');
    for (const secret of [keySecret, encodeURIComponent(keySecret), token, 'the-new-secret', 'abcd']) {
      expect(text).not.toContain(secret);
    }
    expect(redactor.text(`${keySecret} ${token}`)).not.toMatch(/secret|token/);
  });

  it.each(['key_secret', 'access_token', 'token', 'qr_code', 'authorization', 'password'])(
    'masks %s of a path that the contract does not contain, even if the value is unknown',
    (member) => {
      const body = JSON.stringify({ success: true, data: [{ [member]: 'a-value', name: 'Reception' }] });
      const shown = maskedBody(body, new Redactor());
      expect(shown).not.toContain('a-value');
      expect(shown).toContain('Reception');
    },
  );
});
