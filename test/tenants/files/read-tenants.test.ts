// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of tenants' files are written so
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mask } from '../../../src/secrets/secret.ts';
import { revealValue } from '../../../src/tenants/desired.ts';
import { folderOf, problemsIn, readIn } from './files.ts';

const head = 'version: 1\ntenants:\n';
const aurora = `${head}  aurora:\n    name: Aurora Coffee\n`;

const whole = `# yaml-language-server: $schema=tenants.schema.json
version: 1
x-bot: &bot
  role: support
  allow_human: true
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: pro
    paying: true
    quotas: { bots: 3, documents: 50 }
    administrator: { name: Ana Souza, email: ana@aurora.example, phone: "+55 (11) 99999-0000" }
    documents:
      menu: { file: docs/menu.txt }
      faq: { files: "faq/**/*.md" }
      all: { folder: docs }
      terms: { existing: terms.pdf }
    bots:
      front:
        <<: *bot
        name: Front desk
        instructions_file: front.md
        documents: [menu, faq]
        actions:
          - { name: stock, method: GET, endpoint: https://stock.example, headers: { Authorization: "Bearer \${env:STOCK}" } }
    devices:
      reception: { name: Reception, bot: front }
moved:
  - { from: aurora/bots/desk, to: aurora/bots/front }
`;
const texts = {
  'front.md': 'Hello ${env:HOME}, @front.md and $${var:x}\n',
  'docs/menu.txt': 'soup',
  'faq/a.md': 'a',
  'faq/more/b.md': 'b',
};

it('reads a whole tenant with its texts, its documents, and the positions of its values', async () => {
  const folder = folderOf({
    'a.yaml': whole,
    ...texts,
    'tenants.lock.json': '{}',
    'tenants.schema.json': '{}',
  });
  const { desired, problems } = await readIn(folder, { env: { STOCK: 'canary-of-stock' } });
  expect(problems).toEqual([]);
  const [tenant] = desired.tenants;
  const [bot] = tenant?.bots ?? [];
  expect(tenant?.fields.name).toEqual({
    value: 'Aurora Coffee',
    place: { file: join(folder, 'a.yaml'), line: 8, column: 5 },
    isSecret: false,
  });
  expect(Object.keys(tenant?.fields ?? {}).sort()).toEqual(
    ['name', 'paying', 'plan_name', 'quotas.bots', 'quotas.documents'].sort(),
  );
  expect(tenant?.administrator?.phone.value).toBe('+5511999990000');
  expect(tenant?.documents.map(({ source }) => source)).toEqual([
    { kind: 'file', path: join(folder, 'docs/menu.txt') },
    {
      kind: 'files',
      pattern: 'faq/**/*.md',
      paths: [join(folder, 'faq/a.md'), join(folder, 'faq/more/b.md')],
    },
    { kind: 'folder', path: join(folder, 'docs') },
    { kind: 'existing', name: 'terms.pdf' },
  ]);
  expect(bot?.fields.instructions?.value).toBe(texts['front.md']);
  expect(bot?.fields.role).toMatchObject({ value: 'support', place: { line: 4 } });
  expect(bot?.documents?.keys).toEqual(['menu', 'faq']);
  expect(tenant?.devices).toMatchObject([{ address: 'aurora/devices/reception', bot: 'front' }]);
  expect(desired.moved).toMatchObject([{ from: 'aurora/bots/desk', to: 'aurora/bots/front' }]);
  expect(desired.files.map(({ path }) => path)).toEqual([join(folder, 'a.yaml'), join(folder, 'front.md')]);

  const actions = bot?.fields.actions;
  expect(actions?.isSecret).toBe(true);
  expect(JSON.stringify(actions)).not.toContain('canary');
  expect(JSON.stringify(actions)).toContain(mask);
  expect(revealValue(actions?.value ?? null)).toEqual([
    {
      name: 'stock',
      description: '',
      endpoint: 'https://stock.example',
      method: 'GET',
      headers: { Authorization: 'Bearer canary-of-stock' },
      body: [],
    },
  ]);
});

it('reads JSON as YAML', async () => {
  const tenants = { aurora: { name: 'Aurora', bots: { a: { name: '${var:bot}', temperature: 0.5 } } } };
  const folder = folderOf({ 'a.json': JSON.stringify({ $schema: 'x', version: 1, tenants }) });
  const { desired, problems } = await readIn(folder, { var: [{ name: 'bot', value: 'Desk' }] });
  expect(problems).toEqual([]);
  expect(desired.tenants[0]?.bots[0]?.fields).toMatchObject({
    name: { value: 'Desk' },
    temperature: { value: 0.5 },
  });
});

