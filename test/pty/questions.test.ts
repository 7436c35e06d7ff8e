import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { binary } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { patience } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

describe('a question on 80 columns', { timeout: patience }, () => {
  it('breaks no time, name or id of a choice', async () => {
    const name = 'Front desk of the shop in the old town';
    const team = await service.team('Acme Norte');
    const first = await service.createBot(team, name);
    // The two times differ, and the first bot is listed first.
    sandbox.advance(86_400_456);
    const twins = [first, await service.createBot(team, name)] as const;
    const times = await Promise.all(twins.map(async (id) => String((await service.bot(id)).created_at)));
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory('process') };
    const terminal = new PtyTerminal(['bots', 'get', name], { columns: 80, rows: 24 }, env);
    const row = (time = ''): string => `  in team Acme Norte, created ${time}`;
    const rows = [`❯ ${name}`, `  ${row(times[0])}`, `  ${name}`, `  ${row(times[1])}`];
    const drawn = `Which one?\n${rows.join('\n')}\n\n${twins[0]}\n`;
    await terminal.until((text) => text.includes(drawn));
    terminal.type('\x1b[B');
    await terminal.until((text) => text.includes(twins[1]));
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(await terminal.text()).toMatch(
      new RegExp(`Which one\\? *\\n {2}${name}\\n  ${row(times[1])}\\nID +${twins[1]}\\n`),
    );
  });
});

const kinds: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['drawn', {}],
  ['of lines alone', { ACCESSIBLE: '1' }],
];

describe('Ctrl-Z at a question', { timeout: patience }, () => {
  it.each(kinds)(
    '%s returns an echoing terminal to the shell, and a secret stays hidden after fg',
    async (_kind, plain) => {
      const shell = new PtyTerminal(
        ['--norc', '--noprofile', '-i'],
        { columns: 100, rows: 40 },
        { HOME: temporaryDirectory(), BOTCTL_CONFIG_DIR: temporaryDirectory('process'), PS1: '$ ', ...plain },
        undefined,
        ['bash'],
      );
      const asked = 'Key secret: ';
      const times = (text: string): number => text.split(asked).length - 1;
      shell.type(
        `"${process.execPath}" "${binary}" login --base-url ${sandbox.baseUrl} --key-id ${sandbox.keyId}; echo "it was $?"\r`,
      );
      await shell.until((text) => times(text) === 1);
      shell.type('hidden-one\x1a');
      await shell.until((text) => text.includes('Stopped'));
      shell.type('stty -a | grep -ow -e "-*echo" -e "-*icanon"; echo "looked"\r');
      await shell.until((text) => text.includes('\nlooked'));
      expect(await shell.text()).toMatch(/\nicanon\necho\nlooked/);
      shell.type('fg\r');
      await shell.until((text) => times(text) === 2);
      const secret = sandbox.keySecret.reveal();
      shell.type(`${secret}\r`);
      await shell.until((text) => text.includes('Signed in'));
      for (const unseen of ['hidden', secret]) expect(await shell.text()).not.toContain(unseen);
    },
  );
});
