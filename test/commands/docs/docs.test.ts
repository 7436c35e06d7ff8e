import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { run as runProgram } from '../../../src/program.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { startFront } from '../../every-command/front.ts';
import { answer } from '../../support/answer.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const run = (...args: readonly string[]) => botctl(['docs', ...args], { env: sandbox.env });

async function createTeam(name: string): Promise<void> {
  await service.team(name);
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

function folder(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
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
    const [document] = JSON.parse(ran.stdout);
    expect(document).toMatchObject({
      name: 'handbook.txt',
      type: 'txt',
      chars: 16,
      size: Buffer.byteLength(text),
      outcome: 'uploaded',
    });
    expect(ran.stderr).toContain('Uploaded handbook.txt: 16 characters.');
  });

  it('warns about a guessed encoding', async () => {
    const path = file(
      'carta.txt',
      Buffer.from('Olá, João! Informações sobre a promoção. '.repeat(5), 'latin1'),
    );
    const ran = await run('upload', path, '--team', 'Aurora Coffee');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('--chars');
  });

  it('sends a file with --chars as it is', async () => {
    const path = file('menu.pdf', '%PDF-1.7 not a whole one');
    const ran = await run(
      ...['upload', path, '--team', 'Aurora Coffee', '--chars', '18250'],
      ...['--name', 'Menu 2027.pdf', '-o', 'json'],
    );
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'Menu 2027.pdf', type: 'pdf', chars: 18_250, size: 24 },
    ]);
  });

  it.each([
    ['empty.txt', '', ['--chars', '5'], 'is empty.'],
    ['menu.pdf', '%PDF-1.7', ['--chars', '0'], '--chars'],
    ['tm.sh', 'rm -r /', ['--chars', '7'], '--as-text'],
    ['menu.txt', 'text', ['--name', 'menu'], '"menu"'],
    ['a"b.txt', 'text', [], '%22'],
    ['a\nb.txt', 'text', [], 'line break'],
    ['menu.txt', 'text', ['--name', 'caf\ufffd.txt'], 'U+FFFD'],
  ] as const)('refuses %s with %j and %j, and uploads nothing', async (name, content, options, message) => {
    const ran = await run('upload', file(name, content), '--team', 'Aurora Coffee', ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(JSON.parse((await run('list', '-o', 'json')).stdout)).toEqual([]);
  });

  it('prints the name that the service answered, and warns if it is another than the one sent', async () => {
    const renamed = answer({ id: '11111111-1111-4111-8111-111111111111', name: 'menu.txt' });
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect: renamed });
    const named = ['--name', 'summer/menu.txt', '--team', 'Aurora Coffee'];
    const ran = await run('upload', file('menu.txt', 'text'), ...named, '--fields', 'name');
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'menu.txt\n' });
    expect(ran.stderr).toContain('summer/menu.txt');
  });

  it('uploads files with other extensions as text with --as-text', async () => {
    const paths = [file('prices.csv', 'a;1'), file('notes', 'b'), file('MENU.MD', 'c')];
    const ran = await run(
      ...['upload', ...paths, '--team', 'Aurora Coffee', '--fields', 'name,type', '--concurrency', '1'],
      ...['--as-text', '*.csv', '--as-text', 'no?es'],
    );
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toBe('prices.csv\ttxt\nnotes\ttxt\nMENU.MD\ttxt\n');
  });

  it('sends a name unchanged that has a path, a percent sign or letters outside ASCII', async () => {
    const path = file('menu.txt', 'text');
    const names = [
      'summer/menu.txt',
      '../menu.txt',
      'a\\b.txt',
      'a%22b.txt',
      '100%.txt',
      "o'f; x=y.txt",
      'é😀.txt',
    ];
    for (const name of names) {
      const ran = await run('upload', path, '--team', 'Aurora Coffee', '--name', name, '-o', 'json');
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject([{ name }]);
    }
  });

  it('suggests a command with the name and the characters that were typed if --max-new allows no document', async () => {
    const line = ['upload', file('a.pdf', '%PDF-1.7'), '--team', 'Aurora Coffee'];
    const named = [...line, '--name', 'Menu.pdf', '--chars', '9'];
    const ran = await run(...named, '--max-new', '0', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '').error.next).toEqual([
      ['botctl', 'docs', ...named, '--max-new', '1'],
    ]);
  });

  it('exits with code 2 if a file or option is missing, and with 5 if the team is', async () => {
    const missing = await run('upload', '/nowhere/handbook.txt', '--team', 'Aurora Coffee');
    expect(missing.exitCode).toBe(2);
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
  type Row = Named & { readonly outcome: string };
  const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : 1);

  it('prints a row with the reason for each refused file, uploads the others, and exits with code 10', async () => {
    const paths = [file('a.txt', 'one'), file('empty.txt', ''), file('b.csv', 'a;1'), file('c.txt', 'two')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'empty.txt', outcome: 'refused', reason: 'empty', code: 'INVALID_INPUT', given: paths[1] },
      { name: 'b.csv', outcome: 'refused', reason: 'unsupported', error: expect.stringContaining('b.csv') },
      { outcome: 'uploaded' },
      { outcome: 'uploaded' },
    ]);
    expect((await named()).toSorted()).toEqual(['a.txt', 'c.txt']);
  });

  it('exits with code 2 if every file is refused, and uploads nothing if a path is missing', async () => {
    const refused = await run('upload', file('a.txt', ''), file('b.txt', ' '), '--team', 'Aurora Coffee');
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout.trim().split('\n')).toHaveLength(2);
    const paths = [file('a.txt', 'one'), '/nowhere/c.txt', '/nowhere/*.pdf'];
    const missing = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('/nowhere/c.txt');
    expect(missing.stderr).toContain('/nowhere/*.pdf');
    expect(await named()).toEqual([]);
  });

  it('uploads the others if one fails, exits with code 10, and the same command uploads what failed', async () => {
    const effect = { kind: 'status', status: 400 } as const;
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect,
      after: 1,
      times: 1,
    });
    const paths = [file('a.txt', 'one'), file('b c.txt', 'two'), file('d.txt', 'three')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1', '-o', 'json');
    expect(ran.exitCode).toBe(10);
    const rows: readonly Row[] = JSON.parse(ran.stdout);
    expect(rows).toHaveLength(3);
    expect(rows.toSorted(byName)).toMatchObject([
      { name: 'a.txt', outcome: 'uploaded', error: null, given: paths[0] },
      { name: 'b c.txt', outcome: 'failed', code: 'BAD_REQUEST', given: paths[1] },
      { name: 'd.txt', outcome: 'uploaded' },
    ]);
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    const rest = ['--team', 'Aurora Coffee', '--concurrency', '1'];
    expect(error.next).toContainEqual(['botctl', 'docs', 'upload', paths[1], ...rest]);
    expect((await named()).toSorted()).toEqual(['a.txt', 'd.txt']);
    // The second run creates no duplicates, and retries the failed file.
    const again = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'id');
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stdout.trim().split('\n')).toHaveLength(3);
    expect(await named()).toHaveLength(3);
  });

  it('exits with code 6 if the service refuses all files, and names the command that uploads them', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'status', status: 400 },
    });
    const paths = ['a.txt', 'b.txt'].map((name) => file(name, name));
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain(`botctl docs upload ${paths.join(' ')} --team "Aurora Coffee"`);
  });

  it('stops after three uploads failed in the same way', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => file(`${index}.txt`, `text ${index}`));
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'status', status: 503 },
    });
    const line = ['upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1', '-o', 'json'];
    const ran = await botctl(['docs', ...line], { env: sandbox.env, clock: withoutWaiting() });
    const rows: readonly Row[] = JSON.parse(ran.stdout);
    expect(rows.map(({ name }) => name)).toEqual(['0.txt', '1.txt', '2.txt']);
    expect(ran.stderr).toContain('Not sent: 3.txt, 4.txt, 5.txt, 6.txt, 7.txt.');
  });

  it('uploads the other files while one hangs', async () => {
    const front = await startFront(sandbox.baseUrl);
    const [signal, urgent] = [new AbortController(), new AbortController()];
    const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => file(name, name));
    void front.hold('POST /api/openapi/v1/documents');
    let printed = '';
    const ran = await botctl(['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '-o', 'ndjson'], {
      env: { ...sandbox.env, BOTCTL_BASE_URL: front.url },
      onOutput: (text) => {
        printed += text;
        // Waits until three of the four are uploaded.
        if (printed.split('"uploaded"').length < 4) return;
        for (const one of [signal, urgent]) one.abort(new Failure('interrupted', 'Interrupted.'));
      },
      signal: signal.signal,
      urgent: urgent.signal,
    });
    await front.close();
    expect(ran.exitCode).toBe(130);
    expect(ran.stdout.match(/"outcome":"\w+"/g)?.toSorted()).toEqual(
      [...Array.from({ length: 3 }, () => '"outcome":"uploaded"')].concat('"outcome":"unknown"').toSorted(),
    );
    expect(await named()).toHaveLength(4);
  });

  it('reports the outcome of an upload as unknown if a signal cut its answer off', async () => {
    const front = await startFront(sandbox.baseUrl);
    const [signal, urgent] = [new AbortController(), new AbortController()];
    // Uploads run one at a time, and each starts only after the row of the previous one is written.
    const onOutput = (): void => {
      void front.hold('POST /api/openapi/v1/documents').then(() => {
        for (const one of [signal, urgent]) one.abort(new Failure('interrupted', 'Interrupted.'));
      });
    };
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, name));
    const line = ['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1'];
    const ran = await botctl([...line, '-o', 'ndjson'], {
      env: { ...sandbox.env, BOTCTL_BASE_URL: front.url },
      onOutput,
      signal: signal.signal,
      urgent: urgent.signal,
    });
    await front.close();
    expect(ran.exitCode).toBe(130);
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(ran.stdout).toContain('"outcome":"unknown"');
    // The hint explains whether b.txt has to be sent again.
    const rest = ['docs', 'upload', paths[2], '--team', 'Aurora Coffee', '--concurrency', '1'];
    expect(error.next).toContainEqual(['botctl', ...rest]);
    expect(await named()).toEqual(['a.txt', 'b.txt']);
  });

  it('suggests --team on a terminal if the first path is no file, but not for stdin or a pattern', async () => {
    const upload = async (...args: readonly string[]) =>
      (await botctl(['docs', 'upload', ...args], { env: sandbox.env, terminal: true })).stderr;
    const path = file('menu.txt', 'Menu');
    const hint = 'If it is the team, write:';
    const given = await upload('Aurora Coffee', path);
    expect(given).toContain(hint);
    expect(given).toContain(`botctl docs upload ${path} --team "Aurora Coffee"`);
    expect(await upload('-', path, path)).not.toContain(hint);
    expect(await upload('*.none', path)).not.toContain(hint);
  });

  it('refuses --name, --chars and stdin for several files', async () => {
    const paths = [file('a.txt', 'one'), '-'];
    const ran = await run('upload', ...paths, '--team', 'x', '--name', 'y', '--chars', '3');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const refused of ['--name', '--chars', '(-)']) expect(ran.stderr).toContain(refused);
  });

  it('uploads a folder and a pattern, and the suggested command uploads what failed', async () => {
    const root = folder({
      'a.txt': 'one',
      'deep/b.md': 'two',
      'deep/c.csv': 'x;1',
      'no.txt': 'no',
      '.d.txt': 'd',
    });
    const line = [
      ...[root, `${root}/d*/*.csv`, '--team', 'Aurora Coffee', '--exclude', 'no.*'],
      ...['--as-text', '*.csv'],
    ];
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'status', status: 400 },
      times: 1,
    });
    const ran = await run('upload', ...line, '--concurrency', '1', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(10);
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    const [[program, ...rest]] = error.next;
    expect([program, ...rest]).toEqual([
      ...['botctl', 'docs', 'upload', ...line.slice(0, 4), ...line.slice(4), '--concurrency', '1'],
    ]);
    expect(await named()).toEqual(['b.md', 'c.csv']);
    const again = await botctl([...rest, '-o', 'json'], { env: sandbox.env });
    expect(again.exitCode, again.stderr).toBe(0);
    const outcomes: readonly Row[] = JSON.parse(again.stdout);
    expect(outcomes.toSorted(byName).map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'a.txt uploaded',
      'b.md already there',
      'c.csv already there',
    ]);
  });

  it('asks the user once before it uploads new files, and does not ask about existing ones', async () => {
    const root = folder({ 'a.txt': 'one', 'b.md': 'three', 'c.csv': '1' });
    await run('upload', join(root, 'a.txt'), '--team', 'Aurora Coffee');
    writeFileSync(join(root, 'a.txt'), 'four');
    const question = 'A document named a.txt already exists. Upload 2 files to Aurora Coffee?';
    const line = ['docs', 'upload', root, '--team', 'Aurora Coffee'];
    const no = await botctl(line, { env: sandbox.env, terminal: true, answers: { [question]: 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await named()).toEqual(['a.txt']);
    const yes = await botctl([...line, '--yes'], { env: sandbox.env, terminal: true });
    expect(yes.exitCode, yes.stderr).toBe(10);
    // Existing documents need no confirmation.
    const again = await botctl(line, { env: sandbox.env, terminal: true });
    expect(again.exitCode, again.stderr).toBe(10);
  });

  it('lists new files next to existing ones before it asks', async () => {
    const root = folder({ 'a.txt': 'one', 'b.txt': 'three' });
    await run('upload', join(root, 'a.txt'), '--team', 'Aurora Coffee');
    const asked = await botctl(['docs', 'upload', root, '--team', 'Aurora Coffee'], {
      env: sandbox.env,
      terminal: true,
      answers: { 'Upload 1 file to Aurora Coffee?': 'n' },
    });
    const lines = asked.stderr.split('\n').filter((line) => line.includes('chars'));
    expect(lines).toHaveLength(2);
    expect(new Set(lines.map((line) => line.indexOf('txt  '))).size).toBe(1);
  });

  it('prints with --dry-run what it would do, and uploads nothing', async () => {
    const root = folder({ 'a.txt': 'one', 'b.md': 'three' });
    const dry = async (...options: readonly string[]) => {
      const line = ['upload', root, '--team', 'Aurora Coffee', '--dry-run', '-o', 'json'];
      const ran = await run(...line, ...options);
      return { ...ran, rows: JSON.parse(ran.stdout) };
    };
    expect(await dry()).toMatchObject({
      exitCode: 0,
      rows: [
        {
          name: 'a.txt',
          type: 'txt',
          size: 3,
          chars: 3,
          outcome: 'would upload',
          given: join(root, 'a.txt'),
        },
        { name: 'b.md', outcome: 'would upload' },
      ],
    });
    const one = ['upload', join(root, 'a.txt'), '--team', 'Aurora Coffee'];
    expect((await run(...one, '--dry-run', '--fields', 'outcome')).stdout).toBe('would upload\n');
    expect(await named()).toEqual([]);
    const [{ id }] = JSON.parse((await run(...one, '-o', 'json')).stdout);
    writeFileSync(join(root, 'c.csv'), '1');
    const partly = await dry();
    expect(partly).toMatchObject({
      exitCode: 10,
      rows: [
        { outcome: 'refused', reason: 'unsupported' },
        { id, outcome: 'already there' },
        { name: 'b.md' },
      ],
    });
    expect(await dry('--include', '*.csv')).toMatchObject({ exitCode: 2, rows: [{ outcome: 'refused' }] });
    expect(await named()).toEqual(['a.txt']);
  });

  it('uploads nothing if more files are new than --max-new allows, or 50 without a terminal', async () => {
    await botctl(['teams', 'update', 'Aurora Coffee', '--quota', 'documents=60'], { env: sandbox.env });
    const root = folder(
      Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`${index}.txt`, 'text'])),
    );
    const line = ['upload', root, '--team', 'Aurora Coffee'];
    const many = await run(...line, '-o', 'json');
    expect(many).toMatchObject({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(many.stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      code: 'NOT_CONFIRMED',
      next: [['botctl', 'docs', ...line, '--max-new', '51']],
    });
    expect(await run(...line, '--include', '?.txt', '--max-new', '9')).toMatchObject({ exitCode: 2 });
    // The dry run prints its rows, and exits as the upload does.
    const dry = await run(...line, '--dry-run', '--allow', 'duplicate', '-o', 'json');
    expect(dry.exitCode).toBe(2);
    expect(JSON.parse(dry.stdout)).toHaveLength(51);
    const allowed = [...line, '--dry-run', '--allow', 'duplicate', '--max-new', '51'];
    expect(JSON.parse(dry.stderr.trim().split('\n').at(-1) ?? '').error.next).toEqual([
      ['botctl', 'docs', ...allowed],
    ]);
    expect((await run(...allowed)).exitCode).toBe(0);
    expect(await named()).toEqual([]);
    const few = await run(...line, '--include', '5*.txt');
    expect(few.exitCode, few.stderr).toBe(0);
    // Existing documents don't count.
    expect(await run(...line, '--max-new', '48')).toMatchObject({ exitCode: 2 });
    expect(await named()).toHaveLength(2);
  });

  it('uploads nothing if the team has no room for all, and names the command that raises its quotas', async () => {
    const quotas = ['--quota', 'documents=2', '--quota', 'characters=12'];
    await botctl(['teams', 'update', 'Aurora Coffee', ...quotas], { env: sandbox.env });
    await run('upload', file('there.txt', 'four'), '--team', 'Aurora Coffee');
    const root = folder({ 'a.txt': 'five5', 'b.txt': 'five5' });
    const ran = await run('upload', root, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    const dry = await run('upload', root, '--team', 'Aurora Coffee', '--dry-run', '--fields', 'outcome');
    expect(dry).toMatchObject({ exitCode: 6, stdout: 'would upload\nwould upload\n' });
    await botctl(error.next[0].slice(1), { env: sandbox.env });
    const again = await run('upload', root, '--team', 'Aurora Coffee');
    expect(again.exitCode, again.stderr).toBe(0);
  });

  it('refuses files whose documents would have one name, and names the command that names them by path', async () => {
    const root = folder({ 'b.txt': 'one', 'deep/b.txt': 'two', 'e\u0301.txt': 'x', 'deep/\u00e9.txt': 'y' });
    for (const name of ['Makefile', 'deep/Makefile']) writeFileSync(join(root, name), 'all:');
    const ran = await run('upload', root, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(ran.stderr);
    for (const path of ['b.txt', 'deep/b.txt', 'deep/\u00e9.txt', 'e\u0301.txt'])
      expect(error.message).toContain(`${root}/${path}`);
    const dry = await run('upload', root, '--team', 'Aurora Coffee', '--dry-run', '-o', 'json');
    expect(JSON.parse(dry.stderr).error.next[0]).toContain('--dry-run');
    const done = await botctl([...error.next[0].slice(1), '--exclude', 'Makefile'], { env: sandbox.env });
    expect(done.exitCode, done.stderr).toBe(0);
    expect((await named()).toSorted()).toEqual(['b.txt', 'deep/b.txt', 'deep/\u00e9.txt', '\u00e9.txt']);
  });

  it('prints the row of a document once it is stored', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, name));
    let stored = 0;
    const printed: number[] = [];
    const line = [
      ...['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1'],
      ...['-o', 'ndjson'],
    ];
    const ran = await botctl(line, {
      env: sandbox.env,
      onOutput: () => printed.push(stored),
      onError: (text) => {
        stored += text.split('Uploaded').length - 1;
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(printed.slice(-3)).toEqual([1, 2, 3]);
  });
  it('uploads no more after a signal, and names the command that uploads the rest', async () => {
    const paths = ['a.txt', 'b c.txt', 'd.csv'].map((name) => file(name, name));
    const options = [
      ...['--team', 'Aurora Coffee', '--as-text', '*.csv', '--concurrency', '1'],
      ...['--if-absent', '--max-new', '3'],
    ];
    const signal = new AbortController();
    const ran = await botctl(['docs', 'upload', ...paths, ...options, '-o', 'ndjson'], {
      env: sandbox.env,
      signal: signal.signal,
      onError: (text) => {
        if (text.includes('Uploaded a.txt')) signal.abort(new Failure('terminated', 'Terminated.'));
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(143);
    expect(JSON.parse(ran.stdout)).toMatchObject({ name: 'a.txt', outcome: 'uploaded' });
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      code: 'TERMINATED',
      next: [['botctl', 'docs', 'upload', ...paths.slice(1), ...options]],
    });
    expect(await named()).toEqual(['a.txt']);
    expect(await botctl(error.next[0].slice(1), { env: sandbox.env })).toMatchObject({ exitCode: 0 });
    expect(await named()).toEqual(['a.txt', 'b c.txt', 'd.csv']);
  });

  /** Runs a command whose stdout is closed by its reader after the first row. */
  async function runUnread(args: readonly string[], env: Readonly<Record<string, string>>) {
    let stderrText = '';
    const stdout = new Writable({
      write(chunk, _, done) {
        done();
        if (String(chunk) !== '') stdout.destroy();
      },
    });
    const stderr = new Writable({
      write(chunk, _, done) {
        stderrText += String(chunk);
        done();
      },
    });
    const io = { stdin: Readable.from([]), stdout, stderr, env, signal: new AbortController().signal };
    return { exitCode: await runProgram(args, io), stderr: stderrText };
  }
  const ownHome = () => ({ ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() });

  it('uploads no more once its output is closed, and names the last document and the rest', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, name));
    const line = ['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1'];
    const ran = await runUnread([...line, '-o', 'id'], ownHome());
    expect(ran.exitCode, ran.stderr).toBe(10);
    // Its id would be lost otherwise.
    const [row] = JSON.parse((await run('list', '--name', 'a.txt', '-o', 'json')).stdout);
    expect(ran.stderr).toContain(`a.txt (${row.id})`);
    expect(ran.stderr).toContain(`botctl docs upload ${paths.slice(1).join(' ')} --team "Aurora Coffee"`);
    expect(await named()).toEqual(['a.txt']);
  });

  it.each(['upload', 'sync'])(
    'docs %s does not wait for a lost answer once its output is closed',
    async (verb) => {
      const root = folder({ 'files/a.txt': 'a', 'files/b.txt': 'b' });
      const effect = { kind: 'reset', when: 'before' } as const;
      await callControl(sandbox.control, '/fault/add', {
        target: 'createDocument',
        effect,
        after: 1,
        times: 1,
      });
      const env = ownHome();
      const line = ['docs', verb, join(root, 'files'), '--team', 'Aurora Coffee'];
      const ran = await runUnread([...line, '-o', 'ndjson'], env);
      expect(ran.exitCode, ran.stderr).toBe(10);
      expect(ran.stderr).toContain('It is not known whether the document was stored');
      expect(await named()).toHaveLength(1);
      // The next run resolves it.
      expect(await botctl(line, { env, clock: withoutWaiting() })).toMatchObject({ exitCode: 0 });
      expect(await named()).toHaveLength(2);
    },
  );
});

