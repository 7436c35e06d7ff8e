import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import { removeLeftBehind, writeNewPrivateFileFrom } from '../../lib/files/private-file.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { fileHash } from '../../settings/files.ts';
import type { Campaign, CampaignKey, CampaignRow, Mark } from '../campaign.ts';
import { claimByTurn, type EarlierStore } from '../claim-by-turn.ts';
import { draftInMemory } from '../draft-in-memory.ts';
import {
  cancelledCampaign,
  cancelledRow,
  changedMeanwhile,
  nameKey,
  nameTaken,
  noCampaign,
  withNumber,
} from '../named.ts';
import { AlikeMessages, PlannedMessages } from '../row-summary.ts';
import type { LaneEntry } from '../running.ts';
import type { CampaignOverview } from '../store.ts';
import { CampaignFile } from './campaign-file.ts';
import { CampaignOnFile } from './campaign-run.ts';
import { campaignPieces } from './campaign-text.ts';
import { type CampaignHead, readHead } from './head.ts';
import { inTurn } from './in-turn.ts';
import { bringToDisk } from './lane-file.ts';
import { checkMachine, isSameMachine, thisMachine } from './machine.ts';
import { markFileOf, readMark, writeMark } from './mark.ts';
import { campaignDirectory, campaignExtension, campaignPaths } from './names.ts';
import { optOutFiles } from './opt-outs.ts';
import { turnOnFiles } from './turn.ts';

/** A store on files. */
export interface FileStore extends EarlierStore {
  /**
   * Puts a campaign with other things frozen in the place of one, with the same rows, and more behind them; nobody else
   * changes it meanwhile.
   * @throws Failure as `CampaignStore.add`; and whatever `change` throws
   */
  change(of: CampaignKey, change: (campaign: Campaign, rows: number) => ChangedCampaign): Promise<void>;
}

/** A campaign as it is to be, and the rows that come to it. */
interface ChangedCampaign {
  readonly campaign: Campaign;
  readonly more?: readonly CampaignRow[];
}

/** A campaign in its file, and what a person said of it. */
interface FoundCampaign {
  readonly file: CampaignFile;
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
}

/**
 * Keeps each campaign in a file of JSON lines: what is frozen, then its rows, then how many they are, then what became of
 * them. See `CampaignFile`.
 * @param data the directory of botctl's data
 * @param signal ends the waiting for another process
 */