it('reports all mistakes at once, each with file, line and column', async () => {
  const folder = folderOf({
    'a.yaml': `${head}  aurora:
    nam: Aurora
    quotas: { bots: many, documents: -1 }
    paying: perhaps
    administrator: { name: Ana, email: nobody, phone: +5511999990000 }
    documents:
      menu: { file: menu.txt, folder: docs }
      gone: {}
      lost: { file: lost.txt }
      a/b: { existing: b }
      up: { files: ../*.txt }
    bots:
      lost: { name: Lost, instructions_file: lost.md }
      front: { name: "", role: suport, temperature: 3, documents: [menü, menu], document_ids: [], publishd: true, published: true }
      long: { name: Long, actions: [{ name: a, endpoint: "https://a.example", method: GET, headers: { id: 9007199254740993 } }] }
      night: { name: 007, instructions: a, instructions_file: b.md, questions: [{ question: Why? }] }
    devices:
      desk: { name: Desk, bot: fron }
  bad key: { name: X }
`,
    'b.yaml': 'version: 2\ntenants:\n  aurora: { name: Other }\nmovd: []\n',
    'c.yaml': 'version: 1\ntenants:\n  - a\n  bad\n',
  });
  expect(await problemsIn(folder)).toMatchInlineSnapshot(`
    [
      "a.yaml:4:5: aurora.name is missing.",
      "a.yaml:4:5: aurora.nam is not a field; did you mean name?",
      "a.yaml:5:15: aurora.quotas.bots must be a number, not "many".",
      "a.yaml:5:27: aurora.quotas.documents must be a whole number of at least 0, not -1.",
      "a.yaml:6:5: aurora.paying must be true or false, not "perhaps".",
      "a.yaml:7:33: aurora.administrator.email must be an e-mail address, not "nobody".",
      "a.yaml:7:48: aurora.administrator.phone must be text, but without quotes it is a number: write "+5511999990000".",
      "a.yaml:9:7: aurora.documents.menu needs exactly one of file, files, folder, existing, not file and folder.",
      "a.yaml:10:7: aurora.documents.gone needs exactly one of file, files, folder, existing.",
      "a.yaml:11:7: aurora.documents.lost: Can't read lost.txt: there is no such file.",
      "a.yaml:12:7: aurora.documents.a/b must be a key: letters, digits, and inside also a dot, _ or -.",
      "a.yaml:13:7: aurora.documents.up: files must be a path beside or below this file, not "../*.txt".",
      "a.yaml:15:27: aurora.bots.lost.instructions_file: Can't read lost.md: there is no such file.",
      "a.yaml:16:16: aurora.bots.front.name must not be empty.",
      "a.yaml:16:26: aurora.bots.front.role must be one of support, dynamic, sales, not "suport".",
      "a.yaml:16:40: aurora.bots.front.temperature must be a number from 0 to 2, not 3.",
      "a.yaml:16:68: aurora.bots.front.documents.1 names "menü", which is not among the documents of the tenant; did you mean menu?",
      "a.yaml:16:81: aurora.bots.front.document_ids is written as documents: the keys of documents of this tenant.",
      "a.yaml:16:99: aurora.bots.front.publishd is not a field; the fields are name, identification_name, use_audio_responses, allow_user_audio_requests, capture_payments, break_lines, role, description, instructions, temperature, questions, allow_human, actions, instructions_file, documents.",
      "a.yaml:16:115: aurora.bots.front.published can't be written: the API has no way to publish a bot.",
      "a.yaml:17:103: aurora.bots.long.actions.1.headers.id is too long for a number: write "9007199254740993".",
      "a.yaml:18:16: aurora.bots.night.name must be text, but without quotes it is a number: write "007".",
      "a.yaml:18:44: aurora.bots.night.instructions_file can't be combined with instructions.",
      "a.yaml:18:81: aurora.bots.night.questions.1.answer is missing.",
      "a.yaml:20:27: aurora.devices.desk.bot names "fron", which is not among the bots of the tenant; did you mean front?",
      "a.yaml:21:3: "bad key" is not a valid key: use letters, digits, and inside also a dot, _ or -.",
      "b.yaml:1:1: version must be 1, not 2.",
      "b.yaml:3:3: aurora is declared twice: first at a.yaml:3:3.",
      "b.yaml:4:1: movd is not a field; did you mean moved?",
      "c.yaml:4:1: This is neither YAML nor JSON: its indentation does not match.",
    ]
  `);
});

