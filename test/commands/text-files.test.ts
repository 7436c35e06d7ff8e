import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const bots = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', ...args], { ...options, env: { ...sandbox.env, ...options.env } });

let directory: string;
let team: string;
let bot: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  team = await service.team('Aurora Coffee');
  bot = await service.createBot(team, 'Front desk');
});

function file(name: string, content: string): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const instructions = async () => (await service.bot(bot)).instructions;

describe('instructions', () => {
  it('are read from a file or from stdin, unchanged', async () => {
    const path = file('prompt.txt', '@menu\nBe kind. \n');
    expect(await bots(['update', bot, '--instructions-file', path])).toMatchObject({ exitCode: 0 });
    expect(await instructions()).toBe('@menu\nBe kind. \n');
    await bots(['update', bot, '--instructions-file', '-'], { stdin: 'Be brief.\n' });
    expect(await instructions()).toBe('Be brief.\n');
  });

  it('are read from the file that a bot file names, next to it or below', async () => {
    file('prompts/front.txt', 'Be kind.\n');
    const yaml = file('bot.yaml', 'temperature: 0.5\ninstructions_file: prompts/front.txt\n');
    const seen = await bots(['diff', bot, '--file', yaml, '-o', 'json']);
    expect(JSON.parse(seen.stdout)).toContainEqual({ field: 'instructions', from: '', to: 'Be kind.\n' });
    expect(await bots(['update', bot, '--file', yaml])).toMatchObject({ exitCode: 0 });
    expect(await service.bot(bot)).toMatchObject({ instructions: 'Be kind.\n', temperature: 0.5 });
    // An option takes precedence, and the file is not even read.
    const gone = file('gone.yaml', 'instructions_file: gone.txt\n');
    expect(await bots(['update', bot, '--file', gone, '--instructions', 'Hi'])).toMatchObject({
      exitCode: 0,
    });
    expect(await instructions()).toBe('Hi');
  });

  it('are never written as a file by --editable', async () => {
    await bots(['update', bot, '--instructions-file', file('prompt.txt', 'Be kind.\n')]);
    const { stdout } = await bots(['get', bot, '--editable']);
    expect(stdout).toContain('instructions: |\n  Be kind.\n');
    expect(stdout).not.toContain('instructions_file');
  });

  it.each([
    ['a number', 'instructions_file: 5', 'bot.yaml:1: instructions_file must be the path of a file.'],
    ['nothing', 'name: x\ninstructions_file:', 'bot.yaml:2: instructions_file must be the path of a file.'],
    ['a file that is not there', 'instructions_file: none.txt', 'none.txt: there is no such file.'],
    ['a directory', 'instructions_file: sub', 'sub is a directory.'],
    [
      'a file above',
      'instructions_file: ../secret.txt',
      'must be a file in the folder of this file or below, not "../secret.txt".',
    ],
    [
      'a way out and back',
      'instructions_file: sub/../../secret.txt',
      'must be a file in the folder of this file or below',
    ],
    [
      'a path from the root',
      'instructions_file: /etc/hostname',
      'must be a file in the folder of this file or below',
    ],
    [
      'a link that leads out',
      'instructions_file: link.txt',
      'must be a file in the folder of this file or below',
    ],
    [
      'text and file',
      'instructions: a\ninstructions_file: b',
      'bot.yaml:2: use instructions or instructions_file, not both.',
    ],
    ['a slip in its name', 'instruction_file: b', 'is not a field; did you mean instructions_file?'],
  ])('of a bot file are refused if it names %s', async (_, content, words) => {
    directory = join(directory, 'bots');
    file('sub/x.txt', 'x');
    file('../secret.txt', 'a secret of this machine');
    symlinkSync('../secret.txt', join(directory, 'link.txt'));
    const ran = await bots(['update', bot, '--file', file('bot.yaml', content)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(await instructions()).toBe('');
  });

  it('are given in one way, and stdin is read once', async () => {
    const both = await bots(['update', bot, '--instructions', 'a', '--instructions-file', 'b']);
    expect(both).toMatchObject({ exitCode: 2 });
    expect(both.stderr).toContain('Give --instructions or --instructions-file, not both.');
    const line = ['update', bot, '--file', '-', '--instructions-file', '-', '--action-file', '-'];
    const twice = await bots(line, { stdin: 'name: x' });
    expect(twice).toMatchObject({ exitCode: 2 });
    expect(twice.stderr).toContain(
      'stdin can be read only once, but --file and --instructions-file and --action-file read it.',
    );
  });
});

describe('an action', () => {
  const ring = '{"name":"ring","endpoint":"https://b.example","method":"GET"}';

  it('is read from a file or from stdin', async () => {
    const path = file('ring.json', ring);
    expect(await bots(['actions', 'add', bot, '--action-file', path])).toMatchObject({ exitCode: 0 });
    const stdin = ring.replace('ring', 'knock');
    expect(await bots(['actions', 'add', bot, '--action-file', '-'], { stdin })).toMatchObject({
      exitCode: 0,
    });
    expect((await service.bot(bot)).actions).toMatchObject([{ name: 'ring' }, { name: 'knock' }]);
    const wrong = await bots(['actions', 'add', bot, '--action-file', file('wrong.json', '{\n"name": 5}')]);
    expect(wrong.stderr).toContain('wrong.json:2: name must be text, not 5.');
    const none = await bots(['actions', 'add', bot]);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--action is missing.') });
  });

  it('may have the format that the help shows', async () => {
    const { stdout } = await botctl(['bots', 'actions', 'add', '--help']);
    const shape = /^ {2}name: book\n( .+\n)+/m.exec(stdout)?.[0] ?? '';
    const ran = await bots(['actions', 'add', bot, '--action-file', file('action.yaml', shape)]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const body = [{ key: 'guests', value: 2, type: 'number' }];
    expect((await service.bot(bot)).actions).toMatchObject([{ headers: { 'X-Shop': 'aurora' }, body }]);
  });

  it('is asked for on a terminal', async () => {
    const ran = await bots(['actions', 'add', bot], {
      terminal: true,
      answers: { 'The action, as JSON:': ring },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect((await service.bot(bot)).actions).toMatchObject([{ name: 'ring' }]);
  });

  it('that starts with @ is no file', async () => {
    const ran = await bots(['update', bot, '--action', `@${file('ring.json', ring)}`]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--action takes JSON. To read it from a file, use --action-file');
  });
});

describe('a text that starts with @', () => {
  let device: string;
  beforeEach(async () => {
    device = await service.device(team, bot, 'Reception');
    await service.connect(device);
  });
  const send = (words: readonly string[], options: RunOptions = {}) =>
    botctl(['send', '--device', device, '--to', '+5511988887777', ...words], {
      env: sandbox.env,
      ...options,
    });
  const sent = async () =>
    (await callControl(sandbox.control, '/messages', { limit: 10 })).rows.map(({ message }) => message);
  /** The working directory is the same for all tests, so the path is relative to it. */
  const here = (path: string) => relative('.', path);

  it('is sent unchanged, with a hint if it names an existing file', async () => {
    const menu = here(file('menu.txt', 'soup'));
    const noted = await send(['--message', `@${menu}`]);
    expect(noted).toMatchObject({ exitCode: 0 });
    expect(noted.stderr).toContain(
      `--message is sent literally: "@${menu}". To use the text of the file: --message-file ${menu}`,
    );
    const usual = await send(['--message', '@ana, it is ready']);
    expect(usual.stderr).not.toContain('sent literally');
    await send(['--message-file', menu]);
    await send(['--message-file', '-'], { stdin: 'Hello\n@all\n' });
    expect(await sent()).toEqual([`@${menu}`, '@ana, it is ready', 'soup', 'Hello\n@all']);
  });

  it('causes a hint without the @ too', async () => {
    const menu = here(file('menu.txt', 'soup'));
    const noted = await send(['--message', menu]);
    expect(noted).toMatchObject({ exitCode: 0 });
    expect(noted.stderr).toContain(`To use the text of the file: --message-file ${menu}`);
    expect((await send(['--message', 'nowhere.txt'])).stderr).not.toContain('sent literally');
  });

  it('causes a question on a terminal', async () => {
    const menu = here(file('menu.txt', 'soup'));
    const question = 'Send the literal text';
    const no = await send(['--message', `@${menu}`], { terminal: true, answers: { [question]: 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await sent()).toEqual([]);
    const yes = await send(['--message', `@${menu}`], { terminal: true, answers: { [question]: 'y' } });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(await sent()).toEqual([`@${menu}`]);
  });

  it('or has a backslash and an n instead of a line break causes a hint, or a question on a terminal', async () => {
    const text = 'Hello,\\nit is ready.';
    const noted = await send(['--message', text]);
    expect(noted).toMatchObject({ exitCode: 0 });
    expect(noted.stderr).toContain(`--message $'one line\\nnext line'`);
    const no = await send(['--message', text], { terminal: true, answers: { 'Send the literal text': 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await sent()).toEqual([text]);
    const typed = await bots(['update', bot, '--instructions', text]);
    expect(typed.stderr).toContain(`--instructions $'one line\\nnext line'`);
  });

  it('is checked for a bot too, from an option and from a file', async () => {
    const prompt = here(file('prompt.txt', 'Be kind.'));
    const typed = await bots(['update', bot, '--instructions', `@${prompt}`]);
    expect(typed.stderr).toContain(`To use the text of the file: --instructions-file ${prompt}`);
    expect(await instructions()).toBe(`@${prompt}`);
    const yaml = file('bot.yaml', 'instructions: "@prompt.txt"\n');
    const read = await bots(['update', bot, '--file', yaml]);
    expect(read.stderr).toContain(
      'instructions is sent literally: "@prompt.txt". To use the text of the file: instructions_file: prompt.txt',
    );
    expect(await instructions()).toBe('@prompt.txt');
  });

  it('or that is only - is refused, and so are two ways to give a message', async () => {
    const dash = await send(['--message', '-'], { stdin: 'Hello' });
    expect(dash).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('use --message-file -'),
    });
    const both = await send(['--message', 'a', '--message-file', 'b']);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not both') });
    expect(await sent()).toEqual([]);
  });
});

it('a bot file of several documents is refused with the line of the second', async () => {
  const yaml = file('bots.yaml', 'name: One\n---\nname: Two\n');
  const ran = await bots(['update', bot, '--file', yaml]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('bots.yaml, line 2: A second YAML document begins here.');
  expect(ran.stderr).not.toContain('parseAllDocuments');
});
