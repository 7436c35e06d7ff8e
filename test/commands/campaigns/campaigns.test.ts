import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openOnMachine } from '../../../src/campaigns/store/open-database.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { tablesOf } from '../../support/campaign-databases.ts';
import { storeAt } from '../../support/campaign-stores.ts';
import { openDirect } from '../../support/direct.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let home: string;
let deviceId: string;

beforeEach(async () => {
  home = temporaryDirectory();
  const teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
});

const run = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { ...options, env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, ...options.env } });
const create = (text: string, ...more: readonly string[]) =>
  run(['campaigns', 'create', 'spring', '--recipients', '-', '--device', deviceId, '-o', 'json', ...more], {
    stdin: text,
  });
const hello = ['--message', 'Hello {{ name }}!'];
const people = 'name,phone,state\nAna,+55 11 98888-7777,SP\nBia,+55 11 8888-7777,RJ\nCid,+351 912 345 678,\n';

async function connected(): Promise<void> {
  await service.connect(deviceId);
}

describe('a campaign', () => {
  it('is created from a list and shown, and sends nothing', async () => {
    await connected();
    const made = await create(people, ...hello);
    expect(made.exitCode, made.stderr).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      name: 'spring',
      rows: 3,
      planned: 2,
      duplicates: 1,
      first_to: '+5511988887777',
      last_message: 'Hello Cid!',
    });
    expect(made.stderr).toContain(
      'Row 2 (line 3, +5511988887777) is skipped: row 1 (line 2) has the same number.',
    );
    expect((await callControl(sandbox.control, '/messages', { limit: 10 })).rows).toEqual([]);
    const got = JSON.parse((await run(['campaigns', 'get', 'spring', '-o', 'json'])).stdout);
    expect(got).toEqual(JSON.parse(made.stdout));
    expect(got.devices[0]).toMatch(/\(\+\d+\)$/);
  });

  it('writes to a Brazilian number with its ninth digit if the list contains it in that form', async () => {
    await connected();
    const list = 'name,phone\nBia,+55 11 8888-7777\nCid,+55 11 8888-5555\nAna,+55 11 98888-7777\n';
    const made = await create(list, ...hello, '--limit', '2');
    expect(made.exitCode, made.stderr).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      first_to: '+5511988887777',
      first_message: 'Hello Bia!',
    });
    expect(made.stderr).toContain('row 1 (line 2): +55 11 8888-7777 is +5511988887777');
    expect(made.stderr).toContain(
      '1 number may not be in use and will be sent to anyway: row 2 (line 3, +551188885555).',
    );
    const rows = await run(['campaigns', 'results', 'spring', '--fields', 'to,state']);
    expect(rows.stdout).toBe('+5511988887777\tplanned\n+551188885555\tplanned\n');
  });

  it('has results with the columns of the list in order, and our column next to one of the same name', async () => {
    await connected();
    await create(people, ...hello);
    const csv = (await run(['campaigns', 'results', 'spring', '-o', 'csv'])).stdout.split('\r\n');
    expect(csv[0]).toBe('name,phone,state,row,to,campaign_state,reason,because,at,attempts,device,message');
    expect(csv[1]).toContain("Ana,'+55 11 98888-7777,SP,1,+5511988887777,planned,,,");
    expect(csv[2]).toContain('RJ,2,+5511988887777,skipped,duplicate,row 1 (line 2) has the same number');
    const skipped = [
      'campaigns',
      'results',
      'spring',
      '--state',
      'skipped',
      '--fields',
      'name,campaign_state',
    ];
    expect((await run(skipped)).stdout).toBe('Bia\tskipped\n');
    expect(await run(['campaigns', 'results', 'spring', '--fields', 'nme'])).toMatchObject({ exitCode: 2 });
  });

  it('has the pace that it was created with, and the estimated duration', async () => {
    await connected();
    const window = ['--window', 'mon-fri 09:00-12:00', '--window', 'mon-fri 14:00-18:00'];
    await create(people, ...hello, '--gap', '30s', '--daily', '1,50', ...window, '--tz', 'europe/berlin');
    const got = JSON.parse((await run(['campaigns', 'get', 'spring', '-o', 'json'])).stdout);
    expect(got).toMatchObject({
      pace: 'pauses of 30 s; 1, 50 a day; mon-fri 09:00-12:00; mon-fri 14:00-18:00; Europe/Berlin',
      gap: { shortest: 30_000, longest: 30_000 },
      warm_up: [1, 50],
      windows: ['mon-fri 09:00-12:00', 'mon-fri 14:00-18:00'],
      tz: 'Europe/Berlin',
    });
    // The second message is sent on another day.
    expect(got.takes).toBeGreaterThan(9 * 3600);
    await run(['campaigns', 'delete', 'spring', '--confirm', 'spring']);
    await create(people, ...hello);
    const usual = JSON.parse((await run(['campaigns', 'get', 'spring', '-o', 'json'])).stdout);
    expect(usual).toMatchObject({ pace: 'pauses of 6 s to 15 s', takes: 11 });
    expect(usual.tz).toMatch(/^[A-Z]/);
  });

  it('keeps formulas, escapes and line breaks of cells out of the terminal and CSV output', async () => {
    await connected();
    const evil = `name,phone\n"=HYPERLINK(""x"")\u001b]0;t\u0007\nB",+55 11 98888-7777\n"\u001b[31mred","\u001b[2J5E+12"\n`;
    const made = await create(evil, ...hello, '--skip-invalid');
    expect(made.exitCode, made.stderr).toBe(0);
    const csv = (await run(['campaigns', 'results', 'spring', '-o', 'csv'])).stdout;
    const table = await run(['campaigns', 'results', 'spring', '--no-color'], { terminal: true });
    for (const text of [made.stdout, made.stderr, csv, table.stdout]) expect(text).not.toMatch(/[\x07\x1b]/);
    expect(csv).toContain(`"'=HYPERLINK(""x"")`);
    // A row is one line for every CSV reader.
    const lines = csv.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).not.toMatch(/[\r\n]/);
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")\\nB"`);
    const whole = await run(['campaigns', 'results', 'spring', '-o', 'ndjson']);
    expect(JSON.parse(whole.stdout.split('\n')[0] ?? '').name).toContain('\nB');
  });

  it('is refused with duplicates and opted-out numbers in the report', async () => {
    await connected();
    await run(['optouts', 'add', '+351 912 345 678']);
    const wrong = `${people}Dora,nobody,RJ\n`;
    const refused = await create(wrong, ...hello);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    for (const says of [
      'Row 2 (line 3, +5511988887777) is skipped: row 1 (line 2) has the same number.',
      'Row 3 (line 4, +351912345678) is skipped: it opted out.',
      'stdin:5: its number',
    ])
      expect(refused.stderr.split(says)).toHaveLength(2);
    expect(refused.stderr).not.toContain('Row 4');
    expect((await create(people, ...hello)).exitCode).toBe(0);
    const more = await run(['campaigns', 'add', 'spring', '--recipients', '-'], {
      stdin: 'name,phone\nEva,+55 21 99999-0000\nEva,+55 21 99999-0000\nFay,nobody\n',
    });
    expect(more.exitCode).toBe(2);
    expect(more.stderr).toContain(
      'Row 5 (line 3, +5521999990000) is skipped: row 4 (line 2) has the same number.',
    );
  });

  it('is refused with all problems at once, by line, and nothing is written', async () => {
    await connected();
    const wrong = 'name,phone\nAna,11988887777\nBia,5.5E+12\n"C\nd",+55 11 98888-7777\nDi,x\n';
    const refused = await create(wrong, ...hello);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const { message, hint } = JSON.parse(refused.stderr).error;
    for (const says of [
      'stdin:2: its number needs a + and its country code',
      'stdin:3: its number is "5.5E+12"',
      'stdin:6: its number',
    ])
      expect(message).toContain(says);
    expect(hint).toContain('--region BR');
    expect((await run(['campaigns', 'list', '-o', 'json'])).stdout).toBe('[]\n');
    const read = await create(wrong, ...hello, '--region', 'BR', '--skip-invalid', '--dry-run');
    expect(JSON.parse(read.stdout)).toMatchObject({ rows: 4, planned: 1, duplicates: 1, invalid: 2 });
    expect(read.stderr).toContain('row 1 (line 2): 11988887777 is +5511988887777');
    expect((await run(['campaigns', 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });

  it.each([
    ['a column that is not there', people, [...hello, '--key-column', 'nmae'], 'Did you mean name?'],
    ['no column of numbers', 'a,b\n1,2\n', ['--message', 'x'], 'Name it with --to-column'],
    ['a name in the message that no column has', people, ['--message', '{{ nome }}'], 'Did you mean name?'],
    ['no message', people, [], 'The message is missing'],
    ['a message of - alone', people, ['--message', '-'], 'from stdin, use --message-file -'],
    ['two messages', people, [...hello, '--message-file', 'x'], 'not both'],
    ['a gap the wrong way round', people, [...hello, '--gap', '9s..3s'], 'start with the shorter pause'],
    ['a gap that no file can hold', people, [...hello, '--gap', '999999999999d'], 'at most a day'],
    ['steps of nothing', people, [...hello, '--daily', '20,0'], 'a whole number of at least 1'],
    [
      'a zone that is none',
      people,
      [...hello, '--tz', 'America/Sao Paulo'],
      'Did you mean America/Sao_Paulo?',
    ],
    ['an offset for a zone', people, [...hello, '--tz', '-03:00'], 'must be a time zone'],
    [
      'days in another language',
      people,
      [...hello, '--window', 'seg-sex 09:00-18:00'],
      'days such as mon-fri',
    ],
  ])('is refused for %s', async (_, text, more, says) => {
    const refused = await create(text, ...more);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(says);
  });

  it.each([
    ['no zone', ''],
    ['a zone that is none', 'Etc/Unknown'],
    ['an offset', 'GMT+03:00'],
  ] as const)(
    'needs --tz for days and times, and for nothing else, if the machine is in %s',
    async (_, said) => {
      await connected();
      const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      const its = new Intl.DateTimeFormat().resolvedOptions().timeZone;
      const spy = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function (
        this: Intl.DateTimeFormat,
      ) {
        const options = resolvedOptions.call(this);
        return options.timeZone === its ? { ...options, timeZone: said } : options;
      });
      try {
        for (const pace of [
          ['--window', 'mon-fri 09:00-18:00'],
          ['--daily', '9'],
          ['--daily', '9,20'],
        ]) {
          const refused = await create(people, ...hello, ...pace);
          expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
          expect(refused.stderr).toContain('--tz is missing');
        }
        const made = await create(people, ...hello, '--dry-run');
        expect(made.exitCode, made.stderr).toBe(0);
        expect(JSON.parse(made.stdout).tz ?? null).toBeNull();
      } finally {
        spy.mockRestore();
      }
    },
  );

  it('warns if its message is the name of a file, and sends that text', async () => {
    await connected();
    const file = join(home, 'offer.txt');
    writeFileSync(file, 'Half price!');
    const made = await create(people, '--message', `@${file}`);
    expect(made.exitCode, made.stderr).toBe(0);
    expect(made.stderr).toContain(`To use the text of the file: --message-file ${file}`);
    expect(JSON.parse(made.stdout)).toMatchObject({ first_message: `@${file}` });
    const line = ['campaigns', 'create', 'other', '--recipients', file, '--device', deviceId];
    const asked = await run([...line, '--message', `@${file}`], {
      terminal: true,
      answers: { 'Send the literal text': 'n' },
    });
    expect(asked.exitCode).toBe(3);
  });

  it('needs a device that has a number, and an unused name', async () => {
    const unpaired = await create(people, ...hello);
    expect(unpaired).toMatchObject({ exitCode: 9, stdout: '' });
    expect(unpaired.stderr).toContain('device connect');
    await connected();
    await create(people, ...hello);
    const taken = await create(people, ...hello);
    expect(taken).toMatchObject({ exitCode: 2, stdout: '' });
    expect(taken.stderr).toContain('Campaign spring already exists.');
  });

  it('accepts the next rows of the same list with campaigns add, each once', async () => {
    await connected();
    await create(people, ...hello, '--limit', '1');
    const file = join(home, 'people.csv');
    writeFileSync(file, `${people}Dora,+55 21 99999-0000,RJ\n`);
    const add = async (...more: readonly string[]) => {
      const ran = await run(['campaigns', 'add', 'spring', '--recipients', file, '-o', 'json', ...more]);
      expect(ran.exitCode, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout);
    };
    expect(await add('--dry-run')).toMatchObject({ added: 2, known: 2, rows: 1 });
    expect(await add('--limit', '1')).toMatchObject({ added: 1, known: 2, rows: 2 });
    expect(await add()).toMatchObject({ added: 1, known: 3, rows: 3 });
    expect(await add()).toMatchObject({ added: 0, known: 4, rows: 3 });
    const invalid = ['campaigns', 'add', 'spring', '--recipients', '-', '--skip-invalid'];
    const told = await run(invalid, { stdin: 'name,phone\nEva,nobody\n' });
    expect(told.stderr).toContain('The row on line 2 is skipped: its number');
    const rows = JSON.parse((await run(['campaigns', 'results', 'spring', '-o', 'json'])).stdout);
    expect(rows.map(({ message }: { readonly message: string }) => message)).toEqual([
      'Hello Ana!',
      'Hello Cid!',
      'Hello Dora!',
    ]);
  });

  it('accepts no rows if another campaign of its name was created while the list was read', async () => {
    await connected();
    await create(people, ...hello);
    const again = async function* () {
      await run(['campaigns', 'delete', 'spring', '--confirm', 'spring']);
      await create(people, '--message', 'Bye {{ name }}!');
      yield 'name,phone\nDora,+55 21 99999-0000\n';
    };
    const refused = await run(['campaigns', 'add', 'spring', '--recipients', '-'], { stdin: again() });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('Another command changed campaign spring. Nothing was done.');
    const got = JSON.parse((await run(['campaigns', 'get', 'spring', '-o', 'json'])).stdout);
    expect(got).toMatchObject({ rows: 3, last_message: 'Bye Cid!' });
  });

  it('is listed next to one that cannot be read, which is reported', async () => {
    await connected();
    await create(people, ...hello);
    await run(['campaigns', 'create', 'winter', '--recipients', '-', '--device', deviceId, ...hello], {
      stdin: people,
    });
    const { db } = await tablesOf(openOnMachine(join(home, 'data'), new FakeClock(), () => undefined));
    await db.updateTable('campaigns').set({ frozen: '{' }).where('name_key', '=', 'winter').execute();
    const listed = await run(['campaigns', 'list', '--fields', 'name']);
    expect(listed).toMatchObject({ exitCode: 2, stdout: 'spring\n' });
    expect(listed.stderr).toContain('Campaign winter on this machine is damaged');
  });

  it('gains the columns of a later list, which are empty for earlier rows', async () => {
    await connected();
    await create('name,phone\nAna,+55 11 98888-7777\n', ...hello);
    const stdin = '{"name":"Bia","phone":"+55 11 96666-5555","city":"Rio"}\n';
    await run(['campaigns', 'add', 'spring', '--recipients', '-'], { stdin });
    const cities = ['campaigns', 'results', 'spring', '--fields', 'name,city', '-o', 'json'];
    expect(JSON.parse((await run(cities)).stdout)).toEqual([
      { name: 'Ana', city: null },
      { name: 'Bia', city: 'Rio' },
    ]);
  });

  it('is deleted with its numbers by its name', async () => {
    await connected();
    await create(people, ...hello);
    expect(await run(['campaigns', 'delete', 'spring', '--yes'])).toMatchObject({ exitCode: 2 });
    expect(await run(['campaigns', 'delete', 'spring', '--confirm', 'spring'])).toMatchObject({
      exitCode: 0,
    });
    const gone = await run(['campaigns', 'get', 'spring']);
    expect(gone).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('is paused and cancelled by the user, and cancelled for good', async () => {
    await connected();
    await create(people, ...hello);
    const say = async (...words: readonly string[]) => run(['campaigns', ...words, 'spring', '-o', 'json']);
    expect(JSON.parse((await say('get')).stdout)).toMatchObject({ state: 'new' });
    const paused = await say('pause');
    expect(JSON.parse(paused.stdout)).toMatchObject({ name: 'spring', state: 'paused', left: 2 });
    expect(paused.stderr).toContain('Resume it with: botctl campaigns run spring --resume');
    const again = await say('pause');
    expect(again.stderr).toContain('is already paused');
    expect(again.stdout).toBe(paused.stdout);
    expect(JSON.parse((await say('get')).stdout)).toMatchObject({ state: 'paused', planned: 2 });
    expect(await say('cancel')).toMatchObject({ exitCode: 2, stdout: '' });
    const cancelled = await say('cancel', '--yes');
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ state: 'cancelled', left: 0 });
    expect((await say('cancel')).stderr).toContain('is already cancelled');
    const refused = await say('pause');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain("was cancelled and can't be resumed");
    expect(JSON.parse((await say('get')).stdout)).toMatchObject({
      state: 'cancelled',
      planned: 0,
      cancelled: 2,
    });
    const states = await run(['campaigns', 'results', 'spring', '--fields', 'name,campaign_state,reason']);
    expect(states.stdout).toBe('Ana\tskipped\tcancelled\nBia\tskipped\tduplicate\nCid\tskipped\tcancelled\n');
  });

  it('has rows whose outcome only the user can record', async () => {
    await connected();
    await create(people, ...hello);
    const { service, created_at } = JSON.parse(
      (await run(['campaigns', 'get', 'spring', '-o', 'json'])).stdout,
    );
    const store = storeAt(join(home, 'data'));
    const at = '2026-01-01T00:00:00.000Z';
    const lost = [1, 3].flatMap((row) => [
      { row, event: 'claim', at } as const,
      { row, event: 'lose', at } as const,
    ]);
    await store.record({ origin: service, name: 'spring', created_at }, lost);
    const settle = (...words: readonly string[]) =>
      run(['campaigns', 'settle', 'spring', ...words, '-o', 'json']);
    const states = async () =>
      JSON.parse((await run(['campaigns', 'results', 'spring', '-o', 'json'])).stdout).map(
        (row: { readonly campaign_state: string }) => row.campaign_state,
      );
    const wrong = await settle('1', '2', '9', '--accepted');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    const { message } = JSON.parse(wrong.stderr.trim().split('\n').at(-1) ?? '').error;
    expect(message).toBe('Row 2 is skipped, not unknown.\nRow 9 does not exist: spring has 3 rows.');
    expect(await states()).toEqual(['unknown', 'skipped', 'unknown']);
    for (const options of [[], ['--accepted', '--not-sent']])
      expect(await settle('1', ...options)).toMatchObject({ exitCode: 2, stdout: '' });
    const accepted = await settle('1', '1', '--accepted');
    expect(JSON.parse(accepted.stdout)).toEqual({ name: 'spring', rows: [1], state: 'accepted', unknown: 1 });
    const notSent = await settle('3', '--not-sent');
    expect(JSON.parse(notSent.stdout)).toEqual({ name: 'spring', rows: [3], state: 'planned', unknown: 0 });
    expect(await states()).toEqual(['accepted', 'skipped', 'planned']);
    expect(await settle('3', '--not-sent')).toMatchObject({ exitCode: 2, stdout: '' });
    await store.record({ origin: service, name: 'spring', created_at }, lost);
    await run(['campaigns', 'cancel', 'spring', '--yes']);
    const never = await settle('3', '--not-sent');
    expect(JSON.parse(never.stdout)).toMatchObject({ state: 'skipped' });
    expect(never.stderr).toContain('as not sent');
    expect(await states()).toEqual(['accepted', 'skipped', 'skipped']);
    const more = ['campaigns', 'add', 'spring', '--recipients', '-'];
    const refused = await run(more, { stdin: 'name,phone\nEva,+55 11 95555-4444\n' });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('was cancelled');
  });

  it('is offered by its name when the user is asked', async () => {
    await connected();
    await create(people, ...hello);
    const asked = await run(['campaigns', 'get'], { terminal: true, answers: { 'Which campaign?': '' } });
    expect(asked.stdout).toContain('spring');
  });
});

describe('an opted-out number', () => {
  const add = (number: string, ...more: readonly string[]) =>
    run(['optouts', 'add', number, '-o', 'json', ...more]);

  it('is skipped by later campaigns, in any notation', async () => {
    await connected();
    await add('+55 11 8888-7777', '--note', 'on the phone');
    const made = await create(people, ...hello);
    expect(JSON.parse(made.stdout)).toMatchObject({ planned: 1, opted_out: 1, duplicates: 1 });
    expect(made.stderr).toContain('Row 1 (line 2, +5511988887777) is skipped: it opted out.');
    await run(['optouts', 'remove', '+55 11 98888-7777', '--yes']);
    const rows = await run(['campaigns', 'results', 'spring', '--state', 'planned', '--fields', 'name']);
    expect(rows.stdout).toBe('Cid\n');
    const limited = await run([
      'campaigns',
      'results',
      'spring',
      '--sort',
      'row:desc',
      '--limit',
      '1',
      '--fields',
      'row',
    ]);
    expect(limited.stdout).toBe('3\n');
    const found = await run(['campaigns', 'results', 'spring', '--where', '.name=Cid', '--fields', 'name']);
    expect(found.stdout).toBe('Cid\n');
  });

  it('receives a message by send only after a question', async () => {
    await connected();
    await add('+5511988887777');
    const line = ['send', '--device', deviceId, '--to', '+551188887777', '--message', 'Hi'];
    const refused = await run(line);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('+551188887777 has opted out');
    expect((await callControl(sandbox.control, '/messages', { limit: 10 })).rows).toEqual([]);
    expect(await run([...line, '--yes'])).toMatchObject({ exitCode: 0 });
    const asked = await run(line, { terminal: true, answers: { 'Send anyway?': 'n' } });
    expect(asked.exitCode).toBe(3);
  });

  it('is added, listed and removed, also as a number dialled in a region', async () => {
    const first = await add('11 98888-7777', '--region', 'BR', '--note', 'on the phone');
    const noted = JSON.parse(first.stdout);
    expect(noted).toMatchObject({ number: '+5511988887777', note: 'on the phone', added: true });
    const again = await add('+551188887777', '--note', 'replied STOP');
    expect(JSON.parse(again.stdout)).toEqual({ ...noted, added: false });
    const shown = await run(['optouts', 'add', '+5511966665555'], { terminal: true });
    expect(stripVTControlCharacters(shown.stdout)).toMatch(/^Added +just now.*\nNew +yes$/m);
    expect((await run(['optouts', 'remove', '+5511966665555', '--yes'])).exitCode).toBe(0);
    expect((await run(['optouts', 'list', '--fields', 'number'])).stdout).toBe('+5511988887777\n');
    for (const [word, found] of [
      ['PHONE', 1],
      ['98888-77', 1],
      ['96666', 0],
    ] as const) {
      const { stdout } = await run(['optouts', 'list', word, '-o', 'json']);
      expect(JSON.parse(stdout), word).toHaveLength(found);
    }
    expect(await run(['optouts', 'remove', '+5511988887777'])).toMatchObject({ exitCode: 2 });
    expect(await run(['optouts', 'remove', '+5511988887777', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await run(['optouts', 'remove', '+5511988887777', '--yes'])).toMatchObject({ exitCode: 5 });
  });

  const lists = [
    ['numbers alone', '+55 11 98888-7777\n+5511988887777\n+351912345678\n'],
    ['CSV', 'who;phone\nAna;+55 11 98888-7777\nBia;+5511988887777\nCid;+351912345678\n'],
    [
      'what optouts list printed',
      "number,note,added_at\r\n'+5511988887777,,x\r\n'+351912345678,,y\r\n'+5511988887777,,z\r\n",
    ],
  ] as const;
  it.each(lists)('is imported from %s', async (_, stdin) => {
    const imported = await run(['optouts', 'import', '-', '-o', 'json'], { stdin });
    expect(imported.exitCode, imported.stderr).toBe(0);
    expect(JSON.parse(imported.stdout)).toEqual({ added: 2, known: 1, invalid: 0 });
  });

  it('is imported with all others or not at all, unless invalid lines are skipped', async () => {
    const stdin = '+55 11 98888-7777\nnobody\n';
    const refused = await run(['optouts', 'import', '-'], { stdin });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('stdin:2: its number must be');
    expect((await run(['optouts', 'list', '-o', 'json'])).stdout).toBe('[]\n');
    const rest = await run(['optouts', 'import', '-', '--skip-invalid', '-o', 'json'], { stdin });
    expect(JSON.parse(rest.stdout)).toEqual({ added: 1, known: 0, invalid: 1 });
  });
});
