import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  campaignFilesIn,
  type EarlierCampaign,
  queueFilesIn,
  readEarlierCampaign,
  readEarlierOptOuts,
  readEarlierQueues,
  requireImport,
} from '../../src/campaigns/earlier-files.ts';
import { earlierData, earlierOutput } from '../support/earlier-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const origin = 'http://127.0.0.1:4010';
const other = 'http://localhost:4010';

/** The campaigns that can be read. */
function campaignsIn(data: string): readonly EarlierCampaign[] {
  return campaignFilesIn(data).flatMap((path) => {
    try {
      return [readEarlierCampaign(path)];
    } catch {
      return [];
    }
  });
}

const find = (data: string, name: string, of = origin): EarlierCampaign => {
  const found = campaignsIn(data).find(({ campaign }) => campaign.name === name && campaign.origin === of);
  if (!found) throw new Error(`there is no campaign ${name}`);
  return found;
};

describe('the campaign files of an earlier version', () => {
  it.each([origin, other])('have every row of %s as that version printed it', (of) => {
    const data = earlierData();
    const said = earlierOutput()[of];
    expect(said).toBeDefined();
    for (const [name, results] of Object.entries(said?.results ?? {})) {
      if (name === 'damaged') continue;
      const { campaign, mark, rows } = find(data, name, of);
      const found = rows.map(({ row, to, state, reason, because, at, attempts = 0, cells }) => ({
        ...Object.fromEntries(campaign.columns.map((column, at) => [column, cells[at]])),
        ...{ row, to: to === undefined ? null : `+${to}`, state, reason, because, at, attempts },
      }));
      const printed = results.map(({ device: _device, message: _message, ...rest }) =>
        // A cancelled campaign stores only that it is cancelled.
        mark?.state === 'cancelled' && rest.reason === 'cancelled'
          ? { ...rest, state: 'planned', reason: null, because: null }
          : rest,
      );
      expect(found, name).toEqual(
        printed.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([key, value]) => [
              key,
              value === null && ['reason', 'because', 'at'].includes(key) ? undefined : value,
            ]),
          ),
        ),
      );
    }
  });

  it('have the marks, and ignore that of an earlier campaign of the name', () => {
    const data = earlierData();
    expect(find(data, 'summer').mark?.state).toBe('paused');
    expect(find(data, 'autumn').mark?.state).toBe('cancelled');
    const { path } = find(data, 'spring');
    const mark = {
      version: 1,
      state: 'paused',
      at: '2026-01-01T00:00:00Z',
      created_at: '2026-01-01T00:00:00Z',
    };
    writeFileSync(path.replace('.ndjson', '.mark.json'), JSON.stringify(mark));
    expect(find(data, 'spring').mark).toBeUndefined();
    writeFileSync(path.replace('.ndjson', '.mark.json'), '{');
    expect(() => readEarlierCampaign(path)).toThrow(/mark.json can't be read/);
  });

  it('are refused by name if they end too early, with how far they could be read', () => {
    const data = earlierData();
    const path = campaignFilesIn(data).find((one) => readFileSync(one, 'utf8').includes('"name":"damaged"'));
    expect(() => readEarlierCampaign(path ?? '')).toThrow(
      `${path}, campaign damaged, can't be read: it ends after 2 rows`,
    );
  });

  it.each([
    ['a line that is no change of a row', '{"row":1,"state":"gone"}\n'],
    ['a change of a row that is missing', '{"row":99,"state":"accepted"}\n'],
  ])('are refused with %s', (_, line) => {
    const { path } = find(earlierData(), 'planned', other);
    appendFileSync(path, line);
    expect(() => readEarlierCampaign(path)).toThrow('line 4 is not one of a campaign');
  });
});

describe('the opt-outs of an earlier version', () => {
  it('are read in their order, with the later of two spellings of a number', () => {
    const found = readEarlierOptOuts(earlierData());
    for (const [of, { optouts }] of Object.entries(earlierOutput())) {
      const mine = found.filter((one) => one.origin === of);
      // That version took a number with a trunk zero for another one.
      const printed = optouts.filter(({ note }) => note !== 'with a zero behind the country code');
      expect(
        mine.map(({ number, added_at, note = null }) => ({ number: `+${number}`, note, added_at })),
      ).toEqual(printed);
    }
  });

  it('include a last line that does not end', () => {
    const data = temporaryDirectory();
    const lines = ['+5511988887777', '+5511977776666'].map((number) =>
      JSON.stringify({ origin, number: number.slice(1), added_at: '2026-01-01T00:00:00Z', note: null }),
    );
    writeFileSync(join(data, 'optouts.ndjson'), `\uFEFF${lines.join('\r\n')}`);
    expect(readEarlierOptOuts(data).map(({ number }) => number)).toEqual(['5511988887777', '5511977776666']);
  });

  it.each([
    ['is cut short', '{"origin":"http://127.0.0.1:4010","number":"5511977'],
    ['has a number that is none', '{"origin":"http://a","number":"12","added_at":"2026-01-01T00:00:00Z"}\n'],
    [
      'was added and removed at once',
      '{"origin":"http://a","number":"5511988887777","added_at":"2026-01-01T00:00:00Z","removed_at":"2026-01-01T00:00:00Z"}\n',
    ],
  ])('are refused if a line %s', (_, line) => {
    const data = earlierData();
    appendFileSync(join(data, 'optouts.ndjson'), line);
    expect(() => readEarlierOptOuts(data)).toThrow('line 17 is not an opt-out');
  });

  it('are refused if they are a link that leads nowhere', () => {
    const data = temporaryDirectory();
    symlinkSync('missing', join(data, 'optouts.ndjson'));
    expect(() => readEarlierOptOuts(data)).toThrow("Can't read");
    expect(() => requireImport(data)).toThrow('in files of an earlier version');
  });
});

describe('the send queues of an earlier version', () => {
  it('are read with what the last messages changed, if that is newer and whole', () => {
    const data = earlierData();
    const sentOf = () =>
      readEarlierQueues(data)
        .map(({ queue }) => queue.sent.reduce((sum, [, count]) => sum + count, 0))
        .sort();
    expect(sentOf()).toEqual([2, 2, 4, 5, 6]);
    expect(readEarlierQueues(data).filter(({ isBusy }) => isBusy)).toHaveLength(1);
    expect(readEarlierQueues(data).find(({ queue }) => queue.paused)?.queue.unknowns).toBe(3);
    for (const path of queueFilesIn(data)) {
      const recent = path.replace('.json', '.recent');
      writeFileSync(recent, readFileSync(recent, 'utf8').slice(0, -3));
    }
    expect(sentOf()).toEqual([0, 0, 2, 3, 6]);
  });

  it('are refused if one is damaged', () => {
    const data = earlierData();
    const [path = ''] = queueFilesIn(data);
    writeFileSync(path, '{}');
    expect(() => readEarlierQueues(data)).toThrow(`${path} can't be read`);
  });
});

describe('requireImport', () => {
  it('asks for the import of files of any service, with the command that does it', () => {
    expect(() => requireImport(earlierData())).toThrow('in files of an earlier version');
  });

  it('asks for nothing without files', () => {
    expect(() => requireImport(join(temporaryDirectory(), 'data'))).not.toThrow();
  });
});
