import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CampaignFile } from '../../src/campaigns/files/campaign-file.ts';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import { inTurn } from '../../src/campaigns/files/in-turn.ts';
import { campaignNames } from '../../src/campaigns/files/names.ts';
import { createOptOuts } from '../../src/campaigns/files/opt-outs.ts';
import { tryLock } from '../../src/lib/files/lock.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { allOptOuts } from '../support/campaign-stores.ts';

const here = 'https://a.example';
const { signal } = new AbortController();
const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring, rows: springRows } = springCampaign(here);

function newStore() {
  const data = temporaryDirectory();
  const directory = join(data, 'campaigns');
  const fileOf = () => join(directory, readdirSync(directory).find((name) => name.endsWith('.ndjson')) ?? '');
  return { data, fileOf, directory, store: createFileStore(data, signal) };
}

describe('campaigns on files', () => {
  it('are kept as they are, readable by their owner alone', async () => {
    const { store, fileOf, directory } = newStore();
    await store.create(springCampaign(here));
    expect(await store.get(here, 'spring')).toEqual(springCampaign(here));
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toHaveLength(1);
    // As a copy of a backup may leave it.
    chmodSync(fileOf(), 0o666);
    await store.record(spring, [{ row: 1, event: 'claim', at }]);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
  });

  it('leave nothing where their rows end with something wrong', async () => {
    const { store, directory } = newStore();
    const { campaign, rows } = springCampaign(here);
    const broken = async function* () {
      yield* rows;
      throw new Error('line 4');
    };
    await expect(store.create({ campaign, rows: broken() })).rejects.toThrow('line 4');
    expect(readdirSync(directory)).toEqual([]);
    await store.create({ campaign, rows });
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('have a name for each service, which is taken once', async () => {
    const { store, data } = newStore();
    await store.create(springCampaign(here));
    await store.create(springCampaign('https://b.example'));
    const again = store.create(springCampaign(here));
    await expect(again).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('already') });
    expect((await store.list(here)).campaigns.map(({ campaign }) => campaign.origin)).toEqual([here]);
    expect(campaignNames(data, here)).toEqual(['spring']);
  });

  it('have their names offered beside what can not be read', async () => {
    const { store, data, directory } = newStore();
    await store.create(springCampaign(here));
    mkdirSync(join(directory, 'other.ndjson'));
    writeFileSync(join(directory, 'third.ndjson'), '{"name":');
    expect(campaignNames(data, here)).toEqual(['spring']);
  });

  it('appear once where several processes make one of the same name', async () => {
    const { store } = newStore();
    const all = await Promise.allSettled([1, 2, 3].map(() => store.create(springCampaign(here))));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are not kept where they could not be read again', async () => {
    const { store, directory } = newStore();
    const gap = { shortest: 0, longest: 1e23 };
    const { rows } = springCampaign(here);
    await expect(store.create({ campaign: { ...spring, gap }, rows })).rejects.toThrow();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('are changed in turn, and gone once they are deleted', async () => {
    const { store, fileOf, directory } = newStore();
    await store.create(springCampaign(here));
    await store.change(spring, (campaign, rows) => ({
      campaign: { ...campaign, sources: [] },
      more: springRows.slice(0, 1).map((row) => ({ ...row, row: rows + 1 })),
    }));
    expect(await store.get(here, 'spring')).toMatchObject({
      campaign: { sources: [] },
      rows: [...springRows, { row: 3, text: 'Hello Ana!' }],
    });
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    // What a process that was killed had written.
    writeFileSync(`${directory}/.${basename(fileOf())}.1.abc.tmp`, '+5511966665555');
    await store.delete(spring);
    expect(await store.get(here, 'spring')).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
    await expect(store.delete(spring)).rejects.toMatchObject({ exitCode: 5 });
  });

  it('of another machine are changed there, until they are moved here; to stop or clear one away goes anywhere', async () => {
    const { store, fileOf } = newStore();
    const { rows } = springCampaign(here);
    const elsewhere = { ...spring, made_on: { ...spring.made_on, host: `not-${spring.made_on.host}` } };
    await store.create({ campaign: elsewhere, rows });
    const before = readFileSync(fileOf(), 'utf8');
    // Of a process that isn't seen here.
    const lock = JSON.stringify({ identity: 'there', pid: process.pid, started: 'another boot/1' });
    writeFileSync(`${fileOf()}.lock`, lock);
    for (const change of [
      () => store.change(spring, (campaign) => ({ campaign })),
      () => store.record(spring, [{ row: 1, event: 'claim', at }]),
      () => store.delete(spring),
      () => store.mark(spring, undefined),
    ])
      await expect(change()).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('not-') });
    expect(readFileSync(fileOf(), 'utf8')).toBe(before);
    await store.mark(spring, { state: 'paused', at });
    expect(readFileSync(`${fileOf()}.lock`, 'utf8')).toBe(lock);
    await store.takeOver(spring);
    expect(await store.record(spring, [{ row: 1, event: 'claim', at }])).toHaveLength(1);
    await store.change(spring, () => ({ campaign: elsewhere }));
    await store.mark(spring, { state: 'cancelled', at });
    await store.delete(spring);
    expect(await store.get(here, 'spring')).toBeUndefined();
  });

  it('have nothing of the mark of an earlier one of their name', async () => {
    const { store, fileOf } = newStore();
    await store.create(springCampaign(here));
    await store.mark(spring, { state: 'cancelled', at });
    rmSync(fileOf());
    await store.create({
      ...springCampaign(here),
      campaign: { ...spring, created_at: '2026-01-02T00:00:00.000Z' },
    });
    expect(await store.get(here, 'spring')).toMatchObject({ rows: [{ state: 'planned' }, {}] });
    expect((await store.get(here, 'spring'))?.mark).toBeUndefined();
  });

  it('are not changed by who means an earlier one of their name', async () => {
    const { store, fileOf } = newStore();
    await store.create(springCampaign(here));
    const open = new CampaignFile(fileOf());
    open.read();
    await store.delete(spring);
    const again = { ...spring, created_at: '2026-01-02T00:00:00.000Z' };
    await store.create({ ...springCampaign(here), campaign: again });
    await store.record(again, [{ row: 1, event: 'claim', at }]);
    for (const change of [
      () => store.change(spring, (campaign) => ({ campaign })),
      () => store.record(spring, [{ row: 1, event: 'accept', at }]),
      () => store.delete(spring),
      () => store.mark(spring, { state: 'cancelled', at }),
      async () => open.read(),
      async () => open.record([{ row: 1, event: 'accept', at }], false),
    ])
      await expect(change()).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('meanwhile'),
      });
    expect(await store.get(here, 'spring')).toMatchObject({
      campaign: again,
      rows: [{ state: 'sending' }, {}],
    });
  });

  it('are paused at once also while another process writes their rows', async () => {
    const { fileOf, store } = newStore();
    await store.create(springCampaign(here));
    const lock = tryLock(`${fileOf()}.lock`);
    expect(lock.state).toBe('acquired');
    await store.mark(spring, { state: 'paused', at });
    expect(await store.find(here, 'spring')).toMatchObject({
      campaign: { name: 'spring', created_at: spring.created_at },
      mark: { state: 'paused' },
    });
    if (lock.state === 'acquired') lock.lock.release();
  });

  it('are let go of where a person ends the waiting for another process', async () => {
    const { data, fileOf, store } = newStore();
    await store.create(springCampaign(here));
    const lock = tryLock(`${fileOf()}.lock`);
    expect(lock.state).toBe('acquired');
    const ended = AbortSignal.abort(new Error('enough'));
    const change = createFileStore(data, ended).delete(spring);
    await expect(change).rejects.toThrow('enough');
    if (lock.state === 'acquired') lock.lock.release();
  });

  it('are not changed where no lock can be made: another process might change them too', async () => {
    let isDone = false;
    const work = inTurn(join(temporaryDirectory(), 'none', 'one.ndjson'), 'a campaign', signal, () => {
      isDone = true;
    });
    await expect(work).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('.lock') });
    expect(isDone).toBe(false);
  });

  it.each([
    ['its end is missing', (text: string) => text.replace(/\{"end".*\n/, '')],
    ['a row is missing', (text: string) => text.replace(/\{"row":2.*\n/, '')],
    ['a line is cut', (text: string) => text.slice(0, -3)],
    ['a newer botctl wrote it', (text: string) => text.replace('"version":1', '"version":2')],
  ])('are refused where %s', async (_, damage) => {
    const { store, fileOf } = newStore();
    await store.create(springCampaign(here));
    writeFileSync(fileOf(), damage(readFileSync(fileOf(), 'utf8')));
    await expect(store.get(here, 'spring')).rejects.toMatchObject({
      exitCode: 2,
      kind: 'invalidInput',
      // Nothing else knows who got a message.
      hint: expect.not.stringContaining('rm '),
    });
    await store.create(springCampaign(here, 'summer'));
    const { campaigns, unreadable } = await store.list(here);
    expect(campaigns.map(({ campaign }) => campaign.name)).toEqual(['summer']);
    expect(unreadable).toHaveLength(1);
  });
});