describe('a document that already exists', () => {
  const upload = (path: string, ...options: readonly string[]) =>
    run('upload', path, '--team', 'Aurora Coffee', '-o', 'json', ...options);
  const count = async () => JSON.parse((await run('list', '-o', 'json')).stdout).length;

  it('is not uploaded again if name, size and characters are the same, on a terminal either', async () => {
    const path = file('menu.txt', 'soup');
    const [{ id }] = JSON.parse((await upload(path)).stdout);
    writeFileSync(path, 'cake');
    const again = await upload(path);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('--allow duplicate') });
    expect(JSON.parse(again.stdout)).toMatchObject([{ id, name: 'menu.txt', outcome: 'already there' }]);
    const seen = await botctl(['docs', 'upload', path, '--team', 'Aurora Coffee', '-o', 'id'], {
      env: sandbox.env,
      terminal: true,
    });
    expect(seen).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(await count()).toBe(1);
  });

  it('is uploaded again with --allow duplicate, but not with --yes', async () => {
    const path = file('menu.txt', 'soup');
    const [{ id }] = JSON.parse((await upload(path)).stdout);
    expect(JSON.parse((await upload(path, '--yes')).stdout)).toMatchObject([{ id }]);
    const another = await upload(path, '--allow', 'duplicate');
    expect(JSON.parse(another.stdout)).toMatchObject([{ outcome: 'uploaded' }]);
    expect(await count()).toBe(2);
  });

  it('with other content causes a note without a terminal, and a question on one', async () => {
    await upload(file('menu.txt', 'soup'));
    const ran = await upload(file('menu.txt', 'cake'), '--chars', '5');
    expect(ran.stderr).toContain('menu.txt');
    const question = 'A document named menu.txt already exists. Create another one?';
    const asked = await botctl(['docs', 'upload', file('menu.txt', 'bread'), '--team', 'Aurora Coffee'], {
      env: sandbox.env,
      terminal: true,
      answers: { [question]: 'n' },
    });
    expect(asked).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await count()).toBe(2);
  });

  it('is returned with --if-absent, with a warning if its content differs', async () => {
    const [{ id }] = JSON.parse((await upload(file('menu.txt', 'soup'), '--if-absent')).stdout);
    const same = await upload(file('menu.txt', 'soup'), '--if-absent');
    const other = await upload(file('menu.txt', 'bread'), '--if-absent');
    expect(JSON.parse(other.stdout)).toMatchObject([{ id, outcome: 'already there' }]);
    expect(other.stderr).not.toBe(same.stderr);
    expect(await count()).toBe(1);
  });

  it('with --if-absent is refused before any upload if several have the name', async () => {
    for (const text of ['soup', 'bread']) await upload(file('menu.txt', text));
    const paths = [file('new.txt', 'new'), file('menu.txt', 'soup')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '--if-absent', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: 'AMBIGUOUS',
    });
    expect(await count()).toBe(2);
  });

  it('in another team does not count', async () => {
    await createTeam('Borealis');
    await upload(file('menu.txt', 'soup'));
    const ran = await run('upload', file('menu.txt', 'soup'), '--team', 'Borealis', '--if-absent');
    expect(ran.stderr).toContain('Uploaded menu.txt');
  });
});

