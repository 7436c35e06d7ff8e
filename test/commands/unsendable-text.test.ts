import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';
import { type ScriptedServer, type SeenRequest, startScriptedServer } from '../support/scripted-server.ts';
import { send } from '../support/send.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let directory: string;
let server: ScriptedServer;
let [team, bot, device] = ['', '', ''];
let count = 0;

beforeEach(async () => {
  directory = temporaryDirectory();
  team = await service.team('Aurora Coffee');
  bot = await service.createBot(team, 'Front desk');
  device = await service.device(team, bot, 'Reception');
  await service.connect(device);
  // A scripted server in front of the sandbox records bodies, which the sandbox's log lacks.
  server = await startScriptedServer();
  const onward = async ({ method, path, headers, body }: SeenRequest) => {
    const { authorization = '', 'content-type': type = '' } = headers;
    const sending = { method, headers: { authorization, 'content-type': type }, body };
    const answer = await send(sandbox.env.BOTCTL_BASE_URL + path, sending);
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  server.on('POST /api/openapi/auth/token', onward);
  for (const method of ['GET', 'POST', 'PATCH']) server.on(`${method} *`, onward);
});

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A command that sends a text. */
interface Line {
  readonly args: readonly string[];
  readonly options?: RunOptions;
}

/** A way in which text from a file gets into a request. */
interface FileInput {
  /** Returns the content of the file for a text; the text itself by default. */
  readonly content?: (text: string) => string;
  line(path: string): Line;
}

const toPhone = () => ['--device', device, '--to', '+5511988887777'];
const apply = (path: string, ...more: readonly string[]) => ['tenants', 'apply', path, '--yes', ...more];
/** Returns JSON in ASCII, which is valid YAML too. */
const json = (value: unknown) =>
  JSON.stringify(value).replace(
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const tenant = (team: object, bot: object = {}) => {
  count += 1;
  const administrator = { name: 'Ana', email: `ana${count}@aurora.example`, phone: '+5511999990000' };
  const bots = { front: { name: 'Front desk', ...bot } };
  return json({
    version: 1,
    tenants: { [`t${count}`]: { name: 'A', plan_name: 'pro', administrator, bots, ...team } },
  });
};
/** Returns a variable in the syntax of a tenant file. */
const variable = (name: string) => `$\{${name}}`;
const action = (token: string) => ({
  name: 'ring',
  endpoint: 'https://b.example',
  method: 'GET',
  headers: { Authorization: token },
});

const fileInputs: Readonly<Record<string, FileInput>> = {
  'send --message-file': { line: (path) => ({ args: ['send', ...toPhone(), '--message-file', path] }) },
  'send --message-file -': {
    line: (path) => ({
      args: ['send', ...toPhone(), '--message-file', '-'],
      options: { stdin: readFileSync(path) },
    }),
  },
  'api --body': {
    content: (text) => json({ team_id: team, name: text }),
    line: (path) => ({ args: ['api', 'POST', '/api/openapi/v1/bots', '--body', path] }),
  },
  'api --set-file': {
    line: (path) => ({
      args: ['api', 'PATCH', `/api/openapi/v1/bots/${bot}`, '--set-file', `instructions=${path}`],
    }),
  },
  'bots update --file': {
    content: (text) => json({ description: text }),
    line: (path) => ({ args: ['bots', 'update', bot, '--file', path] }),
  },
  'bots update --instructions-file': {
    line: (path) => ({ args: ['bots', 'update', bot, '--instructions-file', path] }),
  },
  'instructions_file of a bot file': {
    line: () => ({
      args: ['bots', 'update', bot, '--file', file('bot.yaml', 'instructions_file: text')],
    }),
  },
  'bots actions add --action-file': {
    content: (text) => json(action(text)),
    line: (path) => ({ args: ['bots', 'actions', 'add', bot, '--action-file', path] }),
  },
  'tenant files': {
    content: (text) => tenant({ name: text }),
    line: (path) => ({ args: apply(path) }),
  },
  'instructions_file of a tenant': {
    line: () => ({ args: apply(file('t.yaml', tenant({}, { instructions_file: 'text' }))) }),
  },
  'the file of a variable': {
    line: () => ({ args: apply(file('t.yaml', tenant({}, { actions: [action(variable('file:text'))] }))) }),
  },
  'tenants apply --vars': {
    content: (text) => json({ name: text }),
    line: (path) => ({ args: apply(file('t.yaml', tenant({ name: variable('var:name') })), '--vars', path) }),
  },
  'tenants apply --each': {
    content: (text) => `key,name\nx${count},"${text}"\n`,
    line(path) {
      const each = tenant({ name: variable('var:name') }).replace(
        /"t\d+":/,
        () => `"${variable('var:key')}":`,
      );
      return { args: apply(file('t.yaml', each), '--each', path) };
    },
  },
};

/** The ways in which text from a command or the environment gets into a request. */
const typedInputs: Readonly<Record<string, (text: string) => Line>> = {
  'send --message': (text) => ({ args: ['send', ...toPhone(), '--message', text] }),
  'bots update --instructions': (text) => ({ args: ['bots', 'update', bot, '--instructions', text] }),
  'bots update --action': (text) => ({ args: ['bots', 'update', bot, '--action', json(action(text))] }),
  'api --set': (text) => ({
    args: ['api', 'PATCH', `/api/openapi/v1/bots/${bot}`, '--set', `name=${json(text)}`],
  }),
  'api --set-string': (text) => ({
    args: ['api', 'PATCH', `/api/openapi/v1/bots/${bot}`, '--set-string', `name=${text}`],
  }),
  'api --file': (text) => ({
    args: [
      ...['api', 'POST', '/api/openapi/v1/documents', '--file', file('menu.txt', 'soup')],
      ...['--set', `team_id=${team}`, '--set', `name=${json(text)}`],
    ],
  }),
  'docs upload --name': (text) => ({
    args: ['docs', 'upload', file('menu.txt', 'soup'), '--team', team, '--name', `${text}.txt`],
  }),
  'keys create --name': (text) => ({ args: ['keys', 'create', '--name', text, '--show-secret'] }),
  'tenants apply --var': (text) => ({
    args: apply(file('t.yaml', tenant({ name: variable('var:name') })), '--var', `name=${text}`),
  }),
  'a variable of the environment': (text) => ({
    args: apply(file('t.yaml', tenant({}, { actions: [action(variable('env:RING'))] }))),
    options: { env: { RING: text } },
  }),
};

async function sentBy({ args, options = {} }: Line) {
  const before = server.seen.length;
  const env = { ...sandbox.env, BOTCTL_BASE_URL: server.url, ...options.env };
  const ran = await botctl(args, { ...options, env });
  const writes = server.seen
    .slice(before)
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/auth/'));
  return { ran, bodies: writes.map(({ body }) => body.toString()) };
}

const unsendable = fc.constantFrom('\0', '\ufffd', '\ufeff', '\ud83d');
const letters = fc
  .string({ unit: fc.constantFrom('a', 'é', 'ß', '日', '😀', ' ') })
  .map((text) => `x${text}x`);

/** Encodings with a byte order mark. */
const marked: Readonly<Record<string, (content: string) => Buffer>> = {
  'UTF-8': (content) => Buffer.from(`\ufeff${content}`),
  'UTF-16LE': (content) => Buffer.from(`\ufeff${content}`, 'utf16le'),
  'UTF-16BE': (content) => Buffer.from(`\ufeff${content}`, 'utf16le').swap16(),
};

/** Contents that are not valid text, for a text of Latin-1 letters. */
const wrong: Readonly<Record<string, (content: string) => Buffer>> = {
  'windows-1252': (content) => Buffer.concat([Buffer.from(content), Buffer.from([0xe9])]),
  'UTF-16 without a mark': (content) => Buffer.from(content, 'utf16le'),
  'UTF-16 that is cut': (content) => Buffer.from(`\ufeff${content}`, 'utf16le').subarray(0, -1),
};

const names = Object.keys(fileInputs);
const fileInput = (name: string): FileInput => fileInputs[name] ?? { line: () => ({ args: [] }) };
const contentOf = (name: string, text: string) => fileInput(name).content?.(text) ?? text;

describe('a text that is sent', () => {
  it.each(names)('is read from a file in any Unicode encoding with a byte order mark: %s', async (name) => {
    const [encoding, encode] = fc.sample(fc.constantFrom(...Object.entries(marked)), 1)[0] ?? [
      '',
      Buffer.from,
    ];
    const path = file('text', encode(contentOf(name, 'Olé 😀!')));
    const { ran, bodies } = await sentBy(fileInput(name).line(path));
    expect(ran.exitCode, `${encoding}: ${ran.stderr}`).toBe(0);
    expect(JSON.stringify(bodies.map((body) => JSON.parse(body)))).toContain('"Olé 😀!"');
  });

  it.each(Object.entries(typedInputs))('arrives as it was typed: %s', async (_, line) => {
    const { ran, bodies } = await sentBy(line('Olé 😀!'));
    expect(bodies.join('\n'), ran.stderr).toContain('Olé 😀!');
  });

  const refused = async (line: Line) => {
    const { ran, bodies } = await sentBy(line);
    expect(ran.exitCode, `${line.args.join(' ')}: ${ran.stdout}${ran.stderr}`).toBe(2);
    expect(
      bodies.filter((body) => /[\0\ufeff\ufffd]|\\u(?:0000|feff|fffd|d83d)(?!\\ude00)/.test(body)),
    ).toEqual([]);
    return ran;
  };

  it('never contains a character from corrupted input, for any input', async () => {
    const typed = fc.constantFrom(...Object.keys(typedInputs)).map((name) => ({ name, isTyped: true }));
    const read = fc.constantFrom(...names).map((name) => ({ name, isTyped: false }));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(typed, read),
        letters,
        unsendable,
        letters,
        async (input, before, wrong, after) => {
          const text = before + wrong + after;
          if (input.isTyped) await refused(typedInputs[input.name]?.(text) ?? { args: [] });
          else await refused(fileInput(input.name).line(file('text', contentOf(input.name, text))));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is not looked up as a name either, typed or from stdin', async () => {
    for (const line of [
      { args: ['bots', 'get', 'Caf\ufffd'] },
      { args: ['bots', 'get', '-'], options: { stdin: Buffer.from('Caf\xe9\n', 'latin1') } },
    ]) {
      const { stderr } = await refused(line);
      expect(stderr).toMatch(/has U\+FFFD|is not UTF-8 at line 1, byte 4/);
    }
  });

  it('is in a supported encoding, for any file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom(...Object.values(wrong)),
        async (name, encode) => {
          await refused(fileInput(name).line(file('text', encode(contentOf(name, 'Hello')))));
        },
      ),
      { numRuns: 100 },
    );
  });
});
