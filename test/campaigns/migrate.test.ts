import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { earlierData, earlierOutput } from '../support/earlier-files.ts';
import { expectAll, migrate, run } from '../support/migrated-campaigns.ts';

describe('campaigns migrate', () => {
  it('imports the files of an earlier version, and ends with 10 and the name of a campaign that is damaged', async () => {
    const data = earlierData();
    const { exitCode, stdout, stderr } = await migrate(data);
    expect(exitCode).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({
      campaigns: 9,
      rows: 34,
      unknown: 1,
      optouts: 11,
      database: null,
    });
    expect(stderr).toContain("campaign damaged, can't be read");
    expect(stderr).toContain('1 campaign could not be imported');
    expect(lstatSync(join(data, 'campaigns.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(data).filter((name) => name.includes('.imported-'))).toHaveLength(3);
    const again = await migrate(data);
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ campaigns: 0, optouts: 0, files: [] });
  });

  it('changes nothing, exit 2, if opt-outs cannot be read', async () => {
    const data = earlierData();
    const path = join(data, 'optouts.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -10));
    const { exitCode, stderr } = await migrate(data);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('line 16 is not an opt-out');
    expect(existsSync(path) && existsSync(join(data, 'campaigns'))).toBe(true);
  });

  it('warns if the opt-outs are a link to a file that other machines may share', async () => {
    const data = earlierData();
    const shared = join(dirname(data), 'shared.ndjson');
    renameSync(join(data, 'optouts.ndjson'), shared);
    symlinkSync(shared, join(data, 'optouts.ndjson'));
    const { stdout, stderr } = await migrate(data);
    expect(JSON.parse(stdout)).toMatchObject({ optouts: 11 });
    expect(stderr).toContain(`The opt-outs were in ${shared}, behind a link`);
    expect(existsSync(shared)).toBe(true);
  });

  it.each([
    ['campaigns list', ['campaigns', 'list']],
    ['campaigns run', ['campaigns', 'run', 'spring', '--yes']],
    ['optouts add', ['optouts', 'add', '+5511988887777']],
    [
      'send',
      [
        'send',
        '--device',
        '0b6bc3e7-0bbc-4478-b5b5-e3d6b5b239d3',
        '--to',
        '+5511977776666',
        '--message',
        'Hi',
      ],
    ],
  ])('is what %s asks for while data is in files of an earlier version', async (_, args) => {
    const data = earlierData();
    const { exitCode, stderr } = await run(data, args);
    expect(exitCode, stderr).toBe(2);
    expect(stderr).toContain('botctl campaigns migrate');
    expect(existsSync(join(data, 'campaigns.db'))).toBe(false);
  });

  it('brings every row and opt-out as the earlier version printed it', async () => {
    const data = earlierData();
    await migrate(data);
    const output = earlierOutput();
    for (const { results, optouts } of Object.values(output)) {
      delete results.damaged;
      // The earlier version took the number with a trunk zero for another one.
      const repeated = optouts.findIndex(({ note }) => note === 'with a zero behind the country code');
      if (repeated >= 0) optouts.splice(repeated, 1);
      const sending = results.killed?.[1];
      if (sending)
        Object.assign(sending, {
          ...{ state: 'unknown', reason: 'PROCESS_ENDED', at: expect.any(String) },
          because: 'the process that sent it ended before the answer came',
        });
    }
    await expectAll(data, output);
  });
});
