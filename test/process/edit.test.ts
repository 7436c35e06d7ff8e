import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let teamId: string;
let bot: string;
let home: string;

beforeEach(async () => {
  home = temporaryDirectory();
  teamId = await service.team('Aurora Coffee');
  bot = await service.createBot(teamId, 'Front desk');
  const menu = await service.document(teamId, 'menu.txt');
  await service.call('PATCH', `/bots/${bot}`, {
    instructions: 'Be kind.\nBe brief.\n',
    questions: [{ question: 'Open?', answer: 'Until six' }],
    document_ids: [menu],
  });
});

/**
 * Creates an editor: a script whose body gets the opened file as `text` and returns the text to save. It records each
 * text that it was given, and its environment.
 */
function editor(body: string): string {
  const script = join(home, "an editor's script.cjs");
  writeFileSync(
    script,
    `const fs = require('fs');
     const path = process.argv[3];
     const text = fs.readFileSync(path, 'utf8');
     const kept = ${JSON.stringify(join(home, 'seen.json'))};
     const seen = fs.existsSync(kept) ? JSON.parse(fs.readFileSync(kept, 'utf8')) : [];
     seen.push({ pid: process.pid, text, path, mode: fs.statSync(path).mode & 0o777, option: process.argv[2], env: Object.keys(process.env) });
     fs.writeFileSync(kept, JSON.stringify(seen));
     const round = seen.length;
     (async () => { ${body} })().then((saved) => saved === undefined || fs.writeFileSync(path, saved));`,
  );
  return `"${process.execPath}" "${script}" --wait`;
}

interface Seen {
  readonly pid: number;
  readonly text: string;
  readonly path: string;
  readonly mode: number;
  readonly option: string;
  readonly env: readonly string[];
}
const seen = (): readonly Seen[] => JSON.parse(readFileSync(join(home, 'seen.json'), 'utf8'));

interface Edit {
  readonly answers?: Readonly<Record<string, string>>;
  readonly more?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
}

function edit(
  body: string,
  { answers = {}, more = [], env = {}, terminal = true, signal }: Edit = {},
): Promise<Ran> {
  return botctl(['bots', 'edit', 'Front desk', ...more], {
    terminal: terminal && { columns: 300, rows: 40 },
    answers,
    env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, EDITOR: editor(body), ...env },
    ...(signal && { signal }),
  });
}

const drafts = (): readonly string[] => {
  const directory = join(home, 'data', 'drafts');
  return existsSync(directory) ? readdirSync(directory) : [];
};
const rename = "return text.replace('Be brief', 'Be quick')";
const wrong =
  "return text.replace('role: dynamic', 'role: boss').replace('temperature: 1', 'temperature: 9')";

