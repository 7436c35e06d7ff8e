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
import { command, remark } from '../../lib/text/remark.ts';
import { fileHash } from '../../settings/files.ts';
import type { CampaignKey, CampaignStore, StoredCampaign } from '../store.ts';
import { CampaignFile, campaignPieces, campaignText } from './campaign-file.ts';
import { inTurn } from './in-turn.ts';
import { checkMachine, isSameMachine, thisMachine } from './machine.ts';
import { markFileOf, readMark, writeMark } from './mark.ts';
import { campaignDirectory, campaignExtension } from './names.ts';

/**
 * Keeps each campaign in a file of JSON lines: what is frozen, then its rows, then how many they are, then what became of
 * them. See `CampaignFile`.
 * @param data the directory of botctl's data
 * @param signal ends the waiting for another process
 */
export function createFileStore(data: string, signal: AbortSignal): CampaignStore {
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
  return {
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
    async list(origin) {
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
      return { campaigns, unreadable };
    },
    get: async (origin, name) => read(campaignPath(data, origin, name)),
    change: (of, change) => inTurnOf(of, (file, stored) => rewrite(file, change(stored))),
    record: (of, changes) => inTurnOf(of, (file) => file.record(changes, true)),
    mark: async (of, mark) => {
      const write = (file: CampaignFile, { campaign }: StoredCampaign): void => {
        if (readMark(file.path, campaign)?.state === 'cancelled') throw cancelledCampaign(of.name);
        writeMark(file.path, campaign, mark);
      };
      const file = new CampaignFile(campaignPath(data, of.origin, of.name), undefined, of.created_at);
      const found = mark && file.read();
      // A mark is whole or not there: it needs no lock, and none that is another machine's.
      if (found && !isSameMachine(found.campaign.made_on, thisMachine())) return write(file, found);
      return inTurnOf(of, write);
    },
    move: (of) =>
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
  };
}

/** Returns the path of a campaign's file. */
export function campaignPath(data: string, origin: string, name: string): string {
  // An accent may be a character of its own, or part of the letter: a person sees one name.
  const hash = fileHash(JSON.stringify([origin, name.normalize('NFC')]));
  return join(data, campaignDirectory, hash + campaignExtension);
}

/** Returns the failure for a campaign that is not there. */
export function noCampaign(name: string): Failure {
  return new Failure('notFound', `There is no campaign ${inSentence(name)} for this service.`, {
    hint: remark`See those that there are: ${command('campaigns', 'list')}`,
  });
}

/** Returns the failure for a campaign that was cancelled, which is for good. */
export function cancelledCampaign(name: string): Failure {
  return new Failure('invalidInput', `Campaign ${inSentence(name)} was cancelled, which is for good.`, {
    hint: remark`See what came of its rows: ${command('campaigns', 'results', name)}`,
  });
}

/** Returns the failure for a campaign whose name another one has. */
export function nameTaken(name: string): Failure {
  return new Failure('invalidInput', `There is a campaign ${inSentence(name)} already.`, {
    hint: remark`Take another name, or add rows to that one. See it: ${command('campaigns', 'get', name)}`,
  });
}

/** Returns the campaign of a file as it is to be shown, or undefined if there is none. */
function read(path: string): StoredCampaign | undefined {
  const stored = new CampaignFile(path).read();
  const mark = stored && readMark(path, stored.campaign);
  if (!stored || !mark) return stored;
  const { campaign, rows } = stored;
  if (mark.state !== 'cancelled') return { campaign, rows, mark };
  const because = `the campaign was cancelled at ${mark.at}`;
  const shown = rows.map((row) =>
    row.state === 'planned' ? { ...row, state: 'skipped' as const, reason: 'cancelled', because } : row,
  );
  return { campaign, rows: shown, mark };
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
