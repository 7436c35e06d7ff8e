// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of tenants' files are written so
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../../src/lib/json-object.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { type ScriptedServer, type SeenRequest, startScriptedServer } from '../../support/scripted-server.ts';
import { send } from '../../support/send.ts';

// A scripted server masks and hides values that the sandbox returns.

const sandbox = useSandbox();
const direct = openDirect(sandbox);

let folder: string;
let service: ScriptedServer;
let env: Record<string, string>;
/** Changes a bot to the form in which the service returns its secrets. */
let shown: (bot: JsonObject) => JsonObject;
/** While this is set, reads of a bot fail. */
let isReadLost = false;

const plain = (bot: JsonObject): JsonObject => bot;

/** Replaces header values and the bot's identification name with stars. */
const masking = (bot: JsonObject): JsonObject => ({
  ...bot,
  ...(typeof bot.identification_name === 'string' && { identification_name: '********' }),
  ...(Array.isArray(bot.actions) && {
    actions: bot.actions.map((action: unknown) =>
      isObject(action) && isObject(action.headers)
        ? {
            ...action,
            headers: Object.fromEntries(Object.keys(action.headers).map((name) => [name, '********'])),
          }
        : action,
    ),
  }),
});

const hiding = ({ identification_name: _, actions: _actions, ...bot }: JsonObject): JsonObject => bot;

const ways = [
  ['shows', plain],
  ['masks', masking],
  ['hides', hiding],
] as const;

/** Forwards a request to the sandbox, and changes the returned bots. */
async function relayed({ method, path, headers, body }: SeenRequest) {
  const isBot = method === 'GET' && /\/bots\/[^/?]+$/.test(path);
  if (isBot && isReadLost) return { status: 500, body: {} };
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const answer = await send(`${sandbox.baseUrl}${path}`, {
    method,
    headers: { ...(authorization !== '' && { authorization }), 'content-type': type },
    ...(body.length > 0 && { body: body.toString() }),
  });
  const told = z.record(z.string(), z.unknown()).parse(JSON.parse(answer.body));
  const data = isBot && isObject(told.data) ? { data: shown(told.data) } : {};
  return { status: answer.status, body: { ...told, ...data } };
}

beforeEach(async () => {
  const home = temporaryDirectory();
  folder = join(home, 'tenants');
  mkdirSync(folder);
  service = await startScriptedServer();
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) service.on(`${method} *`, relayed);
  service.on('POST /api/openapi/auth/token', relayed);
  env = {
    ...sandbox.env,
    ...{ BOTCTL_BASE_URL: service.url, BOTCTL_CONFIG_DIR: join(home, 'config') },
    ...{ IDENT: 'first-name', TOK: 'first-token' },
  };
  shown = plain;
  isReadLost = false;
});

/** A bot with two secrets: one by itself, one inside a larger value. */
const bot = (key = 'front', endpoint = 'https://stock.example'): string => `
      ${key}:
        name: Bot ${key}
        identification_name: "\${env:IDENT}"
        actions:
          - { name: stock, method: GET, endpoint: ${endpoint}, headers: { Authorization: "Bearer \${env:TOK}" } }`;

function write(bots = bot(), rest = ''): void {
  writeFileSync(
    join(folder, 'aurora.yaml'),
    `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: pro
    administrator: { name: M, email: m@secrets.example, phone: "+5511999990000" }
    bots:${bots}
${rest}`,
  );
}

const lockPath = (): string => join(folder, 'tenants.lock.json');
const lock = (): string => readFileSync(lockPath(), 'utf8');

const run = (verb: string, ...args: readonly string[]) =>
  botctl(['tenants', verb, folder, ...args, '--retries', '0'], { env, clock: withoutWaiting() });

/** Applies; returns the members that it sent for each changed bot. */
async function applied(...args: readonly string[]) {
  const before = service.seen.length;
  const ran = await run('apply', '--yes', ...args);
  const patches = service.seen.slice(before).filter(({ method }) => method === 'PATCH');
  return { ...ran, sent: patches.map(({ body }) => Object.keys(JSON.parse(body.toString())).sort()) };
}