describe('bots edit', () => {
  it('sends only what changed after a question, and leaves no draft', async () => {
    const before = await service.bot(bot);
    const ran = await edit(rename, { answers: { 'Send this to Front desk?': 'y' } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await service.bot(bot)).toEqual({
      ...before,
      instructions: 'Be kind.\nBe quick.\n',
      updated_at: expect.any(String),
    });
    expect(drafts()).toEqual([]);
  });

  it('opens a private file without the secret, in an editor with quotes and options', async () => {
    await edit('return undefined');
    const [{ text, path, mode, option, env } = { text: '', path: '', mode: 0, option: '', env: [] }] = seen();
    expect({ mode, option }).toEqual({ mode: 0o600, option: '--wait' });
    expect(path).toMatch(/data\/drafts\/front-desk-[^/]+\/bot\.yaml$/);
    expect(statSync(join(home, 'data', 'drafts')).mode & 0o777).toBe(0o700);
    expect(env).not.toContain('BOTCTL_KEY_SECRET');
    expect(env).toContain('BOTCTL_CONFIG_DIR');
    expect(text).toMatch(/^# Front desk \([\w-]+\)\n(# .+\n)+\nname: Front desk\n/);
    expect(text).toContain('document_ids:\n  - menu.txt\n');
    expect(text).toContain('identification_name: null\n');
  });

  it('sends nothing if no field was changed', async () => {
    await service.publish(bot);
    const before = await service.bot(bot);
    for (const body of ['return undefined', "return '# mine\\n' + text"]) {
      const ran = await edit(body);
      expect(ran).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: expect.stringContaining('No changes. Nothing was sent.'),
      });
    }
    expect(await service.bot(bot)).toEqual(before);
    expect(drafts()).toEqual([]);
  });

  it('warns that a published bot is unpublished, and keeps the draft after a No', async () => {
    await service.publish(bot);
    const ran = await edit(rename, { answers: { 'is published. Changing it unpublishes it': 'n' } });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(seen()[0]?.text).toContain('It is published');
    expect(await service.bot(bot)).toMatchObject({ published: true });
    expect(drafts()).toHaveLength(1);
    const draft = seen()[0]?.path ?? '';
    expect(ran.stderr).toContain(`Your text is saved in ${draft}`);
    // The suggested command works.
    const line = ['bots', 'update', bot, '--file', draft];
    const next = await botctl(line, { env: sandbox.env, terminal: true, answers: { 'is published': 'y' } });
    expect(next.exitCode, next.stderr).toBe(0);
    expect(await service.bot(bot)).toMatchObject({ instructions: 'Be kind.\nBe quick.\n' });
  });

  it('reports all mistakes, in the file too, until there are none', async () => {
    const body = `if (round === 1) { ${wrong} }
      return text.replace('role: boss', 'role: sales').replace('temperature: 9', 'temperature: 0.5')`;
    const ran = await edit(body, { more: ['--yes'], answers: { 'Edit it again? (Y/n)': '' } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    for (const field of ['role', 'temperature']) expect(ran.stderr).toContain(field);
    expect(seen()[1]?.text).toMatch(/^#! role must.*\n#! temperature must.*\n# Front desk/);
    expect(await service.bot(bot)).toMatchObject({ role: 'sales', temperature: 0.5 });
    expect(drafts()).toEqual([]);
  });

  const unfit = [
    ['wrong values', wrong],
    ['no YAML', "return text + '\\n{'"],
    ['a document that is not there', "return text.replace(/  - .*menu.txt/, '  - nope.txt')"],
  ] as const;
  it.each(unfit)('keeps a draft with %s if it is not corrected', async (_, body) => {
    const before = await service.bot(bot);
    const ran = await edit(body, { answers: { 'Edit it again?': 'n' } });
    expect([2, 5]).toContain(ran.exitCode);
    expect(ran.stderr).toContain('Your text is saved in');
    // In its current form, it can neither be compared nor sent.
    expect(ran.stderr).toContain('Correct it there, then send it: botctl bots update');
    expect(ran.stderr).not.toContain('bots diff');
    expect(drafts()).toHaveLength(1);
    expect(await service.bot(bot)).toEqual(before);
  });

  const ends = [
    [
      'ends badly',
      "fs.writeFileSync(path, text + '# mine'); process.exit(1)",
      3,
      'The editor exited with code 1',
    ],
    [
      'is interrupted',
      "fs.writeFileSync(path, text + '# mine'); process.kill(process.pid, 'SIGINT'); await new Promise((done) => setTimeout(done, 5000))",
      130,
      'Interrupted',
    ],
  ] as const;
  it.each(ends)('keeps the draft of an editor that %s', async (_, body, exitCode, words) => {
    const ran = await edit(body);
    expect(ran).toMatchObject({ exitCode, stderr: expect.stringContaining(words) });
    expect(ran.stderr).toContain('Your text is saved in');
    expect(drafts()).toHaveLength(1);
  });

  it('leaves no draft if there is nothing to keep', async () => {
    expect(await edit('process.exit(1)')).toMatchObject({ exitCode: 3 });
    expect(await edit("return '# nothing\\n\\n'")).toMatchObject({
      exitCode: 3,
    });
    expect(drafts()).toEqual([]);
  });

  it('keeps the draft on Ctrl-C at the question', async () => {
    const ran = await edit(rename, { answers: { 'Send this to Front desk?': '\x03' } });
    expect(ran).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Your text is saved in') });
    expect(drafts()).toHaveLength(1);
  });

  it('ends an editor when it is interrupted itself, and keeps the draft', async () => {
    const stop = new AbortController();
    const { Failure } = await import('../../src/lib/errors.ts');
    const running = edit(
      "fs.writeFileSync(path, text + '# mine'); await new Promise((done) => setTimeout(done, 30000))",
      {
        signal: stop.signal,
      },
    );
    await eventually(() => readFileSync(seen()[0]?.path ?? '', 'utf8').includes('# mine'));
    stop.abort(new Failure('terminated', 'Terminated.'));
    expect(await running).toMatchObject({
      exitCode: 143,
      stderr: expect.stringContaining('Your text is saved in'),
    });
    expect(() => process.kill(seen()[0]?.pid ?? 0, 0)).toThrow('ESRCH');
    expect(drafts()).toHaveLength(1);
  });

  it('opens an editor with an assignment and variables', async () => {
    const script = editor(rename);
    const ran = await edit(rename, {
      more: ['--yes'],
      env: { VISUAL: `MINE=1 ${script.replace(process.execPath, '$THE_NODE')}`, THE_NODE: process.execPath },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(seen()[0]?.env).toContain('MINE');
  });

  it('handles Ctrl-C as before after the editor', async () => {
    const before = process.listeners('SIGINT');
    await edit('return undefined');
    expect(process.listeners('SIGINT')).toEqual(before);
  });

  it('is refused without a terminal, and names the command to use', async () => {
    const ran = await edit(rename, { terminal: false });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('botctl bots update "Front desk" --file');
    expect(existsSync(join(home, 'seen.json'))).toBe(false);
  });

  it('exits with code 2 if there is no editor', async () => {
    const none = await edit('', { env: { EDITOR: ' ', PATH: home } });
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('EDITOR'),
    });
    const lost = await edit('', { env: { VISUAL: '/nowhere/vim -f' } });
    expect(lost).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("can't be started: /nowhere/vim -f"),
    });
    expect(drafts()).toEqual([]);
  });

  it('opens vi if no editor is set', async () => {
    const path = join(home, 'bin');
    mkdirSync(path);
    writeFileSync(join(path, 'vi'), '#!/bin/sh\necho opened > "$1.mark"\n');
    chmodSync(join(path, 'vi'), 0o755);
    expect(await edit('', { env: { EDITOR: '', PATH: path } })).toMatchObject({ exitCode: 0 });
  });

  it('keeps the draft among the temporary files if no data can be written', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const ran = await edit(rename, { env: { BOTCTL_CONFIG_DIR: file }, answers: { 'Send this': 'n' } });
    expect(ran.exitCode).toBe(3);
    const [{ path, mode } = { path: '', mode: 0 }] = seen();
    onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
    expect(mode).toBe(0o600);
    expect(ran.stderr).toContain(path);
    expect(existsSync(path)).toBe(true);
    expect(dirname(dirname(path))).toBe(tmpdir());
  });
});

