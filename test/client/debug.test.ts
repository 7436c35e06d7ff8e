import { describe, expect, it } from 'vitest';
import { Redactor } from '../../src/secrets/redactor.ts';
import { keySecret, openTestApi } from '../support/open-test-api.ts';
import { refusal, startScriptedServer, success } from '../support/scripted-server.ts';

// A scripted server tells secrets with characters that encodings write in different ways: those of the sandbox have none.

const id = '11111111-1111-4111-8111-111111111111';

describe('--debug', () => {
  it('shows requests, answers, timing and retries, and no secret', async () => {
    const server = await startScriptedServer();
    const token = 'token-number-1';
    server.on('GET /api/openapi/v1/teams', refusal(503, 'BUSY', `later, ${keySecret}`), success([]));
    server.on(
      'POST /api/openapi/v1/api-keys',
      success({ key_id: 'k', key_secret: 'the-new-secret', name: token }),
    );
    server.on(
      `GET /api/openapi/v1/devices/${id}/status`,
      success({ device_id: id, qr_code: 'data:image/png;base64,abcd', status: 'started' }),
    );
    const redactor = new Redactor();
    const { api, debug } = openTestApi(server.url, { redactor });
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
});