/** Returns the id of the first bot in the state file. */
const botId = (): string => /bots\/\w+": \{"id":"([^"]+)"/.exec(lock())?.[1] ?? '';

/** Removes the members that an earlier version did not write from the state file. */
function forgetRecords(): void {
  writeFileSync(lockPath(), lock().replaceAll(/,"secrets":\{.*?\}\}/g, ''));
  expect(lock()).not.toContain('"secrets"');
}

describe('a secret in tenant files, if the service', () => {
  it.each(ways)('%s it, is sent once, and again when it changed', async (_, how) => {
    shown = how;
    write();
    expect(await applied()).toMatchObject({ exitCode: 0 });
    await direct.publish(botId());
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    expect(await run('plan', '--check')).toMatchObject({ exitCode: 0 });
    env = { ...env, IDENT: 'second-name' };
    expect(await applied('--allow', 'unpublish')).toMatchObject({
      exitCode: 0,
      sent: [['identification_name']],
    });
    expect(await direct.bot(botId())).toMatchObject({ identification_name: 'second-name' });
    env = { ...env, TOK: 'second-token' };
    expect(await run('plan', '--check')).toMatchObject({ exitCode: 11 });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
    expect(await direct.bot(botId())).toMatchObject({
      actions: [{ headers: { Authorization: 'Bearer second-token' } }],
    });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
  });

  it.each(ways)(
    '%s it, and another user changes it there, is drift as far as that is visible',
    async (_, how) => {
      shown = how;
      write();
      await applied();
      const actions = [{ ...one, headers: { Authorization: 'Bearer of-somebody', 'X-New': 'of-somebody' } }];
      await direct.call('PATCH', `/bots/${botId()}`, { actions });
      const planned = await run('plan', '--check', '-o', 'json');
      for (const told of [planned.stdout, planned.stderr]) expect(told).not.toContain('of-somebody');
      if (how === hiding) {
        expect(planned).toMatchObject({ exitCode: 0 });
        expect(planned.stdout).toContain('"unverifiable":["identification_name","actions"]');
      } else {
        expect(planned).toMatchObject({ exitCode: 11 });
        expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
      }
      expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    },
  );

  it.each(ways)('%s it, is compared in the same way if it is plain text in the file', async (_, how) => {
    shown = how;
    const open = (token: string): string => bot().replace('${env:TOK}', token);
    write(open('first'));
    expect(await applied()).toMatchObject({ exitCode: 0 });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    write(open('second'));
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    write();
    env = { ...env, TOK: 'third' };
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
    write(open('second'));
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
  });

  it('masks it, is recognized although the response could not be read after the write', async () => {
    shown = masking;
    write();
    isReadLost = true;
    expect(await applied()).toMatchObject({ exitCode: 0 });
    isReadLost = false;
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    env = { ...env, TOK: 'second-token' };
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
  });

  it('masks it, is recognized if the response to its create was lost', async () => {
    shown = masking;
    write();
    service.on(
      'POST /api/openapi/v1/bots',
      async (request, response) => {
        await relayed(request);
        response.socket?.resetAndDestroy();
      },
      relayed,
    );
    expect(await applied()).toMatchObject({ exitCode: 0 });
    expect(await direct.bots()).toHaveLength(1);
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    expect(lock()).toContain('"secrets"');
  });

  it('masks it, is recognized when its bot gets another key, and when another part of its field changes', async () => {
    shown = masking;
    write();
    await applied();
    write(
      bot('desk').replace('Bot desk', 'Bot front'),
      'moved: [{ from: aurora/bots/front, to: aurora/bots/desk }]\n',
    );
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
    write(bot('desk', 'https://other.example').replace('Bot desk', 'Bot front'));
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [['actions']] });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
  });
});

const one = { name: 'stock', description: '', endpoint: 'https://stock.example', method: 'GET', body: [] };

