import { dataUrl, drawCode } from '../../src/sandbox/code-picture.ts';
import { type ScriptedServer, type SeenRequest, startScriptedServer } from '../support/scripted-server.ts';
import { everyForm } from './encodings.ts';

// A scripted server reveals every secret that it received in each answer; the answer of a fault is fixed in advance.

/** The secrets that may leak, each with characters that the encodings write differently. */
export const canaries = {
  keySecret: `canary-key/secret+"42%"~é'7'`,
  accessToken: 'canary-access/token+42~==',
  newKeySecret: 'canary-new-key\\secret/"7"+',
  deviceToken: 'canary-device "token"/1+1',
  qrPayload: '2@canary/payload+of,the=code',
  qrCode: dataUrl(drawCode('2@canary/payload+of,the=code')),
  nextQrPayload: '2@canary/payload+of,the=next,code',
  nextQrCode: dataUrl(drawCode('2@canary/payload+of,the=next,code')),
} as const;

export type Canary = keyof typeof canaries;

export const id = '11111111-1111-4111-8111-111111111111';

/** The behaviours of the service. */
export type Behaviour =
  /** Answers correctly, with its known secrets in every name and text. */
  | 'answers'
  /** Refuses every call except the token's, and echoes every secret that it received or sent. */
  | 'refuses'
  /** Refuses the token call in the same way. */
  | 'refuses the key'
  /** Breaks every connection except the token call's. */
  | 'breaks off'
  /** Answers every call except the token's with a page that contains every secret. */
  | 'is a portal'
  /** Refuses every connection. */
  | 'is not there';

const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

/** Starts a service that reveals every secret it knows, wherever it can. */
export async function startTelltaleService(behaviour: Behaviour): Promise<ScriptedServer> {
  const server = await startScriptedServer();
  const told = new Set<string>([canaries.keySecret]);
  let device: 'waiting' | 'stopped' | 'waiting again' = 'waiting';
  const gossip = (): string => [...told].flatMap(everyForm).join(' ');
  const known = (request: SeenRequest): Record<string, unknown> => {
    const base = { id, team_id: id, bot_id: id, name: `Acme ${gossip()}`, ...times };
    switch (`${request.method} ${request.path.replace(/\?.*/, '').replace('/api/openapi', '')}`) {
      case 'POST /auth/token':
        told.add(canaries.accessToken);
        return { access_token: canaries.accessToken, token_type: 'Bearer', expires_in: 86_400 };
      case 'POST /v1/api-keys':
        return { key_id: id, key_secret: canaries.newKeySecret, ...base };
      case 'POST /v1/devices':
        return { ...base, status: 'stopped', token: canaries.deviceToken, pool_url: gossip() };
      case `GET /v1/devices/${id}/status`:
        return {
          device_id: id,
          status: device === 'stopped' ? 'stopped' : 'started',
          connected: false,
          logged_in: false,
          ...(device !== 'stopped' && {
            qr_code: device === 'waiting' ? canaries.qrCode : canaries.nextQrCode,
          }),
          message: gossip(),
        };
      case `POST /v1/devices/${id}/disconnect`:
        device = 'stopped';
        return { device_id: id, status: 'stopped', message: gossip() };
      case `POST /v1/devices/${id}/connect`:
        device = 'waiting again';
        return { device_id: id, status: 'started', message: gossip() };
      default:
        return {
          ...base,
          key_id: id,
          device_id: id,
          status: 'stopped',
          message: gossip(),
          instructions: gossip(),
          published: false,
          questions: [{ question: 'Open?', answer: gossip() }],
          actions: [{ id, name: 'book', description: gossip(), endpoint: gossip(), method: 'GET' }],
          documents: [{ document_id: id, bot_id: id }],
          quotas: {},
          team: base,
          user: base,
        };
    }
  };
  const rows = (request: SeenRequest): unknown => {
    const row = known(request);
    const paging = { page: 1, limit: 100, total: 1, totalPages: 1 };
    if (request.path.includes('/v1/bots'))
      return { success: true, data: { bots: [row], pagination: paging } };
    return { success: true, data: [row], meta: paging };
  };
  const react = (
    request: SeenRequest,
    response: { socket?: { resetAndDestroy(): unknown } | null },
  ): unknown => {
    const isToken = request.path.includes('/auth/token');
    if (behaviour === 'refuses the key' || (behaviour === 'refuses' && !isToken)) {
      const details = { echo: gossip(), body: request.body.toString() };
      const error = `Refused ${gossip()}`;
      return {
        status: isToken ? 401 : 400,
        body: { success: false, error, code: isToken ? 'UNAUTHORIZED' : 'BAD_REQUEST', details },
      };
    }
    if (behaviour === 'breaks off' && !isToken) return response.socket?.resetAndDestroy();
    if (behaviour === 'is a portal' && !isToken) return { body: `<html>${gossip()}</html>` };
    const isList =
      /\/v1\/(teams|bots|documents|api-keys)(\?|$)/.test(request.path) && request.method === 'GET';
    return { body: isList ? rows(request) : { success: true, data: known(request) } };
  };
  for (const [method, path] of routes) server.on(`${method} /api/openapi${path}`, react);
  if (behaviour === 'is not there') await server.close();
  return server;
}

const routes: readonly (readonly [string, string])[] = [
  ['POST', '/auth/token'],
  ...['teams', 'bots', 'documents', 'api-keys', 'devices'].flatMap((noun) => [
    ['POST', `/v1/${noun}`] as const,
    ['GET', `/v1/${noun}`] as const,
    ...['GET', 'PATCH', 'DELETE'].map((method) => [method, `/v1/${noun}/${id}`] as const),
  ]),
  ['GET', '/v1/api-keys/key-1'],
  ['POST', `/v1/devices/${id}/connect`],
  ['POST', `/v1/devices/${id}/disconnect`],
  ['GET', `/v1/devices/${id}/status`],
  ['POST', '/v1/send'],
];
