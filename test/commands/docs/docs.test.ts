import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const run = (...args: readonly string[]) => botctl(['docs', ...args], { env: sandbox.env });

async function createTeam(name: string): Promise<void> {
  // Each address can have one account only.
  const address = `${name.replaceAll(' ', '.').toLowerCase()}@teams.example`;
  const admin = ['--admin-name', 'Ana', '--admin-email', address, '--admin-phone', '+5511999990000'];
  const line = ['teams', 'create', '--name', name, '--plan', 'starter', ...admin];
  expect(await botctl(line, { env: sandbox.env })).toMatchObject({ exitCode: 0 });
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

beforeEach(async () => {
  await createTeam('Aurora Coffee');
});

describe('docs upload', () => {
  it('counts the characters of a text, and uploads it under its own name', async () => {
    const text = '\ufeffGrüße  aus\n\nKöln 😀\n';
    const path = file('handbook.txt', text);
    const ran = await run('upload', path, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode).toBe(0);
    const document = JSON.parse(ran.stdout);
    expect(document).toMatchObject({
      name: 'handbook.txt',
      type: 'txt',
      chars: 16,
      size: Buffer.byteLength(text),
    });
    expect(ran.stderr).toContain('Uploaded handbook.txt: 16 characters.');
  });

  it('says that an encoding is guessed', async () => {
    const path = file(
      'carta.txt',
      Buffer.from('Olá, João! Informações sobre a promoção. '.repeat(5), 'latin1'),
    );
    const ran = await run('upload', path, '--team', 'Aurora Coffee');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(
      /The encoding of carta.txt is guessed: \S+\. If \d+ characters are wrong, give --chars\./,
    );
  });

  it('sends a file with --chars as it is', async () => {
    const path = file('menu.pdf', '%PDF-1.7 not a whole one');
    const ran = await run(
      'upload',
      path,
      '--team',
      'Aurora Coffee',
      '--chars',
      '18250',
      '--name',
      'Menu 2027.pdf',
      '-o',
      'json',
    );
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      name: 'Menu 2027.pdf',
      type: 'pdf',
      chars: 18_250,
      size: 24,
    });
  });

  it.each([
    ['menu.pdf', '%PDF-1.7', [], "botctl can't count the characters of a PDF yet."],
    ['menu.txt', '%PDF-1.7', [], '"menu.txt" is a PDF by its content, not a text.'],
    ['empty.txt', '', [], 'is empty.'],
    ['empty.txt', '', ['--chars', '5'], 'is empty.'],
    ['menu.txt', 'text', ['--chars', 'many'], '--chars must be a whole number of at least 0, not "many".'],
  ] as const)('refuses %s with %j and %j, and uploads nothing', async (name, content, options, message) => {
    const ran = await run('upload', file(name, content), '--team', 'Aurora Coffee', ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(JSON.parse((await run('list', '-o', 'json')).stdout)).toEqual([]);
  });

  it('says in one line that a file is not there, or that the team is not', async () => {
    const missing = await run('upload', '/nowhere/handbook.txt', '--team', 'Aurora Coffee');
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("Can't read /nowhere/handbook.txt: there is no such file.");
    expect((await run('upload', file('a.txt', 'a'), '--team', 'Borealis')).exitCode).toBe(5);
    expect((await run('upload', file('a.txt', 'a'))).stderr).toContain('--team is missing.');
    expect((await run('upload', '--team', 'Aurora Coffee')).exitCode).toBe(2);
  });
});

describe('docs upload of several files', () => {
  const named = async () =>
    JSON.parse((await run('list', '-o', 'json')).stdout).map(({ name }: Named) => name);
  interface Named {
    readonly name: string;
  }

  it('uploads them all, a row each', async () => {
    const paths = [file('a.txt', 'one'), file('b.txt', 'three')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'a.txt', chars: 3 },
      { name: 'b.txt', chars: 5 },
    ]);
  });

  it('looks into every one before the first is sent, and says of each what is wrong', async () => {
    const paths = [
      file('a.txt', 'one'),
      file('empty.txt', ''),
      '/nowhere/c.txt',
      file('menu.pdf', '%PDF-1.7'),
    ];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const words of ['empty.txt is empty.', '/nowhere/c.txt: there is no such file.', 'of a PDF yet.'])
      expect(ran.stderr).toContain(words);
    expect(await named()).toEqual([]);
  });

  it('ends with 10 where one fails after others, and says what is done and what is left', async () => {
    await botctl(['teams', 'update', 'Aurora Coffee', '--quota', 'documents=1'], { env: sandbox.env });
    const paths = [file('a.txt', 'one'), file('b c.txt', 'two'), file('d.txt', 'three')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode).toBe(10);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ name: 'a.txt' }]);
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(error.message).toMatch(/^Uploaded 1 of 3 files\. b c\.txt failed: .+ Not sent: d\.txt\.$/);
    expect(error.hint).toContain(`docs upload "${paths[1]}" ${paths[2]} --team "Aurora Coffee"`);
    expect(await named()).toEqual(['a.txt']);
    const none = await run('upload', ...paths.slice(1), '--team', 'Aurora Coffee', '-o', 'json');
    expect(none).toMatchObject({ exitCode: 6, stdout: '' });
  });

  it('takes no name and no number for them all', async () => {
    const paths = [file('a.txt', 'one'), '-'];
    const ran = await run('upload', ...paths, '--team', 'x', '--name', 'y', '--chars', '3');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const words of [
      '--name names one document',
      '--chars is of one document',
      '(-) has to be uploaded alone',
    ])
      expect(ran.stderr).toContain(words);
  });

  it('notes a name that is there already, or twice among them, and uploads all the same', async () => {
    await run('upload', file('a.txt', 'one'), '--team', 'Aurora Coffee');
    const paths = [file('a.txt', 'one'), file('b.txt', 'two'), file('b.txt', 'three')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('The team has a document named a.txt already; this makes another one.');
    expect(ran.stderr).toContain('2 of the files are called b.txt.');
    expect(ran.stderr.match(/already/g)).toHaveLength(1);
    expect(await named()).toHaveLength(4);
  });
});