describe('a concurrent change while a bot is edited', () => {
  const change = (body: object): string =>
    `await fetch(${JSON.stringify(sandbox.baseUrl)} + '/api/openapi/v1/bots/' + text.match(/\\((.*)\\)/)[1], {
       method: 'PATCH',
       headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.TOKEN },
       body: ${JSON.stringify(JSON.stringify(body))},
     }); ${rename}`;
  const token = async (): Promise<string> => (await botctl(['token'], { env: sandbox.env })).stdout.trim();

  it('is not overwritten: the draft is kept', async () => {
    const body = change({ instructions: 'Theirs.' });
    const ran = await edit(body, { more: ['--yes'], env: { TOKEN: await token() } });
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(ran.stderr).toContain('Another user changed instructions of Front desk in the meantime.');
    expect(ran.stderr).toContain('botctl bots diff');
    expect(await service.bot(bot)).toMatchObject({ instructions: 'Theirs.' });
    expect(drafts()).toHaveLength(1);
  });

  it('is not reverted: a bot that was published stays published, and the draft is kept', async () => {
    const marker = join(home, 'published');
    const waiting = `while (!fs.existsSync(${JSON.stringify(marker)})) await new Promise((done) => setTimeout(done, 20));`;
    const running = edit(`${waiting} ${rename}`, { answers: { 'Send this to Front desk?': 'y' } });
    await eventually(() => existsSync(join(home, 'seen.json')));
    await service.publish(bot);
    writeFileSync(marker, '');
    expect(await running).toMatchObject({ exitCode: 6, stdout: '' });
    expect(await service.bot(bot)).toMatchObject({ published: true, instructions: 'Be kind.\nBe brief.\n' });
    expect(drafts()).toHaveLength(1);
  });

  it('is kept next to a change of other fields', async () => {
    const ran = await edit(change({ role: 'sales' }), { more: ['--yes'], env: { TOKEN: await token() } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('Another user changed role in the meantime. That change stays.');
    expect(await service.bot(bot)).toMatchObject({ role: 'sales', instructions: 'Be kind.\nBe quick.\n' });
  });
});

const failures: readonly (readonly [string, FaultEffect, number])[] = [
  ['refuses', { kind: 'status', status: 400 }, 6],
  ['is gone', { kind: 'reset', when: 'before' }, 8],
];
it.each(failures)('bots edit keeps the draft if the service %s', async (_, effect, exitCode) => {
  await callControl(sandbox.control, '/fault/add', { target: 'updateBot', effect });
  const ran = await botctl(['bots', 'edit', bot, '--yes', '--retries', '0', '-o', 'json'], {
    terminal: true,
    env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, EDITOR: editor(rename) },
  });
  expect(ran.exitCode).toBe(exitCode);
  const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
  expect(error.hint).toContain('Your text is saved in');
  expect(drafts()).toHaveLength(1);
});
