import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answerTo } from '../../src/mcp/consent.ts';
import { limitedInput, withCopies } from '../../src/mcp/limits.ts';
import { connectAssistant, ok, protocols, sayYes, seedService, startServer } from '../support/assistant.ts';
import { botctl } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
const message = { device: 'Reception', to: '+5511988887777', message: 'Ready.' };

describe.each(protocols)('a question, by %s', (protocol) => {
  it('shows number and text, and a no sends nothing', async () => {
    const env = await seedService(sandbox.env);
    const asked: string[] = [];
    const { call } = await connectAssistant(['--allow-writes', 'send'], {
      env,
      protocol,
      answer: (question) => {
        asked.push(question);
        return { action: 'accept', content: { yes: false } };
      },
    });
    for (const code of ['DECLINED (exit code 3)', 'REPEATED (exit code 6)']) {
      const { text, isError } = await call('send_message', message);
      expect(isError).toBe(true);
      expect(text.slice(0, 50)).toContain(`${code}. retry: never.`);
    }
    expect(asked).toEqual(['This sends to +5511988887777 through Reception: "Ready.". Send it?']);
    const history = await ok(env, 'mcp', 'history', '--fields', 'state', '-o', 'json');
    expect(JSON.parse(history)).toEqual([{ state: 'declined' }]);
    expect(await ok(env, 'sandbox', 'messages', '--data', sandbox.data, '-o', 'id')).toBe('');
  });

  it('for a name is answered only by that name', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(env, 'bots', 'create', 'Old', '--team', 'Aurora', '--role', 'sales', '--instructions', 'x');
    const names = ['Desk', 'Old'];
    const { call } = await connectAssistant(['--allow-writes', 'bots'], {
      env,
      protocol,
      answer: (_question, members) => {
        expect(members).toEqual(['name']);
        return { action: 'accept', content: { name: names.shift() ?? '' } };
      },
    });
    expect((await call('bots_delete', { bot: 'Old' })).text).toContain('DECLINED');
    expect((await call('bots_delete', { bot: 'Old' })).data).toMatchObject({ result: { deleted: true } });
  });

  it('is returned with a command for the terminal if the client cannot ask', async () => {
    const env = await seedService(sandbox.env);
    const { call } = await connectAssistant(['--allow-writes', 'bots,send'], { env, protocol });
    const sent = await call('send_message', message);
    expect(sent.text).toMatch(/^NOT_CONFIRMED \(exit code 2\)\. retry: never/);
    expect(sent.data).toMatchObject({
      hint: expect.stringContaining('`next`'),
      next: ['botctl send --device=Reception --to=+5511988887777 --message=Ready.'],
      details: { level: 'yes', question: expect.stringContaining('"Ready."') },
    });
    const deleted = await call('bots_delete', { bot: 'Desk' });
    expect(deleted.data.details).toMatchObject({ level: 'name', names: expect.arrayContaining(['Desk']) });
  });

  it('is asked again if the object has changed meanwhile', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(env, 'bots', 'create', 'Old', '--team', 'Aurora', '--role', 'sales', '--instructions', 'x');
    const asked: string[] = [];
    const { call } = await connectAssistant(['--allow-writes', 'bots'], {
      env,
      protocol,
      answer: async (question) => {
        asked.push(question);
        if (asked.length === 1) {
          await ok(env, 'bots', 'update', 'Old', '--name', 'Older');
          await ok(
            env,
            'bots',
            'create',
            'Old',
            '--team',
            'Aurora',
            '--role',
            'sales',
            '--instructions',
            'y',
          );
          return { action: 'accept', content: { name: 'Old' } };
        }
        return { action: 'decline' };
      },
    });
    expect((await call('bots_delete', { bot: 'Old' })).text).toContain('DECLINED');
    expect(asked).toHaveLength(2);
    expect(await ok(env, 'bots', 'list', '--name', 'Old', '-o', 'id')).toMatch(/^\S+\n\S+$/);
  });
});

