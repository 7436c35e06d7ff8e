import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommand } from '../../src/cli/argv.ts';
import { branches } from '../../src/commands/branches.ts';
import { tools, writeKinds } from '../../src/mcp/tools.ts';
import { connectAssistant, protocols, sayYes, seedService } from '../support/assistant.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();

/** A call of every tool, in an order in which each succeeds, and text in its data. */
const calls: readonly (readonly [name: string, input: Record<string, unknown>, has: RegExp])[] = [
  ['whoami', {}, /"key_id":"key_/],
  ['doctor', {}, /"check":"credentials","verdict":"ok"/],
  ['teams_list', { name: 'auro' }, /"name":"Aurora"/],
  ['teams_overview', { team: 'Aurora' }, /"documents":\[\{"id":"[^"]+","name":"menu.txt"/],
  ['bots_list', { team: 'Aurora', limit: 1 }, /"instructions":"Help."/],
  ['bots_get', { bot: 'Desk' }, /"questions":\[\]/],
  ['docs_list', { type: 'txt' }, /"chars":8/],
  ['device_list', {}, /"name":"Reception"/],
  ['device_status', { device: 'Reception' }, /"state":"ready".*"phone_number":"\+…\d\d"/],
  ['device_history', { since: '1d' }, /"event":"paired"/],
  ['keys_list', {}, /"is_active":true/],
  ['campaigns_list', {}, /"name":"spring"/],
  ['campaigns_get', { campaign: 'spring' }, /"message":"Hello"/],
  [
    'teams_create',
    {
      ...{ name: 'Boreal', plan: 'pro', adminName: 'Bob', adminEmail: 'bob@boreal.example' },
      adminPhone: '+5511977776666',
    },
    /"name":"Boreal"/,
  ],
  ['teams_update', { team: 'Boreal', quota: ['bots=12'] }, /"bots":12.*"changes":\["quotas/],
  ['bots_create', { team: 'Boreal', name: 'Sales', role: 'sales', instructions: 'Sell.' }, /"role":"sales"/],
  ['bots_update', { bot: 'Sales', temperature: 0.4 }, /"temperature":0.4/],
  [
    'bots_actions_add',
    {
      bot: 'Sales',
      actions: ['{"name":"book","endpoint":"https://shop.example/book?k=s3","method":"POST"}'],
    },
    /"endpoint":"https:\/\/shop.example\/book\?…"/,
  ],
  ['bots_delete', { bot: 'Sales' }, /"deleted":true/],
  ['docs_rename', { document: 'menu.txt', name: 'prices.txt' }, /"name":"prices.txt"/],
  ['docs_upload', { team: 'Aurora', path: ['hours.txt'] }, /"outcome":"uploaded"/],
  ['device_create', { bot: 'Desk', name: 'Counter' }, /"name":"Counter"/],
  [
    'send_message',
    { device: 'Reception', to: '+5511988887777', message: 'Ready.' },
    /"destinationNumber":"\+…77"/,
  ],
  ['device_wait', { device: 'Reception' }, /"state":"ready"/],
  ['device_disconnect', { device: 'Reception' }, /"status":"stopped"/],
  ['campaigns_pause', { campaign: 'spring' }, /"state":"paused"/],
];

describe.each(protocols)('an assistant that uses %s', (protocol) => {
  it('can call every tool', async () => {
    const env = await seedService(sandbox.env);
    const root = temporaryDirectory();
    writeFileSync(join(root, 'hours.txt'), 'Monday to Friday');
    const assistant = await connectAssistant(
      ['--allow-writes', writeKinds.join(','), '--allow-host', 'shop.example', '--root', root],
      { env, protocol, answer: sayYes },
    );
    const listed = (await assistant.client.listTools()).tools.map(({ name }) => name);
    expect(listed.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    for (const [name, input, has] of calls) {
      const { text, isError, data } = await assistant.call(name, input);
      expect(isError, `${name}: ${text}`).toBe(false);
      expect(JSON.stringify(data)).toMatch(has);
    }
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(listed));
  });
});

describe('the tools', () => {
  it('never accept a path except for docs_upload, a secret, or the arguments of another command', async () => {
    for (const tool of tools) {
      const command = await findCommand(tool.command, branches);
      expect(command, tool.command).toBeDefined();
      for (const name of tool.options)
        expect(command?.options[name]?.isPath ?? false, `${tool.name} ${name}`).toBe(false);
      const paths = Object.entries(command?.arguments ?? {}).filter(([, { isPath }]) => isPath);
      expect(paths.map(([name]) => name)).toEqual(tool.name === 'docs_upload' ? ['path'] : []);
      const words = Object.keys(command?.options ?? {}).filter((name) => tool.options.includes(name));
      expect(words.filter((name) => /secret|token|exec|hook|qr/i.test(name))).toEqual([]);
    }
  });

  it('expose no command that returns credentials, controls the sandbox, or calls any path', () => {
    const nouns = new Set(tools.map(({ command }) => command.split(' ')[0]));
    for (const noun of [
      'login',
      'logout',
      'token',
      'api',
      'sandbox',
      'profiles',
      'completion',
      'tour',
      'tenants',
      'mcp',
    ])
      expect(nouns).not.toContain(noun);
    expect(
      tools.filter(
        ({ command }) =>
          /^keys (?!list)|connect$|repair|optouts/.test(command) && command !== 'device disconnect',
      ),
    ).toEqual([]);
  });

  it('are annotated with their effect', async () => {
    for (const tool of tools) {
      const effect = (await findCommand(tool.command, branches))?.effect;
      expect(effect === 'reads', tool.name).toBe(tool.writes === undefined);
    }
  });

  it('are the read-only ones, unless the user allows more', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const names = async (...args: string[]): Promise<readonly string[]> =>
      (await (await connectAssistant(args, { env })).client.listTools()).tools.map(({ name }) => name);
    const reading = tools.filter(({ writes }) => writes === undefined).map(({ name }) => name);
    expect(await names()).toEqual(reading);
    expect(await names('--allow-writes', 'docs')).toEqual([...reading, 'docs_rename']);
  });
});
