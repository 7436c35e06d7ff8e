import type { quotaNames as contractNames } from '../../contract/teams.ts';
import { inputFailure } from '../../lib/errors.ts';
import { type Parse, pair, ValueError } from '../../lib/parse.ts';

/** The names of a team's quotas, repeated because the contract loads its schemas; the types ensure that both agree. */
export const quotaNames: typeof contractNames = [
  'bots',
  'accounts',
  'characters',
  'documents',
  'members',
  'credits',
];

export type QuotaName = (typeof quotaNames)[number];

/** Quotas by name; missing ones were not given or not shown. */
export type Quotas = Readonly<Partial<Record<QuotaName, number>>>;

/** A quota as it was typed. */
export interface Quota {
  readonly name: QuotaName;
  readonly value: number;
  /** True if the value is added to the current one. */
  readonly relative: boolean;
}

/** Parses `bots=3`. */
export const quota: Parse<Quota> = (raw) => {
  const { name: written, value } = pair(raw);
  const name = quotaNames.find((candidate) => candidate === written.trim().toLowerCase());
  if (name === undefined) throw new ValueError(`must be one of ${quotaNames.join(', ')}, not "${written}"`);
  if (!/^\d+$/.test(value.trim()) || !Number.isSafeInteger(Number(value))) {
    throw new ValueError(`must be a whole number of at least 0 for ${name}, not "${value}"`);
  }
  return { name, value: Number(value), relative: false };
};

/** Parses `bots=3`, or `bots=+3` and `bots=-3` for a change. */
export const quotaChange: Parse<Quota> = (raw) => {
  const { name, value } = pair(raw);
  const signed = /^[+-](?=\d)/.exec(value.trim());
  if (!signed) return quota(raw);
  const [sign] = signed;
  const amount = quota(`${name}=${value.trim().slice(1)}`);
  return { name: amount.name, value: sign === '-' ? -amount.value : amount.value, relative: true };
};

/**
 * Returns the typed quotas by name, or undefined if there are none.
 * @throws Failure `invalidInput` for a duplicate
 */
export function toQuotas(given: readonly Quota[]): Quotas | undefined {
  checkOnce(given);
  return given.length === 0 ? undefined : Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** @throws Failure `invalidInput` for a duplicate */
export function checkOnce(given: readonly Quota[]): void {
  const twice = quotaNames.filter((name) => given.filter((one) => one.name === name).length > 1);
  if (twice.length > 0) throw inputFailure(twice.map((name) => `--quota has ${name} more than once.`));
}

/**
 * Returns the new values of the typed quotas, given the current ones.
 * @throws Failure `invalidInput` for a change of a quota that isn't shown, and for a result below 0
 */
export function changedTo(given: readonly Quota[], shown: Quotas): Quotas | undefined {
  const problems: string[] = [];
  const values = given.map((quota): Quota => {
    const { name, value, relative } = quota;
    if (!relative) return quota;
    const now = shown[name];
    const by = value < 0 ? `-${-value}` : `+${value}`;
    if (now === undefined)
      problems.push(
        `The service doesn't show the quota ${name}, so it can't be changed by ${by}. Give the number itself: --quota ${name}=10`,
      );
    else if (now + value < 0) problems.push(`--quota can't lower ${name} by ${-value}: it is ${now}.`);
    return { name, value: (now ?? 0) + value, relative: false };
  });
  if (problems.length > 0) throw inputFailure(problems);
  return toQuotas(values);
}