describe('what becomes of rows', () => {
  it('stays where rows are added to the campaign', async () => {
    const { store } = newStore();
    await store.create(springCampaign(here));
    await store.record(spring, [{ row: 1, event: 'claim', at }]);
    await store.change(spring, (campaign) => ({ campaign }));
    await store.record(spring, [{ row: 1, event: 'accept', at }]);
    expect((await store.get(here, 'spring'))?.rows[0]).toMatchObject({ state: 'accepted', attempts: 1, at });
  });

  it('is read on from where it was, also behind a line that was cut short, and from the start where the file was replaced', async () => {
    const { store, fileOf } = newStore();
    await store.create(springCampaign(here));
    const file = new CampaignFile(fileOf());
    const state = (row: number) => file.read() && file.rows([row])[0]?.state;
    expect(state(1)).toBe('planned');
    await store.record(spring, [{ row: 1, event: 'claim', at }]);
    appendFileSync(fileOf(), '{"row":1,"state":"acc');
    expect(state(1)).toBe('sending');
    await store.record(spring, [{ row: 1, event: 'lose', at }]);
    expect(state(1)).toBe('unknown');
    await store.change(spring, (campaign, rows) => ({
      campaign: { ...campaign, columns: ['name', 'phone', 'city'] },
      more: springRows.slice(0, 1).map((row) => ({ ...row, row: rows + 1 })),
    }));
    expect(file.rows([3, 1])).toMatchObject([
      { row: 3, state: 'planned', cells: ['Ana', '+55 11 96666-5555', null] },
      { row: 1, state: 'unknown', cells: ['Ana', '+55 11 96666-5555', null], attempts: 1 },
    ]);
    expect(file.index.tally(0)).toMatchObject({ planned: 1, sending: 0, unknown: 1 });
    await store.delete(spring);
    expect(file.read()).toBeUndefined();
  });

  it('is refused where a line behind the rows is damaged: a message could be sent twice', async () => {
    const { store, fileOf } = newStore();
    await store.create(springCampaign(here));
    appendFileSync(fileOf(), '{"row":1,"state":\n');
    // A backup knows nothing of what was sent since.
    const hint = expect.stringContaining('the next run would send it again: cancel it then');
    await expect(store.get(here, 'spring')).rejects.toMatchObject({ exitCode: 2, hint });
    await expect(store.record(spring, [])).rejects.toMatchObject({ exitCode: 2 });
  });

  it('has its campaign paused, or cancelled with the rows that were left, and goes with it', async () => {
    const { store, directory } = newStore();
    await store.create(springCampaign(here));
    await store.mark(spring, { state: 'paused', at });
    expect(await store.get(here, 'spring')).toMatchObject({
      mark: { state: 'paused' },
      rows: [{ state: 'planned' }, {}],
    });
    await store.mark(spring, undefined);
    expect((await store.get(here, 'spring'))?.mark).toBeUndefined();
    await store.mark(spring, { state: 'cancelled', at });
    expect((await store.get(here, 'spring'))?.rows[0]).toMatchObject({
      state: 'skipped',
      reason: 'cancelled',
    });
    await store.delete(spring);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('opt-outs', () => {
  it('are looked up as they stand by then, whoever changed them since the last look', async () => {
    const data = temporaryDirectory();
    const optOuts = createOptOuts(data, here, signal);
    const other = createOptOuts(data, here, signal);
    for (let round = 0; round < 3; round += 1) {
      expect(optOuts.testNow()('5511988887777')).toBe(false);
      await other.add([{ number: '5511988887777', added_at: at }]);
      expect(optOuts.testNow()('5511988887777')).toBe(true);
      await other.remove('5511988887777', at);
    }
  });

  it('are taken from the file once, as long as that is the same', async () => {
    const store = createFileStore(temporaryDirectory(), signal);
    await store.optOuts(here).add([{ number: '5511988887777', added_at: at }]);
    const [first] = await allOptOuts(store.optOuts(here));
    expect((await allOptOuts(store.optOuts(here)))[0]).toBe(first);
  });

  it('are refused where a line is damaged: a number would be missing', async () => {
    const data = temporaryDirectory();
    const optOuts = createOptOuts(data, here, signal);
    await optOuts.add([{ number: '5511988887777', added_at: at }]);
    const file = join(data, 'optouts.ndjson');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const whole = readFileSync(file, 'utf8');
    for (const line of [
      '{"origin',
      JSON.stringify({ origin: here, number: '5511988887777', added_at: 20260101 }),
      JSON.stringify({ origin: here, number: '+55 11 98888-7777', added_at: at }),
      JSON.stringify({ number: '5511988887777', added_at: at }),
      JSON.stringify({ origin: here, number: '5511988887777', added_at: at, removed_at: at }),
    ]) {
      writeFileSync(file, `${whole}${line}\n`);
      await expect(optOuts.among([]), line).rejects.toThrow('line 2 is no opt-out');
      await expect(optOuts.add([])).rejects.toThrow('line 2 is no opt-out');
    }
  });

  it('are those that a link leads to, and refused where it leads nowhere: a number may be missing', async () => {
    const [data, shared] = [temporaryDirectory(), temporaryDirectory()];
    const optOuts = createOptOuts(data, here, signal);
    await createOptOuts(shared, here, signal).add([{ number: '5511988887777', added_at: at }]);
    symlinkSync(join(shared, 'optouts.ndjson'), join(data, 'optouts.ndjson'));
    await optOuts.add([{ number: '5511988887778', added_at: at }]);
    expect(await allOptOuts(createOptOuts(shared, here, signal))).toHaveLength(2);
    rmSync(join(shared, 'optouts.ndjson'));
    await expect(optOuts.among([])).rejects.toThrow('a link that leads nowhere');
    await expect(optOuts.add([{ number: '5511988887779', added_at: at }])).rejects.toThrow('leads nowhere');
    expect(existsSync(join(shared, 'optouts.ndjson'))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('say in words that a pipe is in their place', async () => {
    const data = temporaryDirectory();
    execFileSync('mkfifo', [join(data, 'optouts.ndjson')]);
    const add = createOptOuts(data, here, signal).add([{ number: '5511988887777', added_at: at }]);
    await expect(add).rejects.toThrow("can't be written: it is a pipe, not a regular file.");
  });

  it.skipIf(process.getuid?.() === 0)('say so where they can not be written', async () => {
    const data = temporaryDirectory();
    chmodSync(data, 0o500);
    const add = createOptOuts(data, here, signal).add([{ number: '5511988887777', added_at: at }]);
    await expect(add).rejects.toMatchObject({ exitCode: 10 });
    chmodSync(data, 0o700);
  });
});
