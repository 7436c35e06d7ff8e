import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import { isObject, parseJson } from '../../lib/json-object.ts';
import { canonicalForm } from '../../phone-numbers/number-forms.ts';
import type { Campaign, CampaignRow, RowStatus } from '../campaign.ts';
import { campaignSchema, rowSchema } from '../stored-schemas.ts';
import type { CampaignRowTable } from './tables.ts';

/** Serializes a campaign. @throws ZodError if it could not be parsed again */
export function frozenText(campaign: Campaign): string {
  return JSON.stringify(z.parse(campaignSchema, campaign));
}

/** Parses a stored campaign, or returns undefined if it is damaged. */
export function campaignOf(frozen: string): Campaign | undefined {
  return z.safeParse(campaignSchema, parseJson(frozen)).data;
}

/** The columns that `rowOf` reads. */
export const rowColumns = [
  'row',
  'device',
  'state',
  'frozen',
  'reason',
  'because',
  'at',
  'attempts',
] as const satisfies readonly (keyof CampaignRowTable)[];

/** Parses a stored row, or returns undefined if it is damaged. */
export function rowOf(
  stored: Pick<Selectable<CampaignRowTable>, (typeof rowColumns)[number]>,
): CampaignRow | undefined {
  const frozen = parseJson(stored.frozen);
  if (!isObject(frozen)) return undefined;
  const { row, device, state, reason, because, at, attempts } = stored;
  const { line, cells, to, key, text } = frozen;
  const members = { row, device, state, reason, because, at, attempts, line, cells, to, key, text };
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return z.safeParse(rowSchema, Object.fromEntries(present)).data;
}

/** Returns the stored form of a row. */
export function storedRow(campaign: string, made: CampaignRow) {
  const { row, device, attempts, state, to, reason, because, at, line, cells, key, text } = made;
  // The columns of the number and the key are unique, so they are empty for a row that repeats another one.
  const isRepeat = reason === 'duplicate' || reason === 'duplicate_key';
  return {
    ...{ campaign, row, state },
    ...{ device: device ?? null, attempts: attempts ?? null, at: at ?? null },
    ...{ reason: storableText(reason), because: storableText(because) },
    form: to === undefined || isRepeat ? null : canonicalForm(to),
    key_digest: key === undefined || isRepeat ? null : keyDigest(key),
    frozen: JSON.stringify({ line, cells, to, key, text }),
  };
}

/** Returns 128 bits of the digest of a key, as hexadecimal digits. A key itself may be too long for an index. */
export function keyDigest(key: string): string {
  // 004_one_store.sql computes the same digest from stored rows.
  return hash('sha256', JSON.stringify(key)).slice(0, 32);
}

/** Returns the status of a row from its columns. */
export function rowStatusOf({
  row,
  state,
  device,
  attempts,
}: Pick<Selectable<CampaignRowTable>, 'row' | 'state' | 'device' | 'attempts'>): RowStatus {
  return { row, state, device: device ?? undefined, attempts: attempts ?? undefined };
}

/** Returns a text that both engines can store: without the character 0, and with unpaired surrogates replaced. */
export function storableText(text: string | undefined): string | null {
  return text === undefined ? null : Buffer.from(text.replaceAll('\0', '')).toString();
}
