import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseUploadIntent } from '../../../src/documents/upload/upload-intent.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { IntentLog } from '../../../src/once/intent-log.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import { originOf } from '../../../src/settings/base-url.ts';
import { fileHash } from '../../../src/settings/small-files.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { eventually } from '../../support/eventually.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let team: string;
let home: string;
let path: string;
beforeEach(async () => {
  team = await service.team('Aurora Coffee');
  home = temporaryDirectory();
  path = join(temporaryDirectory(), 'menu.txt');
  writeFileSync(path, 'soup');
});

const upload = (options: readonly string[] = [], more: Parameters<typeof botctl>[1] = {}) =>
  botctl(['docs', 'upload', path, '--team', team, '-o', 'json', ...options], {
    ...more,
    env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home },
  });

async function stored(): Promise<readonly string[]> {
  const { stdout } = await botctl(['docs', 'list', '--team', team, '-o', 'json'], { env: sandbox.env });
  const rows: readonly { readonly id: string; readonly name: string }[] = JSON.parse(stdout);
  return rows.map(({ id }) => id);
}

/** Returns the intents on disk. */
function intents(): readonly string[] {
  const directory = join(home, 'data', 'uploads');
  return existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'))
    : [];
}

/** Starts an upload, and interrupts it during the call, which takes no effect. */
async function interrupted(): Promise<void> {
  const [signal, urgent] = [new AbortController(), new AbortController()];
  await callControl(sandbox.control, '/fault/add', { target: 'createDocument', delay: 3_600_000 });
  const running = upload([], { signal: signal.signal, urgent: urgent.signal });
  await eventually(async () =>
    (await callControl(sandbox.control, '/fault/list', {})).some(({ met }) => met > 0),
  );
  for (const one of [signal, urgent]) one.abort(new Failure('interrupted', 'Interrupted.'));
  expect((await running).exitCode).toBe(130);
  expect(intents()).toHaveLength(1);
  await callControl(sandbox.control, '/fault/clear', {});
}

describe('an upload with a lost response', () => {
  it.each<[string, FaultEffect, number]>([
    ['reset before it took effect', { kind: 'reset', when: 'before' }, 2],
    ['reset after it took effect', { kind: 'reset', when: 'after' }, 1],
    ['cut off', { kind: 'truncate' }, 1],
    ['a failure', { kind: 'status', status: 500 }, 2],
    ['a page', { kind: 'body', bytes: 'PGh0bWw+', type: 'text/html', status: 200 }, 2],
  ])('is stored once, whether it took effect or not (%s)', async (_, effect, sendings) => {
    const seen = await requestsFromNow(sandbox);
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect, times: 1 });
    const waits: number[] = [];
    const clock = withoutWaiting(waits);
    const ran = await upload([], { clock });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: (await stored())[0], outcome: 'uploaded' }]);
    expect(await stored()).toHaveLength(1);
    expect((await seen()).filter(({ operation }) => operation === 'createDocument')).toHaveLength(sendings);
    // A missing document may still arrive, until the service must have abandoned it.
    expect(waits.filter((wait) => wait === 60_000)).toHaveLength(sendings === 2 ? 1 : 0);
    expect(intents()).toEqual([]);
  });

  it('is found in the whole list if the service lists it late by name', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    const none = Buffer.from(
      JSON.stringify({ success: true, data: [], meta: { page: 1, limit: 100, total: 0, totalPages: 1 } }),
    ).toString('base64');
    // The plan's list and the first look-up by name are empty; then the whole list is real.
    const effect = { kind: 'body', bytes: none, type: 'application/json', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'listDocuments', effect, times: 2 });
    const ran = await upload([], { clock: withoutWaiting([]) });
    await callControl(sandbox.control, '/fault/clear', {});
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await stored()).toHaveLength(1);
  });

  it('is unknown if the documents before it were not listed', async () => {
    const first = await upload();
    expect(first.exitCode, first.stderr).toBe(0);
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'reset', when: 'before' },
    });
    const ran = await upload(['--allow', 'duplicate']);
    await callControl(sandbox.control, '/fault/clear', {});
    expect(ran).toMatchObject({ exitCode: 12, stdout: '' });
    expect(await stored()).toHaveLength(1);
  });

  it('succeeds with a warning if the journal cannot be written', async () => {
    mkdirSync(join(home, 'data'), { recursive: true });
    writeFileSync(join(home, 'data', 'uploads'), 'a file in its place');
    const ran = await upload();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain("the next one can't tell which files were sent.");
    rmSync(join(home, 'data', 'uploads'));
  });

  it('is given up after two attempts, and safe to repeat', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'status', status: 500 },
    });
    const ran = await upload([], { clock: withoutWaiting() });
    expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
    expect(intents()).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('is unknown if it cannot be looked up, and found by the next run', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await callControl(sandbox.control, '/fault/add', {
      target: 'listDocuments',
      effect: { kind: 'status', status: 500 },
      after: 1,
    });
    const ran = await upload(['--retries', '0']);
    expect(ran).toMatchObject({ exitCode: 12, stdout: '' });
    expect(ran.stderr).toContain('Looking for the document failed: ');
    expect(intents()).toHaveLength(1);
    await callControl(sandbox.control, '/fault/clear', {});
    const again = await upload();
    expect(again.exitCode, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject([{ outcome: 'already there' }]);
    expect(intents()).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });
});