export function createFileStore(data: string, signal: AbortSignal): FileStore {
  /** What was read last of each file: only what is new is read again. */
  const files = new Map<string, CampaignFile>();
  const fileOf = ({ origin, name, created_at }: CampaignKey): CampaignFile => {
    const path = campaignPath(data, origin, name);
    const known = files.get(path);
    return known?.createdAt === created_at ? known : new CampaignFile(path, created_at);
  };
  const find = (path: string): FoundCampaign | undefined => {
    const file = new CampaignFile(path);
    const campaign = file.read();
    if (!campaign) return undefined;
    files.set(path, file);
    return { file, campaign, mark: readMark(path, campaign) };
  };
  const findOf = (of: CampaignKey): FoundCampaign => {
    const file = fileOf(of);
    const campaign = file.read();
    if (!campaign) throw noCampaign(of.name);
    return { file, campaign, mark: readMark(file.path, campaign) };
  };
  const inTurnOf = async <T>(
    of: CampaignKey,
    work: (file: CampaignFile, campaign: Campaign) => T,
    check: (campaign: Campaign, file: CampaignFile) => void = checkMachine,
  ): Promise<T> => {
    // Before its lock is touched: that of a living process elsewhere looks like a dead one's here.
    const { file, campaign: found } = findOf(of);
    check(found, file);
    return inTurn(file.path, `campaign ${inSentence(of.name)}`, signal, () => {
      const campaign = file.read();
      if (!campaign) throw noCampaign(of.name);
      check(campaign, file);
      return work(file, campaign);
    });
  };
  const change: FileStore['change'] = (of, changed) =>
    inTurnOf(of, (file, found) => {
      const { campaign, more = [] } = changed(found, file.index.count);
      file.replace(campaign, more);
    });
  const optOutsOf = optOutFiles(data, signal);
  const opened = new Map<string, CampaignOnFile>();
  const campaignOf = ({ campaign: { id } }: LaneEntry): CampaignOnFile => {
    const campaign = opened.get(id);
    if (!campaign) throw new TypeError(`campaign ${id} was not opened here`);
    return campaign;
  };
  const list: FileStore['list'] = async (origin) => {
    const unreadable: Failure[] = [];
    const found = campaignPaths(data).flatMap((path) => {
      try {
        return find(path) ?? [];
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
  const create: FileStore['create'] = async (made) => {
    const { origin, name } = made.campaign;
    const path = campaignPath(data, origin, name);
    try {
      await writeNewPrivateFileFrom(path, campaignPieces(made));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw unwritable(path, error);
      throw nameTaken(name);
    }
  };
  const turn: EarlierStore['turn'] = (lane, options) =>
    turnOnFiles({ data, optOuts: optOutsOf(lane.key.origin), campaignOf }, lane, options);
  return {
    place: 'on this machine',
    isNew: false,
    optOuts: optOutsOf,
    create,
    draft: async (campaign) => draftInMemory([], (rows) => create({ campaign, rows })),
    async draftMore(to, { after, columns, source }) {
      const found = findOf(to);
      return draftInMemory(rowsOf(found, found.file.index.numbers()), (more) =>
        change(to, (campaign, rows) => {
          if (rows !== after) throw changedMeanwhile(to.name);
          return { campaign: { ...campaign, columns, sources: [...campaign.sources, source] }, more };
        }),
      );
    },
    list,
    async find(origin, name) {
      const path = campaignPath(data, origin, name);
      const found = find(path);
      return (
        found && {
          campaign: found.campaign,
          rows: found.file.index.count,
          mark: readMark(path, found.campaign),
        }
      );
    },
    async look(origin, name) {
      const found = find(campaignPath(data, origin, name));
      return found && overviewOf(found);
    },
    async summarise(origin, name) {
      const found = find(campaignPath(data, origin, name));
      if (!found) return undefined;
      const [messages, alike] = [new PlannedMessages(), new AlikeMessages()];
      const planned = found.mark?.state === 'cancelled' ? [] : found.file.index.inStates(['planned']);
      found.file.visit(planned, (row) => {
        messages.add(row);
        alike.add(row);
      });
      return { ...overviewOf(found), messages, alike: alike.most };
    },
    async get(origin, name) {
      const found = find(campaignPath(data, origin, name));
      if (!found) return undefined;
      const { file, campaign, mark } = found;
      return { campaign, rows: rowsOf(found, file.index.numbers()), ...(mark && { mark }) };
    },
    async *rows(of) {
      const found = findOf(of);
      yield rowsOf(found, found.file.index.numbers());
    },
    rowsNumbered: async (of, numbers) => rowsOf(findOf(of), numbers),
    async firstMessage(of) {
      const found = findOf(of);
      const [planned] = found.file.index.inStates(['planned']);
      const number = planned ?? found.file.index.firstMessage();
      return number === undefined ? undefined : rowsOf(found, [number])[0];
    },
    change,
    setNumber: (of, device, number) =>
      change(of, (campaign) => ({ campaign: withNumber(campaign, device, number) })),
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
        (file, campaign) => file.replace({ ...campaign, made_on: thisMachine() }, []),
        () => undefined,
      ),
    async delete(of) {
      // What devices have sent is known to nothing else then.
      for (const { id } of findOf(of).campaign.devices)
        await bringToDisk(data, { origin: of.origin, device: id }, signal);
      await inTurnOf(
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
        (campaign, file) => {
          const [isLeft] = file.index.inStates(['planned', 'sending']);
          if (isLeft !== undefined && readMark(file.path, campaign)?.state !== 'cancelled')
            checkMachine(campaign);
        },
      );
    },
    async open(origin, name) {
      const file = new CampaignFile(campaignPath(data, origin, name));
      const campaign = new CampaignOnFile(file, name);
      files.set(campaign.id, file);
      opened.set(campaign.id, campaign);
      return campaign;
    },
    turn,
    claim: claimByTurn(turn),
  };
}

/**
 * Returns what tells a campaign from others, or undefined if there is none.
 * @throws Failure `invalidInput` where its file is none of a campaign
 */
function headAt(path: string): CampaignHead | undefined {
  // What is wrong with it the whole of it says.
  return readHead(path) ?? new CampaignFile(path).read();
}

/** Returns the path of a campaign's file. */
export function campaignPath(data: string, origin: string, name: string): string {
  const hash = fileHash(JSON.stringify([origin, nameKey(name)]));
  return join(data, campaignDirectory, hash + campaignExtension);
}

/** Returns rows as they are to be shown. */
function rowsOf({ file, mark }: FoundCampaign, numbers: Iterable<number>): readonly CampaignRow[] {
  const rows = file.rows(numbers);
  return mark?.state === 'cancelled' ? rows.map((row) => cancelledRow(row, mark)) : rows;
}

function overviewOf({ file, campaign, mark }: FoundCampaign): CampaignOverview {
  return { campaign, counts: file.index.counts(mark?.state === 'cancelled'), mark };
}
