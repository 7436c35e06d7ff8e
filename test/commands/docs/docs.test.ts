import { writeFileSync } from 'node:fs';
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