it('confirms nothing by an argument of the assistant', async () => {
  const env = await seedService(sandbox.env);
  const { client } = await connectAssistant(['--allow-writes', 'send'], { env });
  for (const extra of [
    { yes: true },
    { confirm: 'Reception' },
    { messageFile: '/etc/passwd' },
    { allow: 'duplicate' },
  ]) {
    const call = client.callTool({ name: 'send_message', arguments: { ...message, ...extra } });
    const result = await call.then(
      (answer) => JSON.stringify(answer),
      (error: unknown) => String(error),
    );
    expect(result).toMatch(/Unrecognized key/);
  }
});

it('values that look like options are values', async () => {
  const env = await seedService(sandbox.env, { isPaired: false });
  const { call } = await connectAssistant(['--allow-writes', 'bots'], { env });
  const named = await call('bots_create', {
    team: 'Aurora',
    name: '--all',
    role: 'sales',
    instructions: '--file=/etc/passwd',
  });
  expect(named.data).toMatchObject({ result: { name: '--all', instructions: '--file=/etc/passwd' } });
  expect((await call('bots_get', { bot: '--help' })).text).toContain('NOT_FOUND');
});

describe('a published bot', () => {
  it('is changed only after a question', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(env, 'sandbox', 'publish', 'Desk', '--data', sandbox.data);
    const asked: string[] = [];
    const { call } = await connectAssistant(['--allow-writes', 'bots'], {
      env,
      answer: (question, members) => {
        asked.push(question);
        return sayYes(question, members);
      },
    });
    const { data } = await call('bots_update', { bot: 'Desk', instructions: 'Be kind.' });
    expect(data).toMatchObject({ result: { published: false, instructions: 'Be kind.' } });
    expect(asked).toEqual([
      expect.stringMatching(
        /is published\. Changing it unpublishes it.* It sets instructions "Be kind\."\. Change it\?$/,
      ),
    ]);
  });
});