it.each([
  ['tenants: { a: { name: ${var:name}, paying: true } }', '1:24'],
  ['a: b: c', '1:4'],
  ['version: 1\n---\nversion: 1', '2:1'],
  ['', '1:1'],
])('reports invalid YAML once, with its position: %j', async (text, place) => {
  expect(await problemsIn(folderOf({ 'a.yaml': text }))).toEqual([
    expect.stringContaining(`a.yaml:${place}: `),
  ]);
});

it.each(['a: [x\nb: 1\n', 'a: {x: 1\nb: 1\n', 'a: [x'])('reports an unclosed bracket: %j', async (text) => {
  const [problem] = await problemsIn(folderOf({ 'a.yaml': text }));
  expect(problem).toMatch(/a bracket .*is not closed/);
});

it.each(['a: ["x" "y"]', 'a: {"b": 1 "c": 2}'])('does not blame a closed bracket: %j', async (text) => {
  const [problem] = await problemsIn(folderOf({ 'a.yaml': text }));
  expect(problem).toContain('a.yaml:1:');
  expect(problem).not.toContain('above is not closed');
});

describe('aliases', () => {
  it('merge fields with <<, with precedence for own fields and for the first of several', async () => {
    const folder = folderOf({
      'a.yaml': `x-one: &one { plan_name: pro, paying: true }
x-two: &two { plan_name: starter, banned: false }
${head}  aurora: { <<: [*one, *two], name: Aurora, paying: false }
  borealis: { <<: *two, name: Borealis }
`,
    });
    const { desired, problems } = await readIn(folder);
    expect(problems).toEqual([]);
    expect(
      desired.tenants.map(({ fields }) =>
        Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field?.value])),
      ),
    ).toEqual([
      { name: 'Aurora', plan_name: 'pro', paying: false, banned: false },
      { name: 'Borealis', plan_name: 'starter', banned: false },
    ]);
  });

  it('may be many, but not expand to more than 500,000 values', async () => {
    const many = Array.from({ length: 300 }, (_, at) => `  t${at}: { <<: *one, name: T${at} }`).join('\n');
    expect(
      await problemsIn(folderOf({ 'a.yaml': `x-one: &one { plan_name: pro }\n${head}${many}\n` })),
    ).toEqual([]);
    const levels = Array.from(
      { length: 9 },
      (_, at) => `x-${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
    );
    const bomb = `x-0: &l0 [a, b]\n${levels.join('\n')}\n${head}  a: { name: A, bots: *l9 }\n`;
    expect((await problemsIn(folderOf({ 'a.yaml': bomb })))[0]).toContain('more than 500000 values');
  });

  it.each([
    ['name: *gone', '&gone'],
    ['name: A, quotas: &q { bots: *q }', '*q'],
    ['<<: text', '<<'],
    ['name: A, name: B', 'name'],
    ['name: !secret A', '!'],
  ])('{ %s } is refused', async (fields, says) => {
    const problems = await problemsIn(folderOf({ 'a.yaml': `${head}  aurora: { ${fields} }\n` }));
    expect(problems.join('\n')).toContain(says);
  });
});

it('escapes invisible characters in an unknown key', async () => {
  const zero = '\u200b';
  const text = `${head}  a${zero}b: { name: A }
  aurora:
    name: Aurora
    pla${zero}n_name: pro
    bots: { fro${zero}nt: { name: Front } }
    devices: { desk: { name: Desk, bot: "fron${zero}t" } }
`;
  const problems = (await problemsIn(folderOf({ 'a.yaml': text }))).join('\n');
  expect(problems).not.toContain(zero);
  for (const shown of [
    '"a\\u200bb" is not a valid key',
    'pla\\u200bn_name is not a field',
    'bots.fro\\u200bnt must be a key',
    'names "fron\\u200bt"',
  ])
    expect(problems).toContain(shown);
});

describe('a missing path', () => {
  it.each([
    ['documents: { a: { file: docs/menü.txt } }', 'docs/menu.txt', 'Did you mean docs/menu.txt?'],
    ['documents: { a: { file: "cafe\u0301.txt" } }', 'caf\u00e9.txt', 'accents'],
  ])('is reported with a similar path: %s', async (written, there, says) => {
    const folder = folderOf({ 'a.yaml': `${aurora}    ${written}\n`, [there]: 'x' });
    expect((await problemsIn(folder)).join('\n')).toContain(says);
  });

  it('causes no suggestion elsewhere', async () => {
    const folder = folderOf({
      'tenants/a.yaml': `${aurora}    documents: { a: { file: away/secret.txt } }\n`,
      'elsewhere/secrets.txt': 'x',
    });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'tenants', 'away'));
    expect((await problemsIn(join(folder, 'tenants'))).join('\n')).not.toContain('secrets.txt');
  });
});

describe('a path', () => {
  it.each([
    [
      'a bot: { name: A, instructions_file: ../secret.md }',
      'instructions_file must be a path beside or below this file, not "../secret.md".',
    ],
    [
      'a bot: { name: A, instructions: "${file:/etc/hostname}" }',
      '${file:/etc/hostname} must be a path beside or below this file',
    ],
    ['a bot: { name: A, instructions_file: gone.md }', 'gone.md: there is no such file.'],
  ])('may lead below the directory of the file that names it: %s', async (bot, says) => {
    const [, fields = ''] = bot.split('bot: ');
    const folder = folderOf({
      'tenants/a.yaml': `${aurora}    bots:\n      a: ${fields}\n`,
      'secret.md': 'x',
    });
    const problems = await problemsIn(join(folder, 'tenants'));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(says);
    expect(problems[0]).toContain('a.yaml:6:');
  });

  it.each([
    ['file: ../menu.txt', 'file must be a path beside or below this file, not "../menu.txt".'],
    ['files: ../*.txt', 'files must be a path beside or below this file, not "../*.txt".'],
    ['folder: ..', 'folder must be a path beside or below this file, not "..".'],
    ['file: docs', 'file names docs, which is not a regular file.'],
    ['folder: a.yaml', 'folder names a.yaml, which is not a folder.'],
    ['files: "*.docx"', 'No file matches '],
  ])('of documents may do so too: %s', async (source, says) => {
    const folder = folderOf({
      'tenants/a.yaml': `${aurora}    documents:\n      a: { ${source} }\n`,
      'tenants/docs/b.md': 'b',
      'menu.txt': 'x',
    });
    expect((await problemsIn(join(folder, 'tenants'))).join('\n')).toContain(says);
  });

  it.each([
    ['files: "v/*.txt"', '"v/*.txt"'],
    ['files: "v/**"', '"v/**"'],
    ['files: "*.txt"', '"*.txt"'],
    ['folder: v', '"v"'],
  ])('of documents cannot leave the folder by a link: %s', async (source, named) => {
    const folder = folderOf({
      'tenants/a.yaml': `${aurora}    documents:\n      a: { ${source} }\n`,
      'private/key.txt': 'x',
    });
    symlinkSync(join(folder, 'private'), join(folder, 'tenants/v'));
    // A file whose name equals the pattern takes precedence over files that match it.
    symlinkSync(join(folder, 'private/key.txt'), join(folder, 'tenants/*.txt'));
    expect(await problemsIn(join(folder, 'tenants'))).toEqual([
      expect.stringContaining(`must be a path beside or below this file, not ${named}.`),
    ]);
  });

  it('of documents may go through a link to a target below', async () => {
    const folder = folderOf({
      'a.yaml': `${aurora}    documents:\n      a: { files: "v/*.txt" }\n`,
      'docs/b.txt': 'x',
    });
    symlinkSync('docs', join(folder, 'v'));
    const { problems, desired } = await readIn(folder);
    expect(problems).toEqual([]);
    expect(desired.tenants[0]?.documents[0]?.source).toMatchObject({ paths: [join(folder, 'v/b.txt')] });
  });
});

describe('a moved key', () => {
  const bots = `${aurora}    bots:\n      front: { name: Front }\n    devices:\n      desk: { name: Desk, bot: front }\n`;
  it.each([
    ['aurora/bots/desk', 'aurora/bots/frnt', 'mean aurora/bots/front'],
    ['aurora/devices/desk', 'aurora/bots/front', 'still declared'],
    ['other/bots/desk', 'aurora/bots/front', 'only a key changes'],
  ])('from %s to %s is refused', async (from, to, says) => {
    const folder = folderOf({ 'a.yaml': `${bots}moved: [{ from: ${from}, to: ${to} }]\n` });
    expect(await problemsIn(folder)).toEqual([expect.stringContaining(says)]);
  });

  it('is below the key that its tenant has now', async () => {
    const moved = 'moved: [{ from: old/bots/desk, to: aurora/bots/front }, { from: old, to: aurora }]\n';
    const { desired } = await readIn(folderOf({ 'a.yaml': bots + moved }));
    expect(desired.moved).toMatchObject([
      { from: 'aurora/bots/desk', to: 'aurora/bots/front' },
      { from: 'old', to: 'aurora' },
    ]);
  });
});