describe('the secret records in the state file', () => {
  it('use a slow hash and one salt, and differ for equal secrets', async () => {
    shown = hiding;
    write(bot('front') + bot('desk'));
    await applied();
    const records = [...lock().matchAll(/"salt":"([^"]+)","nonce":"([^"]+)","sent":"([^"]+)"/g)];
    expect(records).toHaveLength(4);
    expect(new Set(records.map(([, salt]) => salt)).size).toBe(1);
    for (const at of [2, 3]) expect(new Set(records.map((record) => record[at])).size).toBe(4);
    for (const secret of ['first-name', 'first-token']) expect(lock()).not.toContain(secret);
  });
});

describe('an unverified secret', () => {
  beforeEach(async () => {
    shown = masking;
    write();
    await applied();
    await direct.publish(botId());
    forgetRecords();
  });

  it('is reported in each format of a plan, and is no drift', async () => {
    for (const [format, words] of [
      ['table', 'Unverified secrets'],
      ['markdown', '**Unverified secrets'],
      ['json', '"unverified":["identification_name","actions"]'],
    ] as const) {
      const ran = await run('plan', '--check', '-o', format);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      expect(ran.stdout).toContain(words);
    }
  });

  it('is kept by an apply, which suggests both options', async () => {
    const ran = await applied();
    expect(ran).toMatchObject({ exitCode: 0, sent: [] });
    expect(ran.stderr).toContain(`botctl tenants apply ${folder} --assume-current`);
    expect(ran.stderr).toContain(`botctl tenants apply ${folder} --allow unpublish`);
    expect(lock()).not.toContain('"secrets"');
    expect(await direct.bot(botId())).toMatchObject({ published: true });
  });

  it('is sent with --allow unpublish', async () => {
    env = { ...env, TOK: 'second-token' };
    expect(await applied('--allow', 'unpublish')).toMatchObject({
      ...{ exitCode: 0, sent: [['actions', 'identification_name']] },
    });
    expect(await direct.bot(botId())).toMatchObject({
      actions: [{ headers: { Authorization: 'Bearer second-token' } }],
    });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
  });

  it('is planned with --allow unpublish as it would be sent, also in a saved plan', async () => {
    const kept = join(temporaryDirectory(), 'plan.json');
    const left = await run('plan', '--out', kept, '-o', 'json');
    expect(left.stderr).toContain(`botctl tenants apply ${folder} --assume-current`);
    expect(await botctl(['tenants', 'apply', '--plan', kept], { env })).toMatchObject({ exitCode: 0 });
    expect(lock()).not.toContain('"secrets"');
    const allowed = ['--allow', 'unpublish', '--yes'];
    expect(await run('plan', '--out', kept, ...allowed, '-o', 'json')).toMatchObject({
      ...{ exitCode: 0, stdout: expect.stringContaining('"action":"update"') },
    });
    expect(readFileSync(kept, 'utf8')).not.toContain('first-token');
    const ran = await botctl(['tenants', 'apply', '--plan', kept, ...allowed], { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await run('plan', '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('is recorded with --assume-current, and changes are detected from then on', async () => {
    expect(await applied('--assume-current')).toMatchObject({ exitCode: 0, sent: [] });
    expect(await direct.bot(botId())).toMatchObject({ published: true });
    const planned = await run('plan', '--check', '-o', 'json');
    expect(planned).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    env = { ...env, TOK: 'second-token' };
    expect(await applied('--allow', 'unpublish')).toMatchObject({ exitCode: 0, sent: [['actions']] });
  });

  it('is recorded next to another change of its bot, and only that change is sent', async () => {
    write(bot().replace('name: Bot front', 'name: Bot front\n        temperature: 0.5'));
    // --allow unpublish would send the secrets too.
    await direct.call('PATCH', `/bots/${botId()}`, { temperature: 1 });
    expect(await applied('--assume-current')).toMatchObject({ exitCode: 0, sent: [['temperature']] });
    expect(await run('plan', '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('accepts one of the two options', async () => {
    const ran = await applied('--assume-current', '--allow', 'unpublish');
    expect(ran).toMatchObject({ exitCode: 2, sent: [], stdout: '' });
  });

  it('needs no option if the service returns the value in the files', async () => {
    shown = plain;
    expect(await run('plan', '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await applied()).toMatchObject({ exitCode: 0, sent: [] });
  });
});