describe('without permission of the user', () => {
  it('is refused for another host', async () => {
    const env = await seedService(sandbox.env);
    const { call, client } = await connectAssistant(
      ['--allow-writes', 'actions,send', '--allow-host', 'shop.example'],
      {
        env,
        answer: sayYes,
      },
    );
    const action = (endpoint: string): Record<string, unknown> => ({
      bot: 'Desk',
      actions: [JSON.stringify({ name: 'book', endpoint, method: 'POST' })],
    });
    for (const endpoint of [
      ...[
        'https://evil.example/',
        'https://shop.example.evil.example/',
        'https://shop.example@evil.example/',
      ],
      ...['https://shop.example:444/', 'not an address', '//shop.example', 'ftp://shop.example/'],
      ...['https://user:pass@shop.example/', 'javascript:alert(1)'],
    ])
      expect((await call('bots_actions_add', action(endpoint))).text, endpoint).toContain('INVALID_INPUT');
    const twice =
      '{"name":"a","endpoint":"https://evil.example","method":"GET","endpoint":"https://shop.example/a"}';
    const added = await call('bots_actions_add', { bot: 'Desk', actions: [twice] });
    expect(added.data).toMatchObject({ rows: [{ endpoint: 'https://shop.example/a' }] });
    const image = await call('send_message', { ...message, imageUrl: 'https://evil.example/a.png' });
    expect(image.text).toContain('INVALID_INPUT');
    const withoutHosts = await connectAssistant(['--allow-writes', 'send'], { env });
    const { tools } = await withoutHosts.client.listTools();
    expect(JSON.stringify(tools)).not.toContain('imageUrl');
    expect(JSON.stringify((await client.listTools()).tools)).toContain('imageUrl');
  });

  it('is refused for a file outside the folder, a hidden one, a folder or a pattern', async () => {
    const env = await seedService(sandbox.env);
    const root = realpathSync(temporaryDirectory());
    const outside = join(realpathSync(temporaryDirectory()), 'outside.txt');
    writeFileSync(outside, 'secret');
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'folder'));
    for (const file of ['.env', '.git/config', 'folder/in.txt', 'ok.txt', 'b[1].txt'])
      writeFileSync(join(root, file), 'text');
    symlinkSync(outside, join(root, 'link.txt'));
    symlinkSync(join(root, '.env'), join(root, 'plain.txt'));
    const asked: string[] = [];
    const { call } = await connectAssistant(['--allow-writes', 'docs', '--root', root], {
      env,
      answer: (question, members) => {
        asked.push(question);
        return sayYes(question, members);
      },
    });
    for (const path of [
      '../outside.txt',
      outside,
      'link.txt',
      'plain.txt',
      '.env',
      '.git/config',
      'folder',
      '*.txt',
      '-',
      '/etc/passwd',
    ])
      expect((await call('docs_upload', { team: 'Aurora', path: [path] })).text, path).toContain(
        'INVALID_INPUT',
      );
    expect(asked).toEqual([]);
    const sent = await call('docs_upload', { team: 'Aurora', path: ['ok.txt', 'folder/in.txt', 'b[1].txt'] });
    expect(sent.data.rows).toHaveLength(3);
    expect(asked).toEqual([
      expect.stringMatching(
        /^This sends "ok\.txt" \(4 characters\), "in\.txt".* Upload 3 files to Aurora\?$/,
      ),
    ]);
  });

  it('is refused for any write on a protected profile, also if it becomes one', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const { BOTCTL_BASE_URL: url, BOTCTL_KEY_ID: id, BOTCTL_KEY_SECRET: secret } = sandbox.env;
    const login = ['login', '--base-url', url, '--key-id', id, '--key-secret-file', '-', '--profile', 'prod'];
    expect((await botctl(login, { env, stdin: secret })).exitCode).toBe(0);
    const { call } = await connectAssistant(['--allow-writes', 'bots', '--profile', 'prod'], { env });
    await ok(env, 'profiles', 'set', 'prod', '--protect');
    const { text } = await call('bots_create', { team: 'x', name: 'y', role: 'sales', instructions: 'z' });
    expect(text).toMatch(/^NOT_ALLOWED .*retry: never/);
    expect(text).toContain('is protected');
    expect((await call('teams_list')).isError).toBe(false);
    const again = startServer(['--allow-writes', 'bots', '--profile', 'prod'], env);
    expect(await again.ended).toBe(2);
    expect(again.stderr()).toContain('is protected');
  });

  it('is refused for more writes than --max-writes', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const { call } = await connectAssistant(['--allow-writes', 'bots', '--max-writes', '2'], { env });
    const create = (name: string) =>
      call('bots_create', { team: 'Aurora', name, role: 'sales', instructions: 'x' });
    expect((await create('One')).isError).toBe(false);
    expect(
      (await call('bots_create', { team: 'None', name: 'x', role: 'sales', instructions: 'x' })).text,
    ).toContain('NOT_FOUND');
    expect((await create('Two')).isError).toBe(false);
    expect((await create('Three')).text).toContain('--max-writes');
  });
});

describe('an identical write', () => {
  it('is refused for ten minutes, also for another server and with other wording', async () => {
    const env = await seedService(sandbox.env);
    const first = await connectAssistant(['--allow-writes', 'send'], { env, answer: sayYes });
    expect((await first.call('send_message', message)).isError).toBe(false);
    const other = await connectAssistant(['--allow-writes', 'send'], { env, answer: sayYes });
    const again = { device: 'Reception', to: '+55 (11) 98888-7777', message: 'ready. ' };
    const { text } = await other.call('send_message', again);
    expect(text).toMatch(/^REPEATED .*retry: never/);
    expect((await other.call('send_message', { ...message, message: 'Open.' })).isError).toBe(false);
  });

  it('is refused if its outcome is unknown', async () => {
    const env = await seedService(sandbox.env);
    await ok(env, 'sandbox', 'fault', 'add', 'sendMessage', '--reset', 'after', '--data', sandbox.data);
    const { call } = await connectAssistant(['--allow-writes', 'send', '--retries', '0'], {
      env,
      answer: sayYes,
    });
    const { text } = await call('send_message', message);
    expect(text).toMatch(/^OUTCOME_UNKNOWN \(exit code 12\)\. retry: never\./);
    expect((await call('send_message', message)).text).toContain('may have been done');
  });
});