describe('an upload to a service that shows sizes in another unit than bytes', () => {
  const beside = (name: string, text: string): string => {
    const file = join(temporaryDirectory(), name);
    writeFileSync(file, text);
    return file;
  };

  it('is found after a lost answer by the unit of an earlier answer', async () => {
    sandbox.behave({ size_unit: 'kB' });
    const bread = beside('bread.txt', 'bread'.repeat(100));
    const effect = { kind: 'reset', when: 'after' } as const;
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDocument',
      effect,
      after: 1,
      times: 1,
    });
    const ran = await upload([bread, '--concurrency', '1'], { clock: withoutWaiting([]) });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await stored()).toHaveLength(2);
    expect(intents()).toEqual([]);
  });

  it('is matched if one unit fits several files, and refused otherwise', async () => {
    sandbox.behave({ size_unit: 'kB' });
    const others = [beside('bread.txt', 'bread'.repeat(500)), beside('wine.txt', 'wine'.repeat(900))];
    expect(await upload(others)).toMatchObject({ exitCode: 0 });
    const again = await upload(others);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      Array(3).fill('already there'),
    );
    const one = await upload();
    expect(one).toMatchObject({ exitCode: 2, stdout: '' });
    expect(one.stderr).toContain('--allow duplicate');
    expect(await stored()).toHaveLength(3);
  });
});

describe('a file that is written to after its characters were counted', () => {
  /** Rewrites the file with as many bytes and characters as before, at another time. */
  const rewrite = (): void => {
    writeFileSync(path, 'cake');
    utimesSync(path, 1, 1);
  };
  const rewriteAt = (words: string) => (text: string) => {
    if (text.includes(words)) rewrite();
  };
  const changed = `changed after its characters were counted.`;

  it('is not sent with the earlier count', async () => {
    const beside = join(temporaryDirectory(), 'b.txt');
    writeFileSync(beside, 'bread');
    const ran = await upload([beside], { onError: rewriteAt('New: 2 files') });
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(ran.stderr).toContain(`${path} ${changed}`);
    expect(await stored()).toHaveLength(1);
    expect(intents()).toEqual([]);
  });

  it('is not sent again after an answer was lost', async () => {
    const effect = { kind: 'reset', when: 'before' } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect, times: 1 });
    const ran = await upload([], { clock: withoutWaiting([]), onError: rewriteAt('The response was lost') });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`${path} ${changed}`);
    expect(await stored()).toEqual([]);
    expect(intents()).toEqual([]);
  });

  it('causes a warning if that was while it was sent', async () => {
    const effect = { kind: 'reset', when: 'after' } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'createDocument', effect, times: 1 });
    const ran = await upload([], { clock: withoutWaiting([]), onError: rewriteAt('The response was lost') });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(
      `${path} changed during the upload, so the content of menu.txt is uncertain.`,
    );
  });
});

