import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure, inputFailure } from '../lib/errors.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { unreadable, unwritable } from '../lib/files/file-failure.ts';
import { replacePrivateFile, writeNewPrivateFile } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/in-sentence.ts';
import { command, remark } from '../lib/text/remark.ts';
import { shellWord } from '../lib/text/shell-word.ts';
import { fileHash, readIfThere } from '../settings/files.ts';
import { rowStates } from './campaign.ts';
import { inTurn } from './in-turn.ts';
import { campaignDirectory, campaignExtension } from './names.ts';
import type { CampaignStore, StoredCampaign } from './store.ts';

const text = z.optional(z.string());
const count = z.int().check(z.nonnegative());

const headSchema = z.strictObject({
  version: z.literal(1),
  name: z.string(),
  origin: z.string(),
  created_at: z.string(),
  made_on: z.strictObject({ host: z.string(), pid_namespace: text }),
  devices: z.array(z.strictObject({ id: z.string(), name: text, number: z.string() })),
  message: text,
  options: z.strictObject({
    send_as_audio: z.optional(z.literal(true)),
    ai_generates_message: z.optional(z.literal(true)),
    image_url: text,
    image_mime_type: text,
  }),
  gap: z.strictObject({ shortest: count, longest: count }),
  columns: z.array(z.string()),
  to_column: z.string(),
  key_column: text,
  sources: z.array(z.strictObject({ file: z.string(), sha256: z.string() })),
});

const rowSchema = z.strictObject({
  row: count,
  line: count,
  cells: z.array(z.nullable(z.string())),
  state: z.enum(rowStates),
  reason: z.optional(z.enum(['opted_out', 'duplicate', 'duplicate_key', 'invalid'])),
  because: text,
  to: text,
  key: text,
  device: z.optional(count),
  text,
});

const endSchema = z.strictObject({ end: count });

/**
 * Keeps each campaign in a file of JSON lines: what is frozen, then its rows, then how many they are.
 * @param data the directory of botctl's data
 * @param signal ends the waiting for another process
 */
export function createFileStore(data: string, signal: AbortSignal): CampaignStore {
  const directory = join(data, campaignDirectory);
  // An accent may be a character of its own, or part of the letter: a person sees one name.
  const fileOf = (origin: string, name: string): string =>
    join(directory, fileHash(JSON.stringify([origin, name.normalize('NFC')])) + campaignExtension);
  const inTurnOf = <T>(file: string, name: string, work: (stored: StoredCampaign) => T): Promise<T> =>
    inTurn(file, `campaign ${inSentence(name)}`, signal, () => {
      const stored = read(file);
      if (!stored) throw noCampaign(name);
      return work(stored);
    });
  return {
    async create(stored) {
      const { origin, name } = stored.campaign;
      const file = fileOf(origin, name);
      try {
        writeNewPrivateFile(file, written(stored));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw unwritable(file, error);
        throw nameTaken(name);
      }
    },
    list: async (origin) =>
      filesIn(directory)
        .flatMap((file) => read(file) ?? [])
        .filter(({ campaign }) => campaign.origin === origin)
        .sort((one, other) => (one.campaign.created_at < other.campaign.created_at ? -1 : 1)),
    get: async (origin, name) => read(fileOf(origin, name)),
    change(origin, name, change) {
      const file = fileOf(origin, name);
      return inTurnOf(file, name, (stored) => {
        const changed = change(stored);
        try {
          replacePrivateFile(file, written(changed));
        } catch (error) {
          throw unwritable(file, error);
        }
        return changed;
      });
    },
    delete(origin, name) {
      const file = fileOf(origin, name);
      return inTurnOf(file, name, () => {
        try {
          rmSync(file);
        } catch (error) {
          throw unwritable(file, error);
        }
      });
    },
  };
}

/** Returns the failure for a campaign that is not there. */
export function noCampaign(name: string): Failure {
  return new Failure('notFound', `There is no campaign ${inSentence(name)} for this service.`, {
    hint: remark`See those that there are: ${command('campaigns', 'list')}`,
  });
}

/** Returns the failure for a campaign whose name another one has. */
export function nameTaken(name: string): Failure {
  return new Failure('invalidInput', `There is a campaign ${inSentence(name)} already.`, {
    hint: remark`Take another name, or add rows to that one. See it: ${command('campaigns', 'get', name)}`,
  });
}

function written({ campaign, rows }: StoredCampaign): string {
  const lines = [{ version: 1, ...campaign }, ...rows, { end: rows.length }];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Returns the campaign of a file, or undefined if there is none. */
function read(file: string): StoredCampaign | undefined {
  const whole = textOf(file);
  if (whole === undefined) return undefined;
  const [first = '', ...others] = whole.trimEnd().split('\n');
  const last = others.pop() ?? '';
  const head = parseJson(first);
  if (isObject(head) && typeof head.version === 'number' && head.version > 1)
    throw damaged(file, 'a newer botctl wrote it');
  const { version: _, ...campaign } = parsed(headSchema, head, file, 1);
  const rows = others.map((line, at) => parsed(rowSchema, parseJson(line), file, at + 2));
  const { end } = parsed(endSchema, parseJson(last), file, rows.length + 2);
  if (end !== rows.length) throw damaged(file, `it has ${rows.length} rows in the place of ${end}`);
  return { campaign, rows };
}

function textOf(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, file: string, line: number): T {
  const checked = z.safeParse(schema, value);
  if (checked.success) return checked.data;
  throw damaged(file, `line ${line} is none of a campaign`);
}

function damaged(file: string, why: string): Failure {
  return inputFailure(
    [`${file} can't be read: ${why}.`],
    remark`It is a campaign. Take it back from a backup, or remove it: rm ${shellWord(file)}`,
  );
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
