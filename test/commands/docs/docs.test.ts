import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { run as runProgram } from '../../../src/program.ts';
import { addFault } from '../../../src/sandbox/control/client.ts';
import { startFront } from '../../every-command/front.ts';
import { answer } from '../../support/answer.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { callsFromNow } from '../../support/requests.ts';
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
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'Menu 2027.pdf', type: 'pdf', chars: 18_250, size: 24 },
    ]);
  });

  it.each([
    ['letter.docx', 'PK\x03\x04 cut short', [], '"letter.docx" is damaged, or cut short.'],
    ['menu.pdf', '%PDF-1.7', ['--password-stdin'], 'stdin holds no secret: it is empty.'],
    ['menu.txt', '%PDF-1.7', [], '"menu.txt" is a PDF by its content, not a text.'],
    ['empty.txt', '', [], 'is empty.'],
    ['empty.txt', '', ['--chars', '5'], 'is empty.'],
    ['menu.txt', 'text', ['--chars', 'many'], '--chars must be a whole number of at least 1, not "many".'],
    ['menu.pdf', '%PDF-1.7', ['--chars', '0'], '--chars must be a whole number of at least 1, not "0".'],
    ['tm.sh', 'rm -r /', [], '"tm.sh" is no document by its name'],
    ['tm.sh', 'rm -r /', ['--chars', '7'], '"tm.sh" is no document by its name'],
    ['.env', 'KEY=1', ['--as-text', '*.sh'], 'To send it as text add: --as-text .env'],
    ['menu.txt', 'text', ['--name', 'menu'], '"menu" is no document by its name'],
    ['a"b.txt', 'text', [], 'has a quotation mark (") in it, which would arrive as %22.'],
    ['a\nb.txt', 'text', [], 'The name "a\\nb.txt" can\'t be sent: it has a line break'],
    ['menu.txt', 'text', ['--name', 'a\u0007.txt'], 'or another control character in it.'],
    ['menu.txt', 'text', ['--name', 'caf\ufffd.txt'], '--name has U+FFFD'],
    [' ', 'text', [], 'is blank.'],
  ] as const)('refuses %s with %j and %j, and uploads nothing', async (name, content, options, message) => {
    const ran = await run('upload', file(name, content), '--team', 'Aurora Coffee', ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(JSON.parse((await run('list', '-o', 'json')).stdout)).toEqual([]);
  });

  it('prints the name that the service answered, and warns where it is not the one that was sent', async () => {
    const renamed = answer({ id: '11111111-1111-4111-8111-111111111111', name: 'menu.txt' });
    await addFault(sandbox.control, { target: 'createDocument', effect: renamed });
    const named = ['--name', 'summer/menu.txt', '--team', 'Aurora Coffee'];
    const ran = await run('upload', file('menu.txt', 'text'), ...named, '--fields', 'name');
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'menu.txt\n' });
    expect(ran.stderr).toContain('✓ Uploaded menu.txt: 4 characters.\n');
    expect(ran.stderr).toContain('The service calls it menu.txt, and not summer/menu.txt, as it was sent.');
  });

  it('says what to do about a name that can not be sent', async () => {
    const ran = await run('upload', file('a"b.txt', 'text'), '--team', 'Aurora Coffee');
    expect(ran.stderr).toContain('Give the document another name: botctl docs upload FILE --name NEW …');
    // As Node tells a name that is in Latin-1, and can't open the file by it.
    const latin = await run('upload', file('caf\ufffd.txt', 'text'), '--team', 'Aurora Coffee');
    expect(latin.stderr).toContain('pipe the file in: botctl docs upload - --name NEW … < FILE');
  });

  it('sends text of other names as text where --as-text says so', async () => {
    const paths = [file('prices.csv', 'a;1'), file('notes', 'b'), file('MENU.MD', 'c')];
    const ran = await run(
      ...['upload', ...paths, '--team', 'Aurora Coffee', '--fields', 'name,type', '--concurrency', '1'],
      ...['--as-text', '*.csv', '--as-text', 'no?es'],
    );
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toBe('prices.csv\ttxt\nnotes\ttxt\nMENU.MD\ttxt\n');
  });

  it('keeps a path in the name, and what an encoding would change', async () => {
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
      expect(ran.stderr).toBe(`✓ Uploaded ${name}: 4 characters.\n`);
    }
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
  type Row = Named & { readonly outcome: string };
  const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : 1);

  it('uploads them all, a row each', async () => {
    const paths = [file('a.txt', 'one'), file('b.txt', 'three')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    const rows: readonly Row[] = JSON.parse(ran.stdout);
    expect(rows.toSorted(byName)).toMatchObject([
      { name: 'a.txt', chars: 3 },
      { name: 'b.txt', chars: 5 },
    ]);
  });

  it('gives those that can not be sent a row with the reason, sends the others, and ends with 10', async () => {
    const paths = [file('a.txt', 'one'), file('empty.txt', ''), file('b.csv', 'a;1'), file('c.txt', 'two')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'empty.txt', outcome: 'refused', reason: 'empty', code: 'INVALID_INPUT', given: paths[1] },
      { name: 'b.csv', outcome: 'refused', reason: 'unsupported', error: expect.stringContaining('b.csv') },
      { outcome: 'uploaded' },
      { outcome: 'uploaded' },
    ]);
    const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
    expect(error.message).toBe('Uploaded 2 of 4 files. Refused 2: empty 1, unsupported 1.');
    // What helps differs, so that each says what it is about.
    expect(error.hint).toBe(
      `${paths[1]}: Give a file with something in it.\n${paths[2]}: To send it as text add: --as-text "*.csv"`,
    );
    expect(error.next).toEqual([]);
    expect((await named()).toSorted()).toEqual(['a.txt', 'c.txt']);
  });

  it('names every problem at once: names that collide, and a team that is not there', async () => {
    const paths = [file('a.txt', 'one'), file('a.txt', 'two')];
    const ran = await run('upload', ...paths, '--team', 'Nobody');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('2 files would be called a.txt');
    expect(ran.stderr).toContain('no team named "Nobody"');
    const lacking = await run('upload', ...paths, '/nowhere/*.pdf', '--team', 'Nobody');
    expect(lacking).toMatchObject({ exitCode: 2, stdout: '' });
    for (const words of ['2 files would be called a.txt', 'No file fits /nowhere/*.pdf.', 'named "Nobody"'])
      expect(lacking.stderr).toContain(words);
    const nobody = '00000000-0000-4000-8000-000000000000';
    const others = [file('a.txt', 'one'), file('b.txt', 'two')];
    expect(await run('upload', ...others, '--team', nobody)).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('ends with 2 where none can be sent, and where a path is not there, which stops all', async () => {
    const refused = await run('upload', file('a.txt', ''), file('b.txt', ' '), '--team', 'Aurora Coffee');
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout.trim().split('\n')).toHaveLength(2);
    expect(refused.stderr).toContain('Uploaded 0 of 2 files. Refused 2: empty 2.');
    const paths = [file('a.txt', 'one'), '/nowhere/c.txt', '/nowhere/*.pdf'];
    const missing = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain("Can't read /nowhere/c.txt: there is no such file.");
    expect(missing.stderr).toContain('No file fits /nowhere/*.pdf.');
    expect(await named()).toEqual([]);
  });

  it('sends the others where one fails, and ends with 10, a row for each', async () => {
    const effect = { kind: 'status', status: 400 } as const;
    await addFault(sandbox.control, { target: 'createDocument', effect, after: 1, times: 1 });
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
    expect(error.message).toMatch(/^Uploaded 2 of 3 files\. b c\.txt failed: .+$/);
    const rest = ['--team', 'Aurora Coffee', '--concurrency', '1'];
    expect(error.next).toContainEqual(['botctl', 'docs', 'upload', paths[1], ...rest]);
    expect((await named()).toSorted()).toEqual(['a.txt', 'd.txt']);
    // Nothing is made twice, and what failed is tried again.
    const again = await run('upload', ...paths, '--team', 'Aurora Coffee', '-o', 'id');
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stdout.trim().split('\n')).toHaveLength(3);
    expect(again.stderr).toMatch(
      /^New: 1 file .*\nAlready there: 2 files .*\n.*\n✓ Uploaded b c\.txt: 3 characters\.\n$/,
    );
    expect(await named()).toHaveLength(3);
  });

  it('ends as a single one does where all fail', async () => {
    await addFault(sandbox.control, { target: 'createDocument', effect: { kind: 'status', status: 400 } });
    const paths = ['a.txt', 'b.txt'].map((name) => file(name, name));
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee');
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toMatch(/Uploaded 0 of 2 files\.\n {4}\w\.txt failed: .+\n {4}\w\.txt failed: .+/);
    expect(ran.stderr).toContain(`botctl docs upload ${paths.join(' ')} --team "Aurora Coffee"`);
  });

  it('sends no more where none can get past what three failed by', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => file(`${index}.txt`, `text ${index}`));
    await addFault(sandbox.control, { target: 'createDocument', effect: { kind: 'status', status: 503 } });
    const line = ['upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1', '--settle', '0s'];
    const ran = await run(...line, '-o', 'json');
    const rows: readonly Row[] = JSON.parse(ran.stdout);
    expect(rows.map(({ name }) => name)).toEqual(['0.txt', '1.txt', '2.txt']);
    expect(ran.stderr).toContain('Not sent: 3.txt, 4.txt, 5.txt, 6.txt, 7.txt.');
  });

  it('goes on with the others while one hangs', async () => {
    const front = await startFront(sandbox.baseUrl);
    const [signal, urgent] = [new AbortController(), new AbortController()];
    const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => file(name, name));
    void front.hold('POST /api/openapi/v1/documents');
    let printed = '';
    const ran = await botctl(['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '-o', 'ndjson'], {
      env: { ...sandbox.env, BOTCTL_BASE_URL: front.url },
      onOutput: (text) => {
        printed += text;
        // Three of the four are there.
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

  it('says in the words of a single one that the outcome is unknown where a signal cuts an answer off', async () => {
    const front = await startFront(sandbox.baseUrl);
    const [signal, urgent] = [new AbortController(), new AbortController()];
    // One at a time, and none is begun before the row of the one before it is written.
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
    expect(error.message).toMatch(
      /^Uploaded 1 of 3 files\. b\.txt: Interrupted\. It is not known whether .+ Not sent: c\.txt\.$/,
    );
    expect(ran.stdout).toContain('"outcome":"unknown"');
    // Whether b.txt has to be sent again is for the hint to say.
    const rest = ['docs', 'upload', paths[2], '--team', 'Aurora Coffee', '--concurrency', '1'];
    expect(error.next).toContainEqual(['botctl', ...rest]);
    expect(await named()).toEqual(['a.txt', 'b.txt']);
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

  it('takes a folder for all beneath it, and a pattern for what fits, and finishes by the same line', async () => {
    const root = folder({
      'a.txt': 'one',
      'deep/b.md': 'two',
      'deep/c.csv': 'x;1',
      'no.txt': 'no',
      '.d.txt': 'd',
    });
    const line = [
      root,
      `${root}/d*/*.csv`,
      '--team',
      'Aurora Coffee',
      '--exclude',
      'no.*',
      '--as-text',
      '*.csv',
    ];
    await addFault(sandbox.control, {
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

  it('shows what it is about to do, and asks once where somebody can answer', async () => {
    const root = folder({ 'a.txt': 'one', 'b.md': 'three', 'c.csv': '1' });
    await run('upload', join(root, 'a.txt'), '--team', 'Aurora Coffee');
    writeFileSync(join(root, 'a.txt'), 'four');
    const question = 'A document named a.txt is there already. Upload 2 files to Aurora Coffee?';
    const line = ['docs', 'upload', root, '--team', 'Aurora Coffee'];
    const no = await botctl(line, { env: sandbox.env, terminal: true, answers: { [question]: 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(stripVTControlCharacters(no.stderr)).toContain(
      [
        'new  txt  4 B  4 chars  a.txt',
        'new  txt  5 B  5 chars  b.md',
        'New: 2 files (2 txt), 9 B, 9 characters.',
        'Refused: 1 file (unsupported 1).',
      ].join('\n'),
    );
    expect(await named()).toEqual(['a.txt']);
    const yes = await botctl([...line, '--yes'], { env: sandbox.env, terminal: true });
    expect(yes.exitCode, yes.stderr).toBe(10);
    expect(yes.stderr).not.toContain('new  txt');
    // What is there needs no answer.
    const again = await botctl(line, { env: sandbox.env, terminal: true });
    expect(again.exitCode, again.stderr).toBe(10);
    expect(again.stderr).toContain('Already there: 2 files (2 txt), 9 B, 9 characters.');
  });

  it('gives the rows of what it would do with --dry-run, and sends nothing', async () => {
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
    expect(partly.stderr).toContain('1 of 3 files are refused: unsupported 1.');
    expect(await dry('--include', '*.csv')).toMatchObject({ exitCode: 2, rows: [{ outcome: 'refused' }] });
    expect(await named()).toEqual(['a.txt']);
  });

  it('sends nothing where more is new than --max-new allows, 50 where nobody can be asked', async () => {
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
      message: '51 documents are new, and --max-new allows 50. Nothing was sent.',
      next: [['botctl', 'docs', ...line, '--max-new', '51']],
    });
    expect((await run(...line, '--include', '?.txt', '--max-new', '9')).stderr).toContain(
      '10 documents are new',
    );
    // What would be done is told as far as it is known, and ends as the upload does.
    const dry = await run(...line, '--dry-run', '--allow', 'duplicate', '-o', 'json');
    expect(dry.exitCode).toBe(2);
    expect(JSON.parse(dry.stdout)).toHaveLength(51);
    const allowed = [...line, '--allow', 'duplicate', '--dry-run', '--max-new', '51'];
    expect(JSON.parse(dry.stderr.trim().split('\n').at(-1) ?? '').error.next).toEqual([
      ['botctl', 'docs', ...allowed],
    ]);
    expect((await run(...allowed)).exitCode).toBe(0);
    expect(await named()).toEqual([]);
    const few = await run(...line, '--include', '5*.txt');
    expect(few.exitCode, few.stderr).toBe(0);
    // Those that are there don't count.
    expect((await run(...line, '--max-new', '48')).stderr).toContain('49 documents are new');
    expect(await named()).toHaveLength(2);
  });

  it('sends nothing where the team has no room for all that is new, and says how to give it more', async () => {
    const quotas = ['--quota', 'documents=2', '--quota', 'characters=12'];
    await botctl(['teams', 'update', 'Aurora Coffee', ...quotas], { env: sandbox.env });
    await run('upload', file('there.txt', 'four'), '--team', 'Aurora Coffee');
    const root = folder({ 'a.txt': 'five5', 'b.txt': 'five5' });
    const ran = await run('upload', root, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    const lines = ran.stderr.trim().split('\n');
    expect(lines.slice(-2)[0]).toBe('The team has room for 1 document and 8 characters.');
    const { error } = JSON.parse(lines.at(-1) ?? '');
    expect(error.message).toBe(
      'The team has not enough room: it lacks 1 document and 2 characters. Nothing was sent.',
    );
    const dry = await run('upload', root, '--team', 'Aurora Coffee', '--dry-run', '--fields', 'outcome');
    expect(dry).toMatchObject({ exitCode: 6, stdout: 'would upload\nwould upload\n' });
    await botctl(error.next[0].slice(1), { env: sandbox.env });
    const again = await run('upload', root, '--team', 'Aurora Coffee');
    expect(again.exitCode, again.stderr).toBe(0);
  });

  it('refuses names that several files would get, all at once, and gives the line that names them by their paths', async () => {
    const root = folder({ 'b.txt': 'one', 'deep/b.txt': 'two', 'e\u0301.txt': 'x', 'deep/\u00e9.txt': 'y' });
    for (const name of ['Makefile', 'deep/Makefile']) writeFileSync(join(root, name), 'all:');
    const ran = await run('upload', root, '--team', 'Aurora Coffee', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(ran.stderr);
    // In the order of the files, and with those that are no documents left out of it.
    expect(error.message).toBe(
      [
        `2 files would be called b.txt: ${root}/b.txt and ${root}/deep/b.txt.`,
        `2 files would be called \u00e9.txt: ${root}/deep/\u00e9.txt and ${root}/e\u0301.txt.`,
      ].join('\n'),
    );
    const dry = await run('upload', root, '--team', 'Aurora Coffee', '--dry-run', '-o', 'json');
    expect(JSON.parse(dry.stderr).error.next[0]).toContain('--dry-run');
    const done = await botctl([...error.next[0].slice(1), '--exclude', 'Makefile'], { env: sandbox.env });
    expect(done.exitCode, done.stderr).toBe(0);
    expect((await named()).toSorted()).toEqual(['b.txt', 'deep/b.txt', 'deep/\u00e9.txt', '\u00e9.txt']);
    const beside = await run(
      'upload',
      `${root}/deep`,
      `${root}/../${basename(root)}/*.txt`,
      ...error.next[0].slice(4),
    );
    expect(beside.stderr).toContain('Give the folder above them, so that their paths differ.');
    // The paths below the two folders collide again.
    const alike = await run('upload', `${root}/deep`, folder({ 'b.txt': 'one' }), '--team', 'Aurora Coffee');
    expect(alike.stderr).toContain('Give the folder above them, and --name-by path, so that');
  });

  it.each(['ndjson', 'tsv', 'csv', 'id'])('prints each row as %s once it is stored', async (format) => {
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, name));
    const printed: number[] = [];
    const line = ['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1', '-o', format];
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
  let stored = 0;
  beforeEach(() => {
    stored = 0;
  });

  it.each(['json', 'ndjson'])(
    'sends nothing more after a signal, and gives the line of the rest (%s)',
    async (format) => {
      const paths = ['a.txt', 'b c.txt', 'd.csv'].map((name) => file(name, name));
      const line = [
        'docs',
        'upload',
        ...paths,
        '--as-text',
        '*.csv',
        '--team',
        'Aurora Coffee',
        '--concurrency',
        '1',
        '--if-absent',
        '--max-new',
        '3',
      ];
      const signal = new AbortController();
      const ran = await botctl([...line, '-o', format], {
        env: sandbox.env,
        signal: signal.signal,
        onError: (text) => {
          if (text.includes('Uploaded a.txt')) signal.abort(new Failure('terminated', 'Terminated.'));
        },
      });
      expect(ran.exitCode, ran.stderr).toBe(143);
      expect([JSON.parse(ran.stdout)].flat()).toMatchObject([{ name: 'a.txt', outcome: 'uploaded' }]);
      const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
      expect(error).toMatchObject({
        code: 'TERMINATED',
        message: 'Uploaded 1 of 3 files. Terminated. Not sent: b c.txt, d.csv.',
        next: [
          [
            'botctl',
            'docs',
            'upload',
            ...paths.slice(1),
            ...['--team', 'Aurora Coffee'],
            ...['--as-text', '*.csv'],
            ...['--concurrency', '1'],
            '--if-absent',
            ...['--max-new', '3'],
          ],
        ],
      });
      expect(await named()).toEqual(['a.txt']);
      expect(await botctl(error.next[0].slice(1), { env: sandbox.env })).toMatchObject({ exitCode: 0 });
      expect(await named()).toEqual(['a.txt', 'b c.txt', 'd.csv']);
    },
  );

  it('draws the table on a terminal once all is done', async () => {
    const paths = ['a.txt', 'b.txt'].map((name) => file(name, name));
    let seen = '';
    const note = (text: string): void => {
      seen += text;
    };
    const options = ['--team', 'Aurora Coffee', '--concurrency', '1', '--fields', 'name,outcome'];
    const line = ['docs', 'upload', ...paths, ...options];
    const answers = { 'Upload 2 files to Aurora Coffee?': 'y' };
    await botctl(line, { env: sandbox.env, terminal: true, onOutput: note, onError: note, answers });
    expect(stripVTControlCharacters(seen)).toMatch(
      /✓ Uploaded a\.txt: .*\n[\s\S]*✓ Uploaded b\.txt: .*\n[\s\S]*NAME +OUTCOME *\na\.txt +uploaded *\nb\.txt +uploaded *\n/,
    );
  });

  it('sends nothing more once nobody takes the rows, and says which one is the last', async () => {
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, name));
    let [told, printed] = ['', ''];
    const stdout = new Writable({
      write(chunk, _, done) {
        printed += String(chunk);
        done();
        if (printed !== '') stdout.destroy();
      },
    });
    const stderr = new Writable({
      write(chunk, _, done) {
        told += String(chunk);
        done();
      },
    });
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const io = { stdin: Readable.from([]), stdout, stderr, env, signal: new AbortController().signal };
    const line = ['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1'];
    expect(await runProgram([...line, '-o', 'id'], io), told).toBe(10);
    // Nobody would know its id otherwise.
    const [row] = JSON.parse((await run('list', '--name', 'a.txt', '-o', 'json')).stdout);
    expect(told).toContain(
      `Uploaded 1 of 3 files. The output can't be written any more; the last document is a.txt (${row.id}). Not sent: b.txt, c.txt.`,
    );
    expect(told).toContain(
      `The rest: botctl docs upload ${paths.slice(1).join(' ')} --team "Aurora Coffee" --concurrency 1`,
    );
    expect(await named()).toEqual(['a.txt']);
  });

  it.each([
    ['docs upload', 'Uploaded 1 of 2 files.'],
    ['docs sync', 'Of 2 files 1 is as it should be: 1 failed.'],
  ])('waits for no lost answer once nobody takes the rows: %s', async (line, words) => {
    const folder = join(temporaryDirectory(), 'folder');
    mkdirSync(folder);
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name);
    const effect = { kind: 'reset', when: 'before' } as const;
    await addFault(sandbox.control, { target: 'createDocument', effect, after: 1, times: 1 });
    let told = '';
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        done();
        stdout.destroy();
      },
    });
    const stderr = new Writable({
      write(chunk, _, done) {
        told += String(chunk);
        done();
      },
    });
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const io = { stdin: Readable.from([]), stdout, stderr, env, signal: new AbortController().signal };
    const options = [folder, '--team', 'Aurora Coffee', '--settle', '1d', '-o', 'json'];
    expect(await runProgram([...line.split(' '), ...options], io), told).toBe(10);
    expect(told).toContain(words);
    expect(told).toContain('It is not known whether the document was stored');
    expect(await named()).toHaveLength(1);
    // The next run finds out what came of it.
    const again = [...line.split(' '), ...options.slice(0, 3), '--settle', '0s'];
    expect(await botctl(again, { env })).toMatchObject({ exitCode: 0 });
    expect(await named()).toHaveLength(2);
  });

  it('reads the team once for all of them', async () => {
    await botctl(['teams', 'update', 'Aurora Coffee', '--quota', 'documents=50'], { env: sandbox.env });
    const calls = await callsFromNow(sandbox);
    const paths = Array.from({ length: 6 }, (_, index) => file(`${index}.txt`, `text ${index}`));
    const line = ['docs', 'upload', ...paths, '--team', 'Aurora Coffee', '--concurrency', '1', '-o', 'id'];
    const upload = () => botctl(line, { env: sandbox.env });
    const ran = await upload();
    const list = 'GET /api/openapi/v1/documents';
    expect(ran.exitCode, ran.stderr).toBe(0);
    const first = await calls();
    expect(first).toEqual([
      'GET /api/openapi/v1/teams',
      list,
      expect.stringMatching(/^GET \/api\/openapi\/v1\/teams\/[-\w]+$/),
      ...paths.map(() => 'POST /api/openapi/v1/documents'),
    ]);
    const again = await upload();
    expect(again.stdout).toBe(ran.stdout);
    expect((await calls()).slice(first.length)).toEqual(['GET /api/openapi/v1/teams', list, first[2]]);
  });
});

it('looks for no file to upload where a person leaves at the question which team', async () => {
  const root = folder({ 'menu.txt': 'soup' });
  symlinkSync(join(root, 'menu.txt'), join(root, 'again.txt'));
  const line = ['docs', 'upload', root, '--team', 'aurora'];
  const left = await botctl(line, { env: sandbox.env, terminal: true, answers: { '(Y/n)': 'n' } });
  expect(left.exitCode, left.stderr).toBe(3);
  expect(left.stderr).not.toContain('Links beneath');
});

describe('a document that is there already', () => {
  const upload = (path: string, ...options: readonly string[]) =>
    run('upload', path, '--team', 'Aurora Coffee', '-o', 'json', ...options);
  const count = async () => JSON.parse((await run('list', '-o', 'json')).stdout).length;

  it('is not sent again where name, size and characters are the same, on a terminal either', async () => {
    const path = file('menu.txt', 'soup');
    const [{ id }] = JSON.parse((await upload(path)).stdout);
    writeFileSync(path, 'cake');
    const again = await upload(path);
    expect(again).toMatchObject({
      exitCode: 0,
      stderr:
        'menu.txt is there already: a document of the same name, size and characters; nothing was sent. ' +
        "The API shows no content: whether its text is the same can't be told. " +
        'To send it all the same add --allow duplicate.\n',
    });
    expect(JSON.parse(again.stdout)).toMatchObject([{ id, name: 'menu.txt', outcome: 'already there' }]);
    const seen = await botctl(['docs', 'upload', path, '--team', 'Aurora Coffee', '-o', 'id'], {
      env: sandbox.env,
      terminal: true,
    });
    expect(seen).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(await count()).toBe(1);
  });

  it('is sent again with --allow duplicate, which --yes is not', async () => {
    const path = file('menu.txt', 'soup');
    const [{ id }] = JSON.parse((await upload(path)).stdout);
    expect(JSON.parse((await upload(path, '--yes')).stdout)).toMatchObject([{ id }]);
    const another = await upload(path, '--allow', 'duplicate');
    expect(another.stderr).toBe('✓ Uploaded menu.txt: 4 characters.\n');
    expect(JSON.parse(another.stdout)).toMatchObject([{ outcome: 'uploaded' }]);
    expect(await count()).toBe(2);
  });

  it('and has another content is noted off a terminal, and asked about on one', async () => {
    await upload(file('menu.txt', 'soup'));
    const ran = await upload(file('menu.txt', 'cake'), '--chars', '5');
    expect(ran.stderr).toContain('A document named menu.txt is there already; this creates another one.');
    const question = 'A document named menu.txt is there already. Create another one?';
    const asked = await botctl(['docs', 'upload', file('menu.txt', 'bread'), '--team', 'Aurora Coffee'], {
      env: sandbox.env,
      terminal: true,
      answers: { [question]: 'n' },
    });
    expect(asked).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await count()).toBe(2);
  });

  it('is given with --if-absent whatever is in it, with a warning where that is something else', async () => {
    const [{ id }] = JSON.parse((await upload(file('menu.txt', 'soup'), '--if-absent')).stdout);
    const same = await upload(file('menu.txt', 'soup'), '--if-absent');
    expect(same.stderr).toBe('menu.txt is there already; nothing was sent.\n');
    const other = await upload(file('menu.txt', 'bread'), '--if-absent');
    expect(JSON.parse(other.stdout)).toMatchObject([{ id, outcome: 'already there' }]);
    expect(other.stderr).toContain(
      'menu.txt is there already, and is another one: 4 bytes and 4 characters there, 5 bytes and 5 characters here. Nothing was sent.',
    );
    expect(await count()).toBe(1);
  });

  it('with --if-absent is refused where several have the name, before anything is sent', async () => {
    for (const text of ['soup', 'bread']) await upload(file('menu.txt', text));
    const paths = [file('new.txt', 'new'), file('menu.txt', 'soup')];
    const ran = await run('upload', ...paths, '--team', 'Aurora Coffee', '--if-absent', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: 'AMBIGUOUS',
      message: '"menu.txt" could be any of 2 documents.',
    });
    expect(await count()).toBe(2);
  });

  it('in another team is none', async () => {
    await createTeam('Borealis');
    await upload(file('menu.txt', 'soup'));
    const ran = await run('upload', file('menu.txt', 'soup'), '--team', 'Borealis', '--if-absent');
    expect(ran.stderr).toBe('✓ Uploaded menu.txt: 4 characters.\n');
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
    expect(JSON.parse(ran.stdout)).toMatchObject([{ name: 'menu.txt', type: 'txt', chars: 13, size: 14 }]);
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
