import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNameCache } from '../../src/settings/completion-cache.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { start } from '../support/process.ts';

async function offered(home: string, ...args: readonly string[]) {
  const running = start(['completion', '--names', ...args], { env: { BOTCTL_CONFIG_DIR: home } });
  return { exitCode: await running.ended, ...running.output };
}

it('prints a thousand names through a pipe', async () => {
  const home = temporaryDirectory();
  const profiles = { main: { base_url: 'https://api.example.com' } };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ current_profile: 'main', profiles }));
  const notes = createNameCache(join(home, 'cache')).notes('https://api.example.com');
  for (let index = 0; index < 1000; index += 1)
    notes.add({ noun: 'document', id: `id-${index}`, name: `${'long '.repeat(30)}${index}` });
  notes.save();
  const { exitCode, stdout, stderr } = await offered(home, 'document', '--word=');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.split('\n')).toHaveLength(1001);
  expect(stdout).toContain(`${'long '.repeat(30)}999\tid-999\n`);
});

it.each([[], ['team'], ['frob', '--word='], ['team', '--word=', '--base-url', 'nonsense']])(
  'is silent where it knows nothing: %j',
  async (...args) => {
    const home = temporaryDirectory();
    writeFileSync(join(home, 'config.json'), '{');
    expect(await offered(home, ...args)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  },
);