it('the history has each write with the name of the client', async () => {
  const env = await seedService(sandbox.env);
  const { call } = await connectAssistant(['--allow-writes', 'devices,bots'], { env, answer: sayYes });
  await call('device_disconnect', { device: 'Reception' });
  await call('bots_update', { bot: 'Nobody', temperature: 1 });
  const rows: unknown = JSON.parse(await ok(env, 'mcp', 'history', '-o', 'json'));
  expect(rows).toMatchObject([
    { client: 'Test assistant', tool: 'bots_update', state: 'not_done' },
    { client: 'Test assistant', tool: 'device_disconnect', state: 'done' },
  ]);
  const events = await ok(env, 'device', 'history', 'Reception', '--where', 'event=disconnect', '-o', 'json');
  expect(JSON.parse(events)).toMatchObject([{ by: expect.stringMatching(/^Test assistant for /) }]);
});

describe('a question about a text', () => {
  it('shows the number first, and every character that would be sent', async () => {
    const env = await seedService(sandbox.env);
    const asked: string[] = [];
    const { call } = await connectAssistant(['--allow-writes', 'send'], {
      env,
      answer: (question) => {
        asked.push(question);
        return { action: 'decline' };
      },
    });
    const forged = `Hi" to +5511988887777 through Reception. Send it?${'\n'.repeat(20)}\u202eevil\u200b`;
    await call('send_message', { ...message, to: '+5511900001111', message: forged });
    expect(asked[0]).toMatch(/^This sends to \+5511900001111 through Reception: "Hi\\" to /);
    expect(asked[0]).not.toContain('\n');
    expect(asked[0]).toContain('\\u{202e}evil\\u{200b}');
  });
});

describe('a text in a result', () => {
  it('is complete if an assistant may write it back, and a part of one is refused', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const { call } = await connectAssistant(['--allow-writes', 'bots'], { env });
    const instructions = `Call +55 11 99999-0000. ${'word '.repeat(3000)}`;
    await ok(env, 'bots', 'update', 'Desk', `--instructions=${instructions}`);
    const { data } = await call('bots_get', { bot: 'Desk' });
    expect(data).toMatchObject({ result: { instructions } });
    await ok(env, 'bots', 'create', 'Old', '--team', 'Aurora', '--role', 'sales', '--instructions', 'x');
    const listed = await call('bots_list', {});
    const rows: unknown[] = Array.isArray(listed.data.rows) ? listed.data.rows : [];
    const cut = rows.find((row) => Object(row).name === 'Desk');
    expect(
      (await call('bots_update', { bot: 'Desk', instructions: Object(cut).instructions })).text,
    ).toContain('cut or masked');
    expect((await call('bots_update', { bot: 'Desk', instructions: 'Call +…00' })).text).toContain(
      'cut or masked',
    );
  });
});

it('a value may be set again once another one was set', async () => {
  const env = await seedService(sandbox.env, { isPaired: false });
  const { call } = await connectAssistant(['--allow-writes', 'bots'], { env });
  const set = (instructions: string) => call('bots_update', { bot: 'Desk', instructions });
  expect((await set('A')).isError).toBe(false);
  expect((await set('A')).text).toContain('REPEATED');
  expect((await set('B')).isError).toBe(false);
  expect((await set('A')).isError).toBe(false);
});

it('messages name the arguments of the tool, and no terminal options', async () => {
  const env = await seedService(sandbox.env, { isPaired: false });
  const { call } = await connectAssistant(['--allow-writes', 'teams,bots,send'], { env });
  const texts = [
    await call('teams_update', { team: 'Aurora' }),
    await call('send_message', { device: 'Reception', to: '12', message: 'x' }),
    await call('teams_list', { limit: 1 }),
    await call('device_status', { device: 'None' }),
  ].map(({ data }) => JSON.stringify({ ...data, next: undefined }));
  for (const text of texts) expect(text).not.toMatch(/ --[a-z]/);
});

