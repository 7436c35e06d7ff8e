import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { botctl, type RunOptions } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const get = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', 'get', ...args], { ...options, env: { ...sandbox.env, ...options.env } });
const service = openDirect(sandbox);

let bot: string;
let menu: string;

beforeEach(async () => {
  const team = await service.team('Aurora Coffee');
  menu = await service.document(team, 'menu.txt');
  bot = await service.createBot(team, 'Front desk');
  await service.call('PATCH', `/bots/${bot}`, { document_ids: [menu] });
});

describe('the documents of a bot', () => {
  it('have names and ids on a card', async () => {
    const { stdout } = await get(['Front desk'], { terminal: true });
    for (const shown of ['menu.txt', menu]) expect(stdout).toContain(shown);
  });

  it('are unchanged for scripts', async () => {
    const { stdout } = await get(['Front desk', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ documents: [{ document_id: menu, bot_id: bot }] });
    expect((await get(['Front desk'])).stdout).not.toContain('menu.txt');
    const fields = ['--fields', 'documents.document_id'];
    const ids = await get(['Front desk', ...fields, '-o', 'json']);
    expect(ids).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ids.stdout)).toEqual({ documents: [{ document_id: menu }] });
    expect((await get(['Front desk', ...fields])).stdout).toBe(`documents.document_id\t["${menu}"]\n`);
  });
});

describe('a path in --fields', () => {
  it('may lead into an empty list or an open object, and may be absent after a dot', async () => {
    await service.call('PATCH', `/bots/${bot}`, { document_ids: [] });
    for (const path of ['documents.zzz', '.surprise', 'actions.headers.Accept', 'vector_id', '.vector_id']) {
      expect(await get(['Front desk', '--fields', path, '-o', 'json'])).toMatchObject({ exitCode: 0 });
    }
  });
});

describe('on a card, if the service refuses to read documents', () => {
  it.each<[string, readonly string[], () => string, number]>([
    ['their ids stand alone', [], () => menu, 1],
    ['none is read for other fields', ['--fields', 'name'], () => 'Front desk', 0],
  ])('%s', async (_, options, shown, reads) => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDocument',
      effect: { kind: 'status', status: 403 },
    });
    const requests = await requestsFromNow(sandbox);
    const ran = await get([bot, ...options], { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(shown());
    const asked = (await requests()).filter(({ operation }) => operation === 'getDocument');
    expect(asked).toHaveLength(reads);
  });
});
