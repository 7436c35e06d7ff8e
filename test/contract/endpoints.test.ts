import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Endpoint, fillPath, isPathValue, isRepeatable } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { errorEnvelope, errorStatus } from '../../src/contract/envelope.ts';
import { identifiers, timestamp, uuid } from '../../src/contract/schema.ts';
import { anyCharacter } from '../support/any-character.ts';

const all: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);

describe('the endpoints', () => {
  it('are the 23 of the specification', () => {
    expect(all.map(([, { method, path, errors }]) => [`${method} ${path}`, errors.join(', ')])).toEqual([
      ['POST /api/openapi/auth/token', 'UNAUTHORIZED, INTERNAL_ERROR'],
      ['POST /api/openapi/v1/api-keys', 'BAD_REQUEST, UNAUTHORIZED'],
      ['GET /api/openapi/v1/api-keys', 'UNAUTHORIZED, FORBIDDEN'],
      ['GET /api/openapi/v1/api-keys/{keyId}', 'NOT_FOUND'],
      ['DELETE /api/openapi/v1/api-keys/{keyId}', 'BAD_REQUEST, NOT_FOUND'],
      ['POST /api/openapi/v1/teams', 'BAD_REQUEST'],
      ['GET /api/openapi/v1/teams', ''],
      ['GET /api/openapi/v1/teams/{id}', 'NOT_FOUND'],
      ['PATCH /api/openapi/v1/teams/{id}', 'BAD_REQUEST, NOT_FOUND'],
      ['POST /api/openapi/v1/bots', 'BAD_REQUEST'],
      ['GET /api/openapi/v1/bots', ''],
      ['GET /api/openapi/v1/bots/{id}', 'NOT_FOUND'],
      ['PATCH /api/openapi/v1/bots/{id}', 'BAD_REQUEST, NOT_FOUND'],
      ['DELETE /api/openapi/v1/bots/{id}', 'BAD_REQUEST, NOT_FOUND'],
      ['POST /api/openapi/v1/documents', 'BAD_REQUEST'],
      ['GET /api/openapi/v1/documents', ''],
      ['GET /api/openapi/v1/documents/{id}', 'NOT_FOUND'],
      ['PATCH /api/openapi/v1/documents/{id}', 'BAD_REQUEST, NOT_FOUND'],
      ['POST /api/openapi/v1/devices', 'BAD_REQUEST'],
      ['POST /api/openapi/v1/devices/{id}/connect', 'BAD_REQUEST, NOT_FOUND'],
      ['GET /api/openapi/v1/devices/{id}/status', 'NOT_FOUND'],
      ['POST /api/openapi/v1/devices/{id}/disconnect', 'BAD_REQUEST, NOT_FOUND'],
      ['POST /api/openapi/v1/send', 'BAD_REQUEST, FORBIDDEN, NOT_FOUND, INTERNAL_ERROR'],
    ]);
  });

  it('require a token except for the token endpoint', () => {
    expect(all.filter(([, { withoutToken }]) => withoutToken).map(([name]) => name)).toEqual(['createToken']);
  });

  it('may be repeated except for creates and the send', () => {
    expect(
      all.filter(([, endpoint]) => !isRepeatable(endpoint.method, endpoint)).map(([name]) => name),
    ).toEqual(['createKey', 'createTeam', 'createBot', 'createDocument', 'createDevice', 'sendMessage']);
  });

  it.each(all.filter(([, { method }]) => method !== 'GET' && method !== 'DELETE'))(
    '%s refuses an unknown member',
    (_, { body }) => {
      if (!body) return;
      const codes = body.safeParse({ nobody_knows_this: 1 }).error?.issues.map(({ code }) => code);
      expect(codes).toContain('unrecognized_keys');
    },
  );
});

describe('paths', () => {
  it('are filled with encoded values', () => {
    expect(fillPath('/keys/{keyId}', { keyId: 'a/b ?ü' })).toBe('/keys/a%2Fb%20%3F%C3%BC');
    expect(fillPath('/devices/{id}/connect', { id: '1' })).toBe('/devices/1/connect');
  });

  it('are transmitted unchanged for any value, except for invalid ones', () => {
    const dots = fc.constantFrom('.', '..', '...', '%2e', '/', '\\', '', ' ', '\t', '?', '#', 'a');
    const value = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(dots).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(value, (id) => {
        const path = fillPath('/bots/{id}', { id });
        const { pathname, search, hash } = new URL(`http://localhost${path}`);
        const stays = pathname === path && path !== '/bots/' && search === '' && hash === '';
        expect(stays).toBe(isPathValue(id));
      }),
    );
  });

  it('are not filled partially', () => {
    expect(() => fillPath('/teams/{id}', {})).toThrow('id');
  });
});

describe('the schemas', () => {
  it('accept any UUID version', () => {
    expect(uuid.safeParse('11111111-1111-1111-1111-111111111111').success).toBe(true);
    expect(uuid.safeParse('acme').success).toBe(false);
  });

  it('accept times with an offset, and no others', () => {
    for (const time of ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678-03:00']) {
      expect(timestamp.safeParse(time).success).toBe(true);
    }
    for (const time of ['2026-01-02', '2026-02-30T00:00:00Z', '2026-01-02T03:04:05', 'now']) {
      expect(timestamp.safeParse(time).success).toBe(false);
    }
  });

  it('limit temperatures and pages as the specification does', () => {
    const temperature = (value: number) =>
      z.safeParse(endpoints.updateBot.body, { temperature: value }).success;
    expect([-0.01, 0, 2, 2.01].map(temperature)).toEqual([false, true, true, false]);
    const limit = (value: number) => z.safeParse(endpoints.listTeams.query, { limit: value }).success;
    expect([0, 1, 100, 101, 1.5].map(limit)).toEqual([false, true, true, false, false]);
  });

  it('contain what identifies each resource', () => {
    const key = (schema: z.core.$ZodType) => identifiers.get(schema)?.key;
    expect(key(endpoints.getTeam.data)).toBe('id');
    expect(key(endpoints.getKey.data)).toBe('key_id');
    expect(key(endpoints.getDeviceStatus.data)).toBe('device_id');
  });

  it('assign its status to every error code', () => {
    expect(errorEnvelope.shape.code.options).toEqual(Object.keys(errorStatus));
  });
});