describe('docs upload -', () => {
  const upload = (stdin: string, ...options: readonly string[]) =>
    botctl(['docs', 'upload', '-', '--team', 'Aurora Coffee', ...options], { env: sandbox.env, stdin });
  const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('botctl-stdin-'));

  it('uploads its input, and leaves no temporary file', async () => {
    const before = leftovers();
    const ran = await upload('Espresso  2.50', '--name', 'menu.txt', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ name: 'menu.txt', type: 'txt', chars: 13, size: 14 }]);
    expect((await upload('x', '--name', 'menu.pdf')).exitCode).toBe(2);
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  });

  it.each([
    ['text', [], '--name is missing'],
    ['', ['--name', 'menu.txt'], 'stdin is empty.'],
  ])('refuses %j with %j', async (stdin, options, words) => {
    const ran = await upload(stdin, ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });

  it('reads no terminal', async () => {
    const line = ['docs', 'upload', '-', '--team', 'Aurora Coffee', '--name', 'menu.txt'];
    const ran = await botctl(line, { env: sandbox.env, terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('nothing was piped in');
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
    expect((await run('list', '--type', 'md')).stderr).toContain('must be txt');
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

  it('sends nothing if the name is the same', async () => {
    const id = (
      await run('upload', file('handbook.txt', 'one'), '--team', 'Aurora Coffee', '-o', 'id')
    ).stdout.trim();
    const before = JSON.parse((await run('get', id, '-o', 'json')).stdout);
    const ran = await run('rename', id, 'handbook.txt', '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ ...before, changes: [] });
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
