import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mask } from '../../../src/secrets/secret.ts';
import { withDocuments } from '../../../src/tenants/declared-documents.ts';
import {
  exportedTenant,
  redactedContents,
  type TeamContents,
} from '../../../src/tenants/export/exported-tenant.ts';
import { Keys } from '../../../src/tenants/export/keys.ts';
import { filesOf } from '../../../src/tenants/export/tenant-files.ts';
import type { Found } from '../../../src/tenants/live-state.ts';
import { planTenants } from '../../../src/tenants/plan.ts';
import { planRows } from '../../../src/tenants/render/rows.ts';
import type { State } from '../../../src/tenants/state-file.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { readIn } from '../files/files.ts';
import '../../support/properties.ts';

const none: State = { origin: 'https://api.example', entries: new Map() };

/** What looks like something else in YAML, or in the files of tenants. */
const looks = [
  ...`\${env:HOME} $\${env:HOME} $$\${var:a} \${ @menu.txt << *front &front !tag --- ... %TAG \`a\` {a} [a] "a" 'a'`.split(
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
    '\ufeffa',
    'a\ufffd\ufeff',
    '---\na',
    'a\n---\nb',
    'a\n...\n',
  ],
  ...['# a\n# b', 'a\n\n\n b', '\u2028', '\u0085', '\u202e', '\u007f', '\u0007'],
];
const text = fc.oneof(
  fc.constantFrom(...looks),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.array(fc.constantFrom(...looks, ' ', '\n'), { maxLength: 6 }).map((parts) => parts.join('')),
);
const name = text.filter((one) => one.trim() !== '');
const headers = fc.dictionary(
  fc.constantFrom('Accept', 'X-Key', 'authorization', '__proto__', 'a: b', `\${var:a}`),
  text.filter((one) => !/[\r\n\0\ufeff\ufffd]/.test(one)),
  {
    noNullPrototype: true,
  },
);
const action = fc.record({
  ...{ id: fc.uuid(), name: text, description: text, endpoint: text, headers },
  method: fc.constantFrom('GET', 'POST'),
  body: fc.array(
    fc.record({ key: text, value: fc.oneof(text, fc.integer(), fc.boolean()), type: fc.constant('string') }),
    {
      maxLength: 2,
    },
  ),
});
const bot = fc.record({
  name,
  ...{ instructions: text, description: text, identification_name: fc.oneof(text, fc.constant(null)) },
  role: fc.constantFrom('support', 'dynamic', 'sales', 'one that is new'),
  temperature: fc.constantFrom(0, 0.1, 1.5),
  allow_human: fc.boolean(),
  questions: fc.array(fc.record({ question: text, answer: text }), { maxLength: 2 }),
  actions: fc.array(action, { maxLength: 2 }),
  attached: fc.subarray([0, 1, 2]),
});
const team = fc.record({
  ...{ name, plan_name: text, paying: fc.boolean(), banned: fc.boolean() },
  quotas: fc.constantFrom({}, { bots: 3, documents: 0 }),
  documents: fc.array(text, { minLength: 3, maxLength: 3 }),
  bots: fc.array(bot, { maxLength: 3 }),
  devices: fc.array(name, { maxLength: 2 }),
});

/** Ids of a kind, by number. */
function idOf(kind: number, number = 0): string {
  return `00000000-0000-4000-800${kind}-${String(number).padStart(12, '0')}`;
}

/** What the service would show of a team, and the device book knows. */
function contentsOf(made: typeof team extends fc.Arbitrary<infer T> ? T : never): TeamContents {
  const { documents, bots, devices, ...fields } = made;
  const teamId = idOf(0);
  const ids = documents.map((_, at) => idOf(1, at));
  return {
    team: { ...fields, id: teamId },
    documents: documents.map((one, at) => ({ id: ids[at] ?? '', name: one, team_id: teamId })),
    bots: bots.map(({ attached, ...bot }, at) => {
      const id = idOf(2, at);
      const links = attached.map((place) => ({ document_id: ids[place], bot_id: id }));
      return { ...bot, id, team_id: teamId, documents: links };
    }),
    devices: devices.map((one, at) => ({
      ...{ id: idOf(3, at), name: one, teamId, botId: idOf(2) },
      seenAt: '2026-01-01T00:00:00.000Z',
    })),
  };
}