describe('a write that may have happened', () => {
  it('has an unknown outcome, even if repeating it is safe', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(env, 'sandbox', 'fault', 'add', 'updateBot', '--reset', 'after', '--data', sandbox.data);
    const { call } = await connectAssistant(['--allow-writes', 'bots', '--retries', '0'], { env });
    const { text } = await call('bots_update', { bot: 'Desk', instructions: 'New.' });
    expect(text).toMatch(/^NETWORK \(exit code 8\)\. retry: later\./);
    expect(await ok(env, 'mcp', 'history', '--fields', 'state', '-o', 'json')).toBe('[{"state":"unknown"}]');
  });

  it('is not repeated with the id of the object instead of its name', async () => {
    const env = await seedService(sandbox.env);
    const id = await ok(env, 'device', 'list', '-o', 'id');
    const { call } = await connectAssistant(['--allow-writes', 'send'], { env, answer: sayYes });
    expect((await call('send_message', message)).isError).toBe(false);
    expect((await call('send_message', { ...message, device: id })).text).toContain('REPEATED');
    const sent = await ok(env, 'sandbox', 'messages', '--data', sandbox.data, '-o', 'id');
    expect(sent.split('\n')).toHaveLength(1);
  });
});

describe('a file', () => {
  it('that cannot be copied leaves a record of a write that was not done', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const root = realpathSync(temporaryDirectory());
    writeFileSync(join(root, 'ok.txt'), 'text');
    const { call } = await connectAssistant(['--allow-writes', 'docs', '--root', root, '--max-writes', '1'], {
      env,
      answer: sayYes,
    });
    vi.stubEnv('TMPDIR', join(root, 'none'));
    try {
      expect((await call('docs_upload', { team: 'Aurora', path: ['ok.txt'] })).isError).toBe(true);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(await ok(env, 'mcp', 'history', '--fields', 'state', '-o', 'json')).toBe('[{"state":"not_done"}]');
    expect((await call('docs_upload', { team: 'Aurora', path: ['ok.txt'] })).isError).toBe(false);
  });

  it('that was replaced after it was checked is not sent', async () => {
    const root = realpathSync(temporaryDirectory());
    const outside = join(realpathSync(temporaryDirectory()), 'key');
    writeFileSync(outside, 'secret');
    writeFileSync(join(root, 'ok.txt'), 'text');
    const input = limitedInput({ path: ['ok.txt'] }, { hosts: new Set(), root });
    rmSync(join(root, 'ok.txt'));
    symlinkSync(outside, join(root, 'ok.txt'));
    await expect(withCopies(input, async () => 'sent')).rejects.toThrow('was replaced');
  });

  it('that changes during the question causes another question', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const root = realpathSync(temporaryDirectory());
    writeFileSync(join(root, 'ok.txt'), 'text');
    let asked = 0;
    const { call } = await connectAssistant(['--allow-writes', 'docs', '--root', root], {
      env,
      answer: (question, members) => {
        asked += 1;
        if (asked > 1) return { action: 'decline' };
        writeFileSync(join(root, 'ok.txt'), 'else');
        return sayYes(question, members);
      },
    });
    expect((await call('docs_upload', { team: 'Aurora', path: ['ok.txt'] })).text).toContain('DECLINED');
    expect(asked).toBe(2);
  });
});

it('an empty answer confirms no name', () => {
  const context = (name: string) =>
    ({ mcpReq: { inputResponses: { confirm: { action: 'accept', content: { name } } } } }) as never;
  const question = { level: 'name', question: '', names: ['\u200b', 'id'] } as const;
  expect(['', ' ', '\u200b', 'x', 'id'].map((name) => answerTo(question, context(name)))).toEqual([
    'no',
    'no',
    'yes',
    'other',
    'yes',
  ]);
});

it('calls beyond the eighth wait, but not for a call that waits for a device', async () => {
  const env = await seedService(sandbox.env, { isPaired: false });
  const { call, client } = await connectAssistant([], { env });
  const stop = new AbortController();
  const waits = Array.from({ length: 9 }, () =>
    client
      .callTool({ name: 'device_wait', arguments: { device: 'Reception' } }, { signal: stop.signal })
      .catch(() => 'stopped'),
  );
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('whoami')));
  expect(answers.every(({ isError }) => !isError)).toBe(true);
  stop.abort();
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'stopped'));
});
