import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';

const device = '0b6bc3e7-0bbc-4478-b5b5-e3d6b5b239d3';

async function run(home: string, args: readonly string[]) {
  const identity = { BOTCTL_BASE_URL: 'http://127.0.0.1:1', BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 's' };
  const ran = await botctl(args, { env: { ...identity, BOTCTL_CONFIG_DIR: home } });
  return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
}

function homeWithData(): { readonly home: string; readonly data: string } {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  mkdirSync(data);
  return { home, data };
}

describe('files of a version before the first release', () => {
  it.each([
    ['campaigns list', ['campaigns', 'list']],
    ['campaigns run', ['campaigns', 'run', 'spring', '--yes']],
    ['optouts add', ['optouts', 'add', '+5511988887777']],
    ['send', ['send', '--device', device, '--to', '+5511977776666', '--message', 'Hi']],
  ])('stop %s, which would ignore their opt-outs and sent messages', async (_, args) => {
    const { home, data } = homeWithData();
    writeFileSync(join(data, 'optouts.ndjson'), '{"number":"5511977776666"}\n');
    const { exitCode, stderr } = await run(home, args);
    expect(exitCode, stderr).toBe(2);
    expect(stderr).toContain('optouts.ndjson');
    expect(stderr).toContain('botctl optouts import FILE');
    expect(existsSync(join(data, 'campaigns.db'))).toBe(false);
  });

  it.each(['campaigns', 'lanes'])('are detected if they are in %s', async (name) => {
    const { home, data } = homeWithData();
    mkdirSync(join(data, name));
    expect(await run(home, ['campaigns', 'list'])).toMatchObject({ exitCode: 2 });
  });

  it('are detected even if they are a dangling link', async () => {
    const { home, data } = homeWithData();
    symlinkSync(join(home, 'nowhere'), join(data, 'optouts.ndjson'));
    expect(await run(home, ['campaigns', 'list'])).toMatchObject({ exitCode: 2 });
  });

  it('stop nothing if there are none', async () => {
    expect(await run(temporaryDirectory(), ['campaigns', 'list'])).toMatchObject({ exitCode: 0 });
  });

  it('can be imported as opt-outs with a + before each number', async () => {
    const { home } = homeWithData();
    const file = join(home, 'optouts.ndjson');
    writeFileSync(
      file,
      '{"origin":"http://127.0.0.1:4010","number":"+5511988887777","added_at":"2026-11-27T23:45:27.558Z"}\n',
    );
    expect(await run(home, ['optouts', 'import', file])).toMatchObject({ exitCode: 0 });
    expect((await run(home, ['optouts', 'list', '-o', 'json'])).stdout).toContain('5511988887777');
  });
});
