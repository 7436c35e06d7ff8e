import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import {
  removeLeftBehind,
  replacePrivateFile,
  writeNewPrivateFileFrom,
} from '../../lib/files/private-file.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { fileHash } from '../../settings/files.ts';
import type { CampaignKey } from '../campaign.ts';
import {
  cancelledCampaign,
  cancelledRow,
  changedMeanwhile,
  nameKey,
  nameTaken,
  noCampaign,
  padded,
  withNumber,
} from '../named.ts';
import { RowSummary } from '../row-summary.ts';
import type { LaneEntry } from '../running.ts';
import type { CampaignOverview, CampaignStore, StoredCampaign } from '../store.ts';
import { CampaignFile, campaignPieces, campaignText } from './campaign-file.ts';
import { CampaignOnFile } from './campaign-run.ts';
import { type CampaignHead, readHead } from './head.ts';
import { inTurn } from './in-turn.ts';
import { checkMachine, isSameMachine, thisMachine } from './machine.ts';
import { markFileOf, readMark, writeMark } from './mark.ts';
import { campaignDirectory, campaignExtension } from './names.ts';
import { optOutFiles } from './opt-outs.ts';
import { turnOnFiles } from './turn.ts';

/** A store on files. */
export interface FileStore extends CampaignStore {
  /**
   * Puts what is made of a campaign in its place; nobody else changes it meanwhile.
   * @throws Failure as `CampaignStore.add`; and whatever `change` throws
   */
  change(of: CampaignKey, change: (stored: StoredCampaign) => StoredCampaign): Promise<StoredCampaign>;
}

/**
 * Keeps each campaign in a file of JSON lines: what is frozen, then its rows, then how many they are, then what became of
 * them. See `CampaignFile`.
 * @param data the directory of botctl's data
 * @param signal ends the waiting for another process
 */