describe('an upload of a run that was cut off', () => {
  it('is waited for, and sent again once it can no longer arrive', async () => {
    await interrupted();
    const waits: number[] = [];
    const clock = withoutWaiting(waits);
    const ran = await upload([], { clock });
    expect(ran.exitCode, ran.stderr).toBe(0);
    // The wait is counted from the start of the run.
    expect(waits.some((wait) => wait > 59_000 && wait <= 60_000)).toBe(true);
    expect(await stored()).toHaveLength(1);
    expect(intents()).toEqual([]);
  });

  it('is waited for once with the others, after the rest was sent', async () => {
    const directory = join(home, 'data', 'uploads', fileHash(`${originOf(sandbox.baseUrl)}\n${team}`));
    const killed = IntentLog.open({ directory, parse: parseUploadIntent, onUnwritable: () => undefined });
    const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => join(home, name));
    for (const file of files) writeFileSync(file, 'soup');
    for (const name of ['a.txt', 'b.txt'])
      await killed.begin({ teamId: team, name, size: 4, chars: 4, before: [] }, Date.now());
    killed.close();
    const waits: number[] = [];
    let slept = 0;
    const sleep = async (time: number): Promise<void> => {
      slept += time;
      if (time > 1000) waits.push(time);
    };
    const line = ['docs', 'upload', ...files, '--team', team, '--concurrency', '1', '-o', 'ndjson'];
    const ran = await botctl(line, {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home },
      clock: { ...systemClock, now: () => Date.now() + slept, sleep },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const names = ran.stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row).name);
    expect(names).toEqual(['c.txt', 'a.txt', 'b.txt']);
    expect(waits).toHaveLength(1);
    expect(intents()).toEqual([]);
  });

  it.each(['upload', 'sync'])('is waited for once with two others, by docs %s', async (verb) => {
    const directory = join(home, 'data', 'uploads', fileHash(`${originOf(sandbox.baseUrl)}\n${team}`));
    const killed = IntentLog.open({ directory, parse: parseUploadIntent, onUnwritable: () => undefined });
    const folder = join(home, 'files');
    mkdirSync(folder);
    const names = ['a.txt', 'b.txt', 'c.txt', 'found.txt'];
    for (const name of names) {
      writeFileSync(join(folder, name), 'soup');
      await killed.begin({ teamId: team, name, size: 4, chars: 4, before: [] }, Date.now());
    }
    killed.close();
    // The call for this one took effect before the run was killed.
    const there = await botctl(['docs', 'upload', join(folder, 'found.txt'), '--team', team], {
      env: sandbox.env,
    });
    expect(there.exitCode, there.stderr).toBe(0);
    const waits: number[] = [];
    let slept = 0;
    const sleep = async (time: number): Promise<void> => {
      slept += time;
      if (time > 1000) waits.push(time);
    };
    const what = verb === 'sync' ? [folder, '--yes'] : names.map((name) => join(folder, name));
    const line = ['docs', verb, ...what, '--team', team, '--concurrency', '1'];
    const ran = await botctl(line, {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home },
      clock: { ...systemClock, now: () => Date.now() + slept, sleep },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(waits).toHaveLength(1);
    expect(await stored()).toHaveLength(4);
    expect(intents()).toEqual([]);
  });

  it('stays unknown if another document of its name appeared, until --retry-unknown', async () => {
    await interrupted();
    const front = join(temporaryDirectory(), 'menu.txt');
    writeFileSync(front, 'another soup');
    const other = await botctl(['docs', 'upload', front, '--team', team], { env: sandbox.env });
    expect(other.exitCode, other.stderr).toBe(0);
    const [there] = await stored();
    const ran = await upload(['--yes'], { clock: withoutWaiting() });
    expect(ran).toMatchObject({ exitCode: 12, stdout: '' });
    expect(ran.stderr).toContain('--retry-unknown');
    expect(ran.stderr).toContain(`docs get ${there}`);
    expect(await stored()).toEqual([there]);
    const told = await upload(['--retry-unknown', '--yes'], { clock: withoutWaiting() });
    expect(told.exitCode, told.stderr).toBe(0);
    expect(await stored()).toHaveLength(2);
    expect(intents()).toEqual([]);
  });
});

describe('an upload that another run is performing', () => {
  const { signal } = new AbortController();
  const claiming = { busy: 'menu.txt is being uploaded', signal, onWait: () => undefined };

  it('waits for it, and reuses its document', async () => {
    const place = fileHash(`${originOf(sandbox.baseUrl)}\n${team}`);
    const other = IntentLog.open({
      directory: join(home, 'data', 'uploads', place),
      parse: parseUploadIntent,
      onUnwritable: () => undefined,
    });
    const claim = await other.claim('menu.txt', claiming);
    let told = '';
    let isTold = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      isTold = resolve;
    });
    const running = upload([], {
      onError: (text) => {
        told += text;
        if (
          told.includes(
            `menu.txt is being uploaded by process ${process.pid}; waiting until it has finished.`,
          )
        )
          isTold();
      },
    });
    await waiting;
    const made = await botctl(['docs', 'upload', path, '--team', team, '-o', 'id'], { env: sandbox.env });
    claim.release();
    const ran = await running;
    other.close();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: made.stdout.trim(), outcome: 'already there' }]);
    expect(await stored()).toHaveLength(1);
  });

  it('stops waiting on a signal', async () => {
    const place = fileHash(`${originOf(sandbox.baseUrl)}\n${team}`);
    const directory = join(home, 'data', 'uploads', place);
    const other = IntentLog.open({ directory, parse: parseUploadIntent, onUnwritable: () => undefined });
    const claim = await other.claim('menu.txt', claiming);
    const stop = new AbortController();
    const onError = (): void => stop.abort(new Failure('interrupted', 'Interrupted.'));
    expect(await upload([], { signal: stop.signal, onError })).toMatchObject({ exitCode: 130 });
    claim.release();
    other.close();
    expect(await stored()).toEqual([]);
  });
});
