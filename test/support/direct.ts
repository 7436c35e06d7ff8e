import { expect } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { UsedSandbox } from './sandbox.ts';
import { type Sent, send } from './send.ts';

/** Direct access to the service, without botctl: to set up a test and to inspect its result. */
export interface Direct {
  team(name: string): Promise<string>;
  document(teamId: string, name: string): Promise<string>;
  createBot(teamId: string, name: string): Promise<string>;
  device(teamId: string, botId: string, name: string): Promise<string>;
  /** Makes the sandbox's phone scan the code of a device, three seconds after it is first shown. */
  connect(deviceId: string): Promise<void>;
  bot(id: string): Promise<Record<string, unknown>>;
  bots(): Promise<readonly unknown[]>;
  publish(botId: string): Promise<void>;
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Opens the service of a sandbox. Helpers that create an object return its id. */
export function openDirect(sandbox: UsedSandbox): Direct {
  /** The current token, and the sandbox it belongs to: one that restarts or is reset may need another. */
  let token: { readonly value: string; readonly of: string } | undefined;
  const signIn = async (): Promise<string> => {
    const { BOTCTL_KEY_ID, BOTCTL_KEY_SECRET } = sandbox.env;
    const answer = await send(`${sandbox.baseUrl}/api/openapi/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key_id: BOTCTL_KEY_ID, key_secret: BOTCTL_KEY_SECRET }),
    });
    const { data } = z.parse(
      z.object({ data: z.object({ access_token: z.string() }) }),
      JSON.parse(answer.body),
    );
    return data.access_token;
  };
  const sendSigned = async (method: string, path: string, body: unknown): Promise<Sent> => {
    const of = `${sandbox.baseUrl} ${sandbox.env.BOTCTL_KEY_ID}`;
    if (token?.of !== of) token = { value: await signIn(), of };
    const isForm = body instanceof FormData;
    return await send(`${sandbox.baseUrl}/api/openapi/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token.value}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
  };
  const request = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    let answer = await sendSigned(method, path, body);
    if (answer.status === 401) {
      token = undefined;
      answer = await sendSigned(method, path, body);
    }
    // An error has no data, so the test fails with the whole envelope in the message.
    const envelope = z.parse(
      z.looseObject({ data: z.record(z.string(), z.unknown()) }),
      JSON.parse(answer.body),
    );
    return envelope.data;
  };
  const created = async (path: string, body: unknown): Promise<string> =>
    String((await request('POST', path, body)).id);
  return {
    call: request,
    async team(name) {
      const email = `${name.replaceAll(' ', '.').toLowerCase()}@direct.example`;
      const body = {
        user: { name: 'Admin', email, phone: '+5511999990000' },
        team: { name, plan_name: 'pro' },
      };
      const { team } = await request('POST', '/teams', body);
      return typeof team === 'object' && team !== null && 'id' in team ? String(team.id) : '';
    },
    document(teamId, name) {
      const form = new FormData();
      form.set('team_id', teamId);
      form.set('chars', '5');
      form.set('file', new Blob(['hello']), name);
      return created('/documents', form);
    },
    createBot: (team_id, name) => created('/bots', { team_id, name }),
    device: (team_id, bot_id, name) => created('/devices', { team_id, bot_id, name }),
    async connect(deviceId) {
      await request('POST', `/devices/${deviceId}/connect`);
      await request('GET', `/devices/${deviceId}/status`);
      await callControl(sandbox.control, '/clock', { milliseconds: 4000 });
      expect(await request('GET', `/devices/${deviceId}/status`)).toMatchObject({ connected: true });
    },
    bot: (id) => request('GET', `/bots/${id}`),
    async bots() {
      const { bots } = await request('GET', '/bots?page=1&limit=100');
      return Array.isArray(bots) ? bots : [];
    },
    async publish(botId) {
      await callControl(sandbox.control, '/publish', { bot: botId });
    },
  };
}