describe('docs upload -', () => {
  const upload = (stdin: string, ...options: readonly string[]) =>
    botctl(['docs', 'upload', '-', '--team', 'Aurora Coffee', ...options], { env: sandbox.env, stdin });
  const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('botctl-stdin-'));

  it('uploads what is piped in, and leaves no file of it', async () => {
    const before = leftovers();
    const ran = await upload('Espresso  2.50', '--name', 'menu.txt', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ name: 'menu.txt', type: 'txt', chars: 13, size: 14 });
    expect((await upload('x', '--name', 'menu.pdf')).exitCode).toBe(2);
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  });

  it.each([
    ['text', [], '--name is missing: what is piped in has none.'],
    ['', ['--name', 'menu.txt'], 'Nothing came from stdin.'],
  ])('refuses %j with %j', async (stdin, options, words) => {
    const ran = await upload(stdin, ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });

  it('reads no terminal', async () => {
    const line = ['docs', 'upload', '-', '--team', 'Aurora Coffee', '--name', 'menu.txt'];
    const ran = await botctl(line, { env: sandbox.env, terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('nothing is piped into it');
  });
});

describe('docs list', () => {
  it('filters by team, name and type', async () => {
    await createTeam('Borealis Tea');
    await run('upload', file('handbook.txt', 'one'), '--team', 'Aurora Coffee');
    await run('upload', file('menu.pdf', '%PDF-1.7'), '--team', 'Aurora Coffee', '--chars', '9');
    await run('upload', file('handbook.md', 'two'), '--team', 'Borealis Tea');
    const names = async (...options: readonly string[]) =>
      (await run('list', '--fields', 'name', ...options)).stdout.trimEnd().split('\n').sort();
    expect(await names()).toEqual(['handbook.md', 'handbook.txt', 'menu.pdf']);
    expect(await names('--team', 'Aurora Coffee')).toEqual(['handbook.txt', 'menu.pdf']);
    expect(await names('--name', 'HAND')).toEqual(['handbook.md', 'handbook.txt']);
    expect(await names('--type', 'pdf')).toEqual(['menu.pdf']);
    expect(await names('--type', 'txt', '--team', 'Borealis Tea')).toEqual(['handbook.md']);
  });

  it('refuses a type that the API does not know', async () => {
    const ran = await run('list', '--type', 'xlsx');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('pdf, txt, docx, doc');
  });
});

describe('docs get and rename', () => {
  it('finds a document by name, and renames it', async () => {
    const id = (
      await run('upload', file('handbook.txt', 'one'), '--team', 'Aurora Coffee', '-o', 'id')
    ).stdout.trim();
    expect((await run('get', 'handbook.txt', '--fields', 'id')).stdout).toContain(id);

    const renamed = await run('rename', 'handbook.txt', 'Handbook 2027.txt', '-o', 'json');
    expect(renamed.exitCode).toBe(0);
    expect(JSON.parse(renamed.stdout)).toMatchObject({
      id,
      name: 'Handbook 2027.txt',
      changes: [expect.stringContaining('name')],
    });
    expect((await run('get', 'handbook.txt', '--team', 'Aurora Coffee')).exitCode).not.toBe(0);
    expect((await run('get', id, '--fields', 'name')).stdout).toContain('Handbook 2027.txt');
  });

  it('sends nothing where the name is the same', async () => {
    const id = (
      await run('upload', file('handbook.txt', 'one'), '--team', 'Aurora Coffee', '-o', 'id')
    ).stdout.trim();
    const before = JSON.parse((await run('get', id, '-o', 'json')).stdout);
    const ran = await run('rename', id, 'handbook.txt', '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ ...before, changes: [] });
    expect(ran.stderr).toContain('Nothing to change: the document is called handbook.txt already.');
  });

  it.each([
    [['rename', 'handbook.txt', ' '], 2],
    [['rename', 'handbook.txt'], 2],
    [['rename', '00000000-0000-4000-8000-000000000000', 'new.txt'], 5],
    [['get', 'nowhere.txt'], 5],
    [['delete', 'handbook.txt'], 2],
  ])('end %j with exit code %i', async (line, exitCode) => {
    expect((await run(...line)).exitCode).toBe(exitCode);
  });
});