export function createFileStore(data: string, signal: AbortSignal): FileStore {
  const directory = join(data, campaignDirectory);
  const inTurnOf = async <T>(
    { origin, name, created_at }: CampaignKey,
    work: (file: CampaignFile, stored: StoredCampaign) => T,
    check: (stored: StoredCampaign, file: CampaignFile) => void = ({ campaign }) => checkMachine(campaign),
  ): Promise<T> => {
    const file = new CampaignFile(campaignPath(data, origin, name), undefined, created_at);
    // Before its lock is touched: that of a living process elsewhere looks like a dead one's here.
    const found = file.read();
    if (!found) throw noCampaign(name);
    check(found, file);
    return inTurn(file.path, `campaign ${inSentence(name)}`, signal, () => {
      const stored = file.read();
      if (!stored) throw noCampaign(name);
      check(stored, file);
      return work(file, stored);
    });
  };
  const rewrite = (file: CampaignFile, changed: StoredCampaign): StoredCampaign => {
    try {
      removeLeftBehind(file.path);
      replacePrivateFile(file.path, campaignText(changed));
    } catch (error) {
      throw unwritable(file.path, error);
    }
    return changed;
  };
  const change: FileStore['change'] = (of, changed) =>
    inTurnOf(of, (file, stored) => rewrite(file, changed(stored)));
  const optOutsOf = optOutFiles(data, signal);
  const opened = new Map<string, CampaignOnFile>();
  const campaignOf = ({ campaign: { id } }: LaneEntry): CampaignOnFile => {
    const campaign = opened.get(id);
    if (!campaign) throw new TypeError(`campaign ${id} was not opened here`);
    return campaign;
  };
  const list: FileStore['list'] = async (origin) => {
    const unreadable: Failure[] = [];
    const found = filesIn(directory).flatMap((path) => {
      try {
        return read(path) ?? [];
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        unreadable.push(error);
        return [];
      }
    });
    const campaigns = found
      .filter(({ campaign }) => campaign.origin === origin)
      .sort((one, other) => (one.campaign.created_at < other.campaign.created_at ? -1 : 1));
    return { campaigns: campaigns.map(overviewOf), unreadable };
  };
  return {
    place: 'on this machine',
    isNew: false,
    optOuts: optOutsOf,
    async create(made) {
      const { origin, name } = made.campaign;
      const path = campaignPath(data, origin, name);
      try {
        await writeNewPrivateFileFrom(path, campaignPieces(made));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw unwritable(path, error);
        throw nameTaken(name);
      }
    },
    list,
    async find(origin, name) {
      const path = campaignPath(data, origin, name);
      const campaign = headAt(path);
      return campaign && { campaign, mark: readMark(path, campaign) };
    },
    async look(origin, name) {
      const stored = read(campaignPath(data, origin, name));
      return stored && overviewOf(stored);
    },
    get: async (origin, name) => read(campaignPath(data, origin, name)),
    change,
    async add(to, { rows: more, after, columns, source }) {
      await change(to, ({ campaign, rows }) => {
        if (rows.length !== after) throw changedMeanwhile(to.name);
        return {
          campaign: { ...campaign, columns, sources: [...campaign.sources, source] },
          rows: [...rows.map((row) => padded(row, columns.length)), ...more],
        };
      });
    },
    async setNumber(of, device, number) {
      await change(of, ({ campaign, rows }) => ({ campaign: withNumber(campaign, device, number), rows }));
    },
    record: (of, changes) => inTurnOf(of, (file) => file.record(changes, true)),
    mark: async (of, mark) => {
      const path = campaignPath(data, of.origin, of.name);
      const campaign = headAt(path);
      if (!campaign) throw noCampaign(of.name);
      if (campaign.created_at !== of.created_at) throw changedMeanwhile(of.name);
      const write = (): void => {
        if (readMark(path, campaign)?.state === 'cancelled') throw cancelledCampaign(of.name);
        writeMark(path, campaign, mark);
      };
      const isHere = isSameMachine(campaign.made_on, thisMachine());
      if (!isHere && !mark) checkMachine(campaign);
      // A mark is whole or not there: it needs no lock that is another machine's, and not that of who writes rows for long.
      if (isHere) await inTurn(markFileOf(path), `whether ${inSentence(of.name)} is paused`, signal, write);
      else write();
    },
    takeOver: (of) =>
      inTurnOf(
        of,
        (file, { campaign, rows }) => {
          rewrite(file, { campaign: { ...campaign, made_on: thisMachine() }, rows });
        },
        () => undefined,
      ),
    delete: (of) =>
      inTurnOf(
        of,
        (file) => {
          try {
            removeLeftBehind(file.path);
            rmSync(file.path);
            rmSync(markFileOf(file.path), { force: true });
          } catch (error) {
            throw unwritable(file.path, error);
          }
        },
        ({ campaign, rows }, file) => {
          const isLeft = rows.some(({ state }) => state === 'planned' || state === 'sending');
          if (isLeft && readMark(file.path, campaign)?.state !== 'cancelled') checkMachine(campaign);
        },
      ),
    async open(origin, name) {
      const campaign = new CampaignOnFile(campaignPath(data, origin, name), name);
      opened.set(campaign.id, campaign);
      return campaign;
    },
    turn(lane, options) {
      return turnOnFiles({ data, optOuts: optOutsOf(lane.key.origin), campaignOf }, lane, options);
    },
  };
}

/**
 * Returns what tells a campaign from others, or undefined if there is none.
 * @throws Failure `invalidInput` where its file is none of a campaign
 */
function headAt(path: string): CampaignHead | undefined {
  // What is wrong with it the whole of it says.
  return readHead(path) ?? read(path)?.campaign;
}

/** Returns the path of a campaign's file. */
export function campaignPath(data: string, origin: string, name: string): string {
  const hash = fileHash(JSON.stringify([origin, nameKey(name)]));
  return join(data, campaignDirectory, hash + campaignExtension);
}

/** Returns the campaign of a file as it is to be shown, or undefined if there is none. */
function read(path: string): StoredCampaign | undefined {
  const stored = new CampaignFile(path).read();
  const mark = stored && readMark(path, stored.campaign);
  if (!stored || !mark) return stored;
  const { campaign, rows } = stored;
  return {
    campaign,
    rows: mark.state === 'cancelled' ? rows.map((row) => cancelledRow(row, mark)) : rows,
    mark,
  };
}

function overviewOf({ campaign, rows, mark }: StoredCampaign): CampaignOverview {
  return { campaign, counts: RowSummary.of(rows).counts, mark };
}

function filesIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(campaignExtension));
    return names.map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(directory, error);
  }
}