describe('what is exported', () => {
  it('reads as what the service shows, and leaves nothing to plan', async () => {
    await fc.assert(
      fc.asyncProperty(team, async (made) => {
        const contents: TeamContents = JSON.parse(JSON.stringify(contentsOf(made)));
        const exported = exportedTenant('aurora', contents, none);
        if (!exported) throw new Error('it has a name');
        const folder = temporaryDirectory();
        for (const { path, text } of filesOf(exported)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), text);
        }
        const { desired, problems } = await readIn(folder);
        expect(problems).toEqual([]);
        const signal = new AbortController().signal;
        const tenants = await withDocuments(desired.tenants, signal);
        const rows = [contents.team, ...contents.documents, ...contents.bots];
        const found = new Map(
          [...exported.entries].flatMap(([address, { id }]): readonly (readonly [string, Found])[] => {
            const row = rows.find((one) => one.id === id);
            return row ? [[address, { state: 'locked', row }]] : [];
          }),
        );
        const live = {
          found,
          unclear: new Map(),
          usage: new Map(),
          names: new Map(),
          files: new Map(),
          documents: new Map(),
          bookedDevices: new Map(),
          secrets: new Map(),
        };
        const plan = planTenants(tenants, { ...none, entries: exported.entries }, live, new Map());
        expect(planRows(plan)).toEqual([]);
        expect(plan.objects.length).toBe(exported.entries.size);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves out what no file can declare, and notes it in the file', () => {
    const [teamId, front, nameless] = [idOf(0), idOf(2, 0), idOf(2, 1)];
    const device = { teamId, botId: front, seenAt: '2026-01-01T00:00:00.000Z' };
    const exported = exportedTenant(
      'aurora',
      {
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
      },
      none,
    );
    if (!exported) throw new Error('it has a name');
    expect(exported.leftOut).toEqual([
      { address: 'aurora', says: "paying, whose value can't be written" },
      { address: 'aurora', says: "plan_name, whose value can't be written" },
      { address: 'aurora', says: `bot ${nameless}, which has no name` },
      { address: 'aurora/bots/front', says: "role, whose value can't be written" },
      { address: 'aurora/bots/front', says: 'its documents, of which some are not those of the team' },
      ...[1, 3].map((at) => ({
        address: 'aurora',
        says: `device ${idOf(3, at)}, whose name or bot the device book doesn't know`,
      })),
    ]);
    const [file] = filesOf(exported);
    expect(file?.text).toContain("      front:\n        # Left out: role, whose value can't be written.\n");
    expect(file?.text).toContain('      reception: { name: Reception, bot: front }\n');
    expect([...exported.entries.keys()]).toEqual(['aurora', 'aurora/bots/front', 'aurora/devices/reception']);
    expect(
      exportedTenant(
        'aurora',
        { team: { id: teamId, name: ' ' }, documents: [], bots: [], devices: [] },
        none,
      ),
    ).toBeUndefined();
  });

  it('masks secrets that no file can hold', () => {
    const headers = { Authorization: 'two\nlines', Accept: 'text/plain' };
    const bot = {
      id: idOf(2),
      name: 'Front',
      instructions: `${'long '.repeat(40)}of the line`,
      actions: [{ name: 'a', headers }],
    };
    const actions = [
      { ...bot.actions[0], description: '', endpoint: 'https://a.example', method: 'GET', body: [] },
    ];
    const contents = {
      team: { id: idOf(0), name: 'Aurora' },
      documents: [],
      bots: [{ ...bot, actions }],
      devices: [],
    };
    const exported = exportedTenant(
      'aurora',
      redactedContents(contents, (one) => one.replace('of the line', mask)),
      none,
    );
    if (!exported) throw new Error('it has a name');
    const files = filesOf(exported);
    expect(JSON.stringify([...exported.entries])).not.toContain('of the line');
    expect(files.map(({ path }) => path)).toEqual(['aurora.yaml']);
    expect(files[0]?.text).toContain(`long ${mask}`);
    expect(files[0]?.text).toContain(`Authorization: ${mask}`);
  });
});

describe('keys', () => {
  it('are made of names, readable and each once, and of the kind where a name has no letters of ASCII', () => {
    const keys = new Keys(['secrets']);
    const made = ['Café São', 'cafe  sao!', 'Secrets', '日本', ' -x- ', 'A'.repeat(60)].map((one) =>
      keys.keyFor(one, 'team-0f3c'),
    );
    expect(made).toEqual(['cafe-sao', 'cafe-sao-2', 'secrets-2', 'team-0f3c', 'x', 'a'.repeat(40)]);
  });
});
