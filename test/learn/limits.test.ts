import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  type Reaction,
  refusal,
  type ScriptedServer,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';

let server: ScriptedServer;
let directory: string;

beforeEach(async () => {
  server = await startScriptedServer();
  directory = temporaryDirectory();
  const { profiles } = settingsIn(directory);
  await profiles.save({
    ...{ name: 'default', baseUrl: server.url, keyId: 'key', keySecret: new Secret('secret') },
  });
});

const isStored = (): boolean =>
  settingsIn(directory).profiles.get('default')?.settings?.learnedAt !== undefined;

/** Runs `doctor --learn`, which saves its findings. */
function learn(options: RunOptions, ...more: readonly string[]): Promise<Ran> {
  const line = ['doctor', '--learn', '--save', '--yes', '-o', 'ndjson', ...more];
  return botctl(line, { ...options, env: { BOTCTL_CONFIG_DIR: directory } });
}

const teams = Array.from({ length: 30 }, (_, at) => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  name: `Bakery ${at}`,
  paying: at % 2 === 0,
}));

/** Answers every list with pages of the teams; after this many reads it uses the reaction instead. */
function serve({ after, reaction }: { readonly after: number; readonly reaction: Reaction }): void {
  let reads = 0;
  server.on('GET *', (seen, response) => {
    reads += 1;
    if (reads > after) return typeof reaction === 'function' ? reaction(seen, response) : reaction;
    return answerTo(seen.path);
  });
}

function answerTo(path: string) {
  const query = new URL(path, server.url).searchParams;
  const [limit, page] = [Number(query.get('limit') ?? 20), Number(query.get('page') ?? 1)];
  return success(teams.slice((page - 1) * limit, page * limit));
}

/** Expects a run that ended early and printed its findings so far. */
function expectPart({ exitCode, stdout, stderr }: Ran, why: string): void {
  expect(exitCode, stderr).toBe(10);
  expect(stderr).toContain(why);
  expect(stdout).toContain('"check":"name of the page size"');
  expect(stdout).toMatch(/"name of the page number","verdict":"ok"/);
  expect(stdout.trim().split('\n')).toHaveLength(12);
  expect(isStored()).toBe(true);
}

const late = 'The run took longer than 10 minutes.';

describe('doctor --learn ends with its findings', () => {
  it('after 10 minutes if each response is slow', async () => {
    const clock = new FakeClock({ now: Date.now() });
    serve({
      after: 0,
      reaction: ({ path }) => {
        clock.advance(25_000);
        return answerTo(path);
      },
    });
    expectPart(await learn({ clock }), late);
    expect(server.seen.length).toBeLessThanOrEqual(25);
  });

  it('after 10 minutes if a response never arrives', async () => {
    const clock = new FakeClock({ now: Date.now() });
    serve({ after: 14, reaction: () => void clock.advance(600_000) });
    expectPart(await learn({ clock }), late);
  });

  it('after 10 minutes if each response arrives after the waits that the service requests', async () => {
    const clock = new FakeClock({ now: Date.now() });
    let reads = 0;
    serve({
      after: 14,
      reaction: ({ path }) => {
        reads += 1;
        const waits = { ...refusal(429, 'RATE_LIMITED', 'No.'), headers: { 'retry-after': '55' } };
        return reads % 2 === 1 ? waits : answerTo(path);
      },
    });
    expectPart(await learn({ clock }, '--request-timeout', '60s'), late);
  });

  it('after 64 MiB, in one endless response or in several large ones', async () => {
    const chunk = Buffer.alloc(4 * 1024 ** 2, 'x');
    serve({
      after: 14,
      reaction: (_, response) => {
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      },
    });
    expectPart(await learn({}), 'The service sent more than 64 MiB.');
    const padding = 'x'.repeat(30 * 1024 ** 2);
    serve({ after: 14, reaction: ({ path }) => ({ body: { ...(answerTo(path).body as object), padding } }) });
    const before = server.seen.length;
    expectPart(await learn({}), 'The service sent more than 64 MiB.');
    expect(server.seen.length - before).toBeLessThan(20);
  });
});

describe('doctor --learn ends at once on SIGINT, and stores nothing', () => {
  it.each<[string, Reaction]>([
    ['an answer that does not come', () => undefined],
    ['the end of an answer', (_, response) => void response.writeHead(200).write('{"success":true,')],
    ['Retry-After', { ...refusal(429, 'RATE_LIMITED', 'No.'), headers: { 'retry-after': '60' } }],
  ])('while it waits for %s', async (_, reaction) => {
    const ended = new AbortController();
    serve({
      after: 14,
      reaction: (seen, response) => {
        setTimeout(() => ended.abort(new Failure('interrupted', 'Interrupted.')), 100);
        return typeof reaction === 'function' ? reaction(seen, response) : reaction;
      },
    });
    const begun = Date.now();
    const ran = await learn({ signal: ended.signal }, '--request-timeout', '90s');
    expect(ran.exitCode, ran.stderr).toBe(130);
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(isStored()).toBe(false);
    expect(server.seen).toHaveLength(16);
  });

  it('after the last choice, before it stores', async () => {
    serve({ after: Number.POSITIVE_INFINITY, reaction: 'silence' });
    const ended = new AbortController();
    const onOutput = (text: string): void => {
      if (text.includes('filter of documents by type'))
        ended.abort(new Failure('interrupted', 'Interrupted.'));
    };
    // A user sees the rows before they are saved.
    const ran = await learn({ terminal: true, signal: ended.signal, onOutput });
    expect(ran.exitCode, ran.stderr).toBe(130);
    expect(isStored()).toBe(false);
  });
});
