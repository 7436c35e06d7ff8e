import type { quotaNames as contractNames } from '../../contract/teams.ts';
import { usageFailure } from '../../errors.ts';
import { manyOptions, type Parse, pair, ValueError } from '../../options.ts';

/** The quotas of a team, written out once more because the contract loads its schemas; the types are tied. */
export const quotaNames: typeof contractNames = [
  'bots',
  'accounts',
  'characters',
  'documents',
  'members',
  'credits',
];

export type QuotaName = (typeof quotaNames)[number];

/** Quotas by name; those that are absent were not given or not shown. */
export type Quotas = Readonly<Partial<Record<QuotaName, number>>>;

interface Quota {
  readonly name: QuotaName;
  readonly value: number;
}

const quota: Parse<Quota> = (raw) => {
  const { name: written, value } = pair(raw);
  const name = quotaNames.find((candidate) => candidate === written.trim().toLowerCase());
  if (name === undefined) throw new ValueError(`must be one of ${quotaNames.join(', ')}, not "${written}"`);
  if (!/^\d+$/.test(value.trim()) || !Number.isSafeInteger(Number(value))) {
    throw new ValueError(`must give ${name} a whole number of at least 0, not "${value}"`);
  }
  return { name, value: Number(value) };
};

/** `--quota bots=3`, once for each quota. */
export const quotaOption = manyOptions('--quota <name=number>', `a quota: ${quotaNames.join(', ')}`, quota);

/**
 * The quotas that were typed, by name; undefined where there are none.
 * @throws Failure `usage` for one that was given twice
 */
export function givenQuotas(given: readonly Quota[]): Quotas | undefined {
  const twice = quotaNames.filter((name) => given.filter((one) => one.name === name).length > 1);
  if (twice.length > 0) throw usageFailure(twice.map((name) => `--quota gives ${name} more than once.`));
  return given.length === 0 ? undefined : Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** The quotas that a team shows, be it as numbers or as their text. */
export function shownQuotas(shown: unknown): Quotas {
  if (typeof shown !== 'object' || shown === null) return {};
  const values = new Map<string, unknown>(Object.entries(shown));
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const value = String(values.get(name));
      return /^\d+$/.test(value) ? [[name, Number(value)]] : [];
    }),
  );
}
