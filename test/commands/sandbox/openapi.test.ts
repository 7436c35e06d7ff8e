import { expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';

it('sandbox openapi prints the API as a document', async () => {
  const ran = await botctl(['sandbox', 'openapi']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const document: unknown = JSON.parse(ran.stdout);
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    paths: { '/api/openapi/v1/devices/{id}/connect': { post: expect.anything() } },
  });
});
