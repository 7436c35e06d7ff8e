import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { webhook } from '../../src/hooks/webhook.ts';
import { webhookAddress } from '../../src/hooks/webhook-address.ts';
import { ValueError } from '../../src/lib/parse.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { withoutWaiting } from '../support/fake-clock.ts';
import { certificateFile, type Reaction, startScriptedServer } from '../support/scripted-server.ts';
import { going, hookContext } from './support.ts';

const body = '{"event":"state","name":"Caf\\u00e9 \\"x\\""}';
const delivery = { id: '6f0c1d3e-0000-8000-8000-000000000000', body, device: 'Reception' };

/** Posts a change to a server with these reactions; waiting takes no time. */
async function posted(reactions: readonly Reaction[], secret?: string) {
  const server = await startScriptedServer();
  server.on('POST /hook', ...reactions);
  const waits: number[] = [];
  const { context } = hookContext({}, withoutWaiting(waits));
  const address = webhookAddress(`${server.url}/hook?token=abc`);
  const options = {
    name: undefined,
    secret: secret === undefined ? undefined : new Secret(secret),
    caFile: undefined,
  };
  const hook = webhook(address, options, context);
  const problem = await hook.deliver(delivery, going);
  await hook.close();
  return { problem, seen: server.seenAt('POST /hook'), waits, all: server.seen };
}

const ok: Reaction = { status: 204 };

describe('a webhook', () => {
  it('receives the body with an id, signed by the secret with the time', async () => {
    const { problem, seen } = await posted([ok], 'whsec-0123456789');
    expect(problem).toBeUndefined();
    const [request] = seen;
    expect(request?.body.toString()).toBe(body);
    expect(request?.path).toBe('/hook?token=abc');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'botctl-delivery': delivery.id,
      'user-agent': expect.stringMatching(/^botctl\//),
    });
    const [, time = '', digest] =
      /^t=(\d+),v1=([\da-f]{64})$/.exec(`${request?.headers['botctl-signature']}`) ?? [];
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
    expect(digest).toBe(createHmac('sha256', 'whsec-0123456789').update(`${time}.${body}`).digest('hex'));
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('has no signature without a secret', async () => {
    const { seen } = await posted([ok]);
    expect(seen[0]?.headers).not.toHaveProperty('botctl-signature');
  });

  it.each([
    ['500', [{ status: 500 }, ok]],
    ['429', [{ status: 429 }, ok]],
    ['a connection that breaks', ['reset', 'reset', ok]],
  ] as const)('is tried again after %s, with the same id', async (_, reactions) => {
    const { problem, seen } = await posted(reactions);
    expect(problem).toBeUndefined();
    expect(seen).toHaveLength(reactions.length);
    expect(new Set(seen.map(({ headers }) => headers['botctl-delivery']))).toEqual(new Set([delivery.id]));
  });

  it('is abandoned after three attempts with growing pauses', async () => {
    const { problem, seen, waits } = await posted([{ status: 503 }]);
    expect(problem).toBe('it answered 503 (3 attempts)');
    expect(seen).toHaveLength(3);
    expect(waits).toEqual([2000, 8000]);
    const broken = await posted(['reset']);
    expect(broken.problem).toMatch(/^it can't be reached: .* \(3 attempts\)$/);
    expect(broken.seen).toHaveLength(3);
  });

  it('waits for the requested time, within a limit', async () => {
    const asked = (seconds: string): Reaction => ({ status: 429, headers: { 'retry-after': seconds } });
    expect((await posted([asked('5'), asked('86400'), ok])).waits).toEqual([5000, 30_000]);
  });

  it.each([301, 302, 303, 307, 308])('is not redirected: %d', async (status) => {
    const { problem, all } = await posted([{ status, headers: { location: '/other' } }]);
    expect(problem).toBe(`it answered ${status}, a redirect, which is not followed`);
    expect(all.map(({ path }) => path)).toEqual(['/hook?token=abc']);
  });

  it.each([400, 401, 404, 410])('is not tried again after a refusal: %d', async (status) => {
    const { problem, seen } = await posted([{ status }]);
    expect([problem, seen.length]).toEqual([`it answered ${status}`, 1]);
  });

  it('may send an endless response', async () => {
    const { problem } = await posted([
      (_, response) => {
        response.writeHead(200);
        const more = setInterval(() => response.write('x'.repeat(65_536)), 1);
        response.on('close', () => clearInterval(more));
      },
    ]);
    expect(problem).toBeUndefined();
  });

  it('has ten seconds to respond, and ends with the watch', async () => {
    const server = await startScriptedServer();
    server.on('POST /hook', 'silence');
    const limits: number[] = [];
    const clock = withoutWaiting();
    const { context } = hookContext(
      {},
      {
        ...clock,
        deadline: (milliseconds, signal) => {
          limits.push(milliseconds);
          return clock.deadline(100, signal);
        },
      },
    );
    const options = { name: 'n', secret: undefined, caFile: undefined };
    const hook = webhook(webhookAddress(`${server.url}/hook`), options, context);
    expect(await hook.deliver(delivery, going)).toBe(
      "it can't be reached: no answer within 10 s (3 attempts)",
    );
    expect(limits).toEqual([10_000, 10_000, 10_000]);
    await hook.close();

    const slow = webhook(webhookAddress(`${server.url}/hook`), options, hookContext().context);
    const watch = new AbortController();
    setTimeout(() => watch.abort(), 100);
    expect(await slow.deliver(delivery, watch.signal)).toBe('the watch ended before it had an answer');
    await slow.close();
  });

  it('is trusted only by the certificates of --ca-file', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on('POST /hook', ok);
    const { context } = hookContext({}, withoutWaiting());
    const address = webhookAddress(`${server.url}/hook`);
    for (const [caFile, count] of [
      [undefined, 0],
      [certificateFile, 1],
    ] as const) {
      const hook = webhook(address, { name: 'n', secret: undefined, caFile }, context);
      const problem = await hook.deliver(delivery, going);
      await hook.close();
      expect(problem === undefined).toBe(count === 1);
      expect(problem ?? '').not.toContain('attempts');
      expect(server.seenAt('POST /hook')).toHaveLength(count);
    }
  });
});

describe('the address of a webhook', () => {
  it.each([
    ['http://hooks.example.com/x', 'must be https'],
    ['ftp://hooks.example.com/x', 'must be an address'],
    ['hooks.example.com', 'must be an address'],
    ['https://user:pass@hooks.example.com/x', 'user name or password'],
    ['https://hooks.example.com/x#y', 'before any #'],
  ])('is refused without being repeated: %s', (typed, message) => {
    const parse = (): unknown => webhookAddress(typed);
    expect(parse).toThrow(ValueError);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/user:|hooks\.example\.com\/x/);
  });

  it('is shown only as its host: path and query may contain a token', () => {
    const { context } = hookContext();
    const options = { name: undefined, secret: undefined, caFile: undefined };
    const hook = webhook(webhookAddress('https://hooks.example.com:8443/T0/B0?token=x'), options, context);
    expect(hook.label).toBe('hooks.example.com:8443');
    expect(hook.name).toMatch(/^webhook-[\da-f]{12}$/);
    for (const host of ['http://127.0.0.1:1/x', 'http://localhost/x', 'http://[::1]:9/x'])
      expect(() => webhookAddress(host)).not.toThrow();
  });
});
