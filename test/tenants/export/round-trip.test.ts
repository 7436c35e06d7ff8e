// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of tenants' files are written so
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../../src/lib/json-object.ts';
import { SecretSearch } from '../../../src/tenants/export/exported-secrets.ts';
import { exportedTenant, type TeamContents } from '../../../src/tenants/export/exported-tenant.ts';
import { Keys } from '../../../src/tenants/export/keys.ts';
import type { State } from '../../../src/tenants/state-file.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { type ScriptedServer, type SeenRequest, startScriptedServer } from '../../support/scripted-server.ts';
import { send } from '../../support/send.ts';
import '../../support/properties.ts';

const sandbox = useSandbox();
const direct = openDirect(sandbox);

/** A secret, and a placeholder for the secret of the command's own key. */
const [canary, ownSecret] = ['canary-of-a-secret', 'own-secret'];

/** Texts that YAML or the tenant files could interpret as something else. */
const looks = [
  ...'${env:HOME} $${env:HOME} $$${var:a} ${ @menu.txt << *front &front !tag --- ... %TAG `a` {a} [a] "a" a\'b'.split(
    ' ',
  ),
  ...'{{name}} yes NO null ~ true 007 1e3 0x1F .5 1_000 12:30:45 2026-01-01 +5511999990000 ção 日本 👩‍👩‍👧'.split(
    ' ',
  ),
  ...[
    '# no comment',
    'a: b',
    'a #b',
    '- a',
    '? a',
    '| a',
    '> a',
    ' a',
    'a ',
    '\ta',
    'a\t',
    '',
    ' ',
    '\n',
    'a\n',
    'a\n\n',
  ],
  ...[
    '\na',
    ' a\n  b\n',
    'a \nb',
    'a\r\nb',
    'a\rb',
    '---\na',
    'a\n---\nb',
    'a\n...\n',
    '# a\n# b',
    'a\n\n\n b',
  ],
  ...[
    '\u2028',
    '\u0085',
    '\u202e',
    '\u007f',
    '\u0007',
    '\u001b[2J',
    'Açaí',
    '\ufeffa',
    'a\ufffd\ufeff',
    'a␀b',
    'a␁',
    '••••••••',
    '********',
    'Ac\u0327ai\u0301',
    'x'.repeat(3000),
  ],
];
const text = fc.oneof(
  fc.constantFrom(...looks),
  fc.string({ unit: anyCharacter, maxLength: 30 }).map((one) => one.replaceAll('\0', '')),
  fc
    .array(fc.constantFrom(...looks.slice(0, -1), ' ', '\n'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);
const name = text.filter((one) => one.trim() !== '');
const fileName = fc.oneof(
  fc.constantFrom('menu.txt', 'Menü.pdf', 'menu.md', 'me\u0301nu.docx', '.txt', 'a: b.csv', 'null', '007'),
  name.filter((one) => !/[\r\n"\\/\u0085\u2028\ufeff\ufffd]/.test(one) && one.length < 100),
);

const secretHeaders = fc.dictionary(
  fc.constantFrom('Authorization', 'X-Key', 'cookie', '__proto__', 'a: b', '${var:a}'),
  fc.constantFrom('', 'Bearer ', ' ', '${env:HOME} ').map((before) => `${before}${canary}`),
  { noNullPrototype: true },
);
const action = fc.record({
  name: text,
  description: text,
  method: fc.constantFrom('GET', 'POST'),
  endpoint: fc.oneof(
    text,
    fc.constantFrom(
      `https://svc:${canary}@stock.example/`,
      `https://stock.example/?page=1&api_key=${canary}&x=1#end`,
      `https://stock.example/?token=${canary}`,
    ),
  ),
  headers: fc
    .tuple(secretHeaders, fc.constantFrom({}, { Accept: 'text/plain' }, { Accept: { deep: ['a', null, 1] } }))
    .map(([secret, open]): JsonObject => ({ ...secret, ...open })),
  body: fc.array(
    fc.oneof(
      fc.record({
        key: text,
        value: fc.oneof(text, fc.integer(), fc.boolean()),
        type: fc.constant('string'),
      }),
      fc.constant({ key: 'api_key', value: canary, type: 'string' }),
    ),
    { maxLength: 2 },
  ),
});
const bot = fc.record(
  {
    name,
    instructions: text,
    description: text,
    identification_name: fc.oneof(text, fc.constant(null)),
    role: fc.constantFrom('support', 'dynamic', 'sales'),
    temperature: fc.constantFrom(0, 0.1, 1.5, 2),
    allow_human: fc.boolean(),
    use_audio_responses: fc.boolean(),
    allow_user_audio_requests: fc.boolean(),
    capture_payments: fc.boolean(),
    break_lines: fc.boolean(),
    questions: fc.array(fc.record({ question: text, answer: text }), { maxLength: 2 }),
    actions: fc.array(action, { maxLength: 2 }),
    attached: fc.subarray([0, 1]),
  },
  { requiredKeys: ['name', 'attached'] },
);
const team = fc.record({
  name,
  plan_name: name,
  paying: fc.boolean(),
  banned: fc.boolean(),
  quotas: fc.constantFrom({}, { bots: 30, documents: 40, characters: 0 }),
  documents: fc.array(fileName, { maxLength: 2 }),
  bots: fc.array(bot, { maxLength: 2 }),
  devices: fc.array(name, { maxLength: 2 }),
});
const teams = fc
  .array(team, { minLength: 1, maxLength: 2 })
  .chain((teams) =>
    fc
      .boolean()
      .map((isTwin) => (isTwin ? teams.map((one) => ({ ...one, name: teams[0]?.name ?? one.name })) : teams)),
  );
/** A team with the secret in a header of one of its bots. */
const holder: Team = {
  ...{
    name: 'Holder',
    plan_name: 'pro',
    paying: true,
    banned: false,
    quotas: {},
    documents: [],
    devices: [],
  },
  bots: [
    {
      name: 'Holder',
      attached: [],
      actions: [
        {
          ...{ name: 'a', description: '', method: 'GET', endpoint: 'https://stock.example', body: [] },
          headers: { Authorization: `Bearer ${canary}` },
        },
      ],
    },
  ],
};

/** Returns a team with the secret of the command's own key in its texts. */
function withOwnSecret(one: Team): Team {
  return JSON.parse(JSON.stringify(one).replaceAll(ownSecret, sandbox.env.BOTCTL_KEY_SECRET));
}

type Team = typeof team extends fc.Arbitrary<infer T> ? T : never;

const flags = [
  'use_audio_responses',
  'allow_user_audio_requests',
  'capture_payments',
  'break_lines',
  'identification_name',
];

/** The forms in which services return objects. */
const services: Readonly<Record<string, (row: JsonObject) => JsonObject>> = {
  'shows everything': (row: JsonObject) => row,
  'shows no flags': (row: JsonObject) =>
    Object.fromEntries(Object.entries(row).filter(([member]) => !flags.includes(member))),
  'shows null for what is not set': (row: JsonObject) => ({
    ...Object.fromEntries([...flags, 'vector_id'].map((flag) => [flag, null])),
    ...Object.fromEntries(
      Object.entries(row).map(([member, value]) => [
        member,
        value === '' || value === false || (Array.isArray(value) && value.length === 0) ? null : value,
      ]),
    ),
  }),
  'shows some quotas': (row: JsonObject) =>
    isObject(row.quotas) ? { ...row, quotas: { bots: row.quotas.bots, credits: null } } : row,
  'masks headers': (row: JsonObject) =>
    Array.isArray(row.actions)
      ? {
          ...row,
          actions: row.actions.map((one: unknown) =>
            isObject(one) && isObject(one.headers)
              ? {
                  ...one,
                  headers: Object.fromEntries(Object.keys(one.headers).map((header) => [header, '********'])),
                }
              : one,
          ),
        }
      : row,
};

let shown: (row: JsonObject) => JsonObject;
let service: ScriptedServer;

/**
 * Forwards a request to the sandbox, and changes the returned bots and teams. The sandbox refuses NUL and lone
 * surrogates; ␀ and ␁ stand for them.
 */
async function relayed({ method, path, headers, body }: SeenRequest) {
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const answer = await send(`${sandbox.baseUrl}${path}`, {
    method,
    headers: { ...(authorization !== '' && { authorization }), 'content-type': type },
    ...(body.length > 0 && { body: body.toString() }),
  });
  const told = z.parse(
    z.record(z.string(), z.unknown()),
    JSON.parse(answer.body.replaceAll('␀', '\\u0000').replaceAll('␁', '\\ud800')),
  );
  const isOne = method === 'GET' && /\/(bots|teams)\/[^/?]+$/.test(path);
  return {
    status: answer.status,
    body: { ...told, ...(isOne && isObject(told.data) && { data: shown(told.data) }) },
  };
}

beforeEach(async () => {
  service = await startScriptedServer();
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) service.on(`${method} *`, relayed);
  service.on('POST /api/openapi/auth/token', relayed);
});

let made = 0;

/** Creates a team in the sandbox, and adds its devices to the book of a home. Returns its id. */
async function make({ documents, bots, devices, quotas, ...fields }: Team, home: string): Promise<string> {
  const id = await direct.team(`Made ${++made}`);
  await direct.call('PATCH', `/teams/${id}`, {
    ...fields,
    ...(Object.keys(quotas).length > 0 && { quotas: { bots: 30, documents: 40 } }),
  });
  const documentIds: string[] = [];
  for (const one of documents) documentIds.push(await direct.document(id, one));
  const botIds: string[] = [];
  for (const { name, attached, ...rest } of bots) {
    const botId = await direct.createBot(id, name);
    const document_ids = attached.flatMap((at) => documentIds[at] ?? []);
    await direct.call('PATCH', `/bots/${botId}`, {
      ...rest,
      ...(document_ids.length > 0 && { document_ids }),
    });
    botIds.push(botId);
  }
  const [botId] = botIds;
  for (const name of botId === undefined ? [] : devices)
    await booksIn(join(home, 'data')).record(service.url, {
      ...{ id: await direct.device(id, botId ?? '', name), name, teamId: id, botId },
      seenAt: '2026-01-01T00:00:00.000Z',
    });
  return id;
}

/** Returns the texts of the files below a folder by their paths. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path.split(sep).join('/'), readFileSync(join(folder, path), 'utf8')]),
  );
}

describe('tenants export', () => {
  it('writes any teams of any service so that a plan is empty and no secret is to be committed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(services)), teams, async (how, generated) => {
        shown = services[how] ?? shown;
        const home = temporaryDirectory();
        const env = { ...sandbox.env, BOTCTL_BASE_URL: service.url, BOTCTL_CONFIG_DIR: home };
        const ids = [await make(holder, home)];
        for (const one of generated) ids.push(await make(withOwnSecret(one), home));
        const folder = join(home, 'customers');
        const run = async (...args: readonly string[]) => {
          const ran = await botctl(['tenants', ...args, '-o', 'json'], { env });
          expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
          return ran.stdout;
        };
        await run('export', ...ids, '--out', folder);
        const files = filesIn(folder);
        for (const [path, text] of files) {
          expect([path, text]).not.toContain(sandbox.env.BOTCTL_KEY_SECRET);
          // A mask is not a secret, and sending it back would replace one.
          if (path.startsWith('secrets/')) expect(text).not.toContain('****');
          // If a service masks a secret in one place, the secret is unknown and cannot be searched for in other places.
          else if (!how.includes('mask')) expect([path, text].join('\n')).not.toContain(canary);
        }
        expect(await run('plan', folder, '--check')).toBe('[]\n');
        await run('export', ...ids, '--out', folder);
        expect(filesIn(folder)).toEqual(files);
        const before = service.seen.length;
        await run('apply', folder, '--yes');
        const sent = service.seen.slice(before).filter(({ method }) => method !== 'GET');
        expect(sent).toEqual([]);
      }),
      { numRuns: Number(process.env.RUNS ?? 20) },
    );
  }, 600_000);
});

describe('an exported team', () => {
  const none: State = { origin: 'https://api.example', entries: new Map() };
  const exportedFrom = (contents: TeamContents) =>
    exportedTenant('aurora', contents, [], new SecretSearch(none, contents.bots, (one) => one));
  const idOf = (kind: number, number = 0): string =>
    `00000000-0000-4000-800${kind}-${String(number).padStart(12, '0')}`;
  const [teamId, front, nameless] = [idOf(0), idOf(2, 0), idOf(2, 1)];

  it('omits what no file can declare', () => {
    const device = { teamId, botId: front, seenAt: '2026-01-01T00:00:00.000Z' };
    const exported = exportedFrom({
      team: { id: teamId, name: 'Aurora', plan_name: ' ', paying: 'perhaps' },
      documents: [],
      bots: [
        { id: front, name: 'Front', role: 'one that is new', documents: [{ document_id: idOf(1) }] },
        { id: nameless, name: ' ' },
      ],
      devices: [
        { ...device, id: idOf(3, 0), name: 'Reception' },
        { ...device, id: idOf(3, 1) },
        { ...device, id: idOf(3, 2), name: 'Elsewhere', teamId: idOf(9) },
        { ...device, id: idOf(3, 3), name: 'Of a nameless bot', botId: nameless },
      ],
    });
    expect(exported?.omitted).toEqual([
      "aurora: paying, whose value can't be written",
      "aurora: plan_name, whose value can't be written",
      `aurora: bot ${nameless}, whose name a file can't hold`,
      "aurora/bots/front: role, whose value can't be written",
      'aurora/bots/front: its documents, because some do not belong to the team',
      ...[1, 3].map((at) => `aurora: device ${idOf(3, at)}, because the device book lacks its name or bot`),
    ]);
    expect([...(exported?.entries.keys() ?? [])]).toEqual([
      'aurora',
      'aurora/bots/front',
      'aurora/devices/reception',
    ]);
    expect(exportedFrom({ team: { id: teamId, name: ' ' }, documents: [], bots: [], devices: [] })).toBe(
      undefined,
    );
  });

  it.each([
    ['the service hides', '<redacted>', 'whose value the service masks'],
    ['the service masks in part', 'Bearer abc****', 'whose value the service masks'],
    ['has several lines', 'two\nlines', "whose secret a file can't hold"],
  ])('omits actions with a header that %s', (_, Authorization, says) => {
    const one = { name: 'a', description: '', endpoint: 'https://a.example', method: 'GET', body: [] };
    const exported = exportedFrom({
      team: { id: teamId, name: 'Aurora' },
      documents: [],
      bots: [{ id: front, name: 'Front', actions: [{ ...one, headers: { Authorization } }] }],
      devices: [],
    });
    expect(exported?.omitted).toEqual([`aurora/bots/front: actions, ${says}`]);
    expect(JSON.stringify([...(exported?.entries ?? [])])).not.toContain(Authorization);
  });
});

describe('keys', () => {
  it('are derived from names, readable and unique, and from the kind if a name has no ASCII letters', () => {
    const keys = new Keys(['secrets']);
    const made = ['Café São', 'cafe  sao!', 'Secrets', '日本', ' -x- ', 'A'.repeat(60)].map((one) =>
      keys.keyFor(one, 'team-0f3c'),
    );
    expect(made).toEqual(['cafe-sao', 'cafe-sao-2', 'secrets-2', 'team-0f3c', 'x', 'a'.repeat(40)]);
  });
});
