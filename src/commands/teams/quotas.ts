import type { quotaNames as contractNames } from '../../contract/teams.ts';
import { usageFailure } from '../../errors.ts';
import { formed, manyOptions, type Parse, pair, ValueError } from '../../input/options.ts';

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

/** A quota as it was typed. */
interface Quota {
  readonly name: QuotaName;
  readonly value: number;
  /** The value is added to what is there. */
  readonly relative: boolean;
}

const quota: Parse<Quota> = (raw) => {
  const { name: written, value } = pair(raw);
  const name = quotaNames.find((candidate) => candidate === written.trim().toLowerCase());
  if (name === undefined) throw new ValueError(`must be one of ${quotaNames.join(', ')}, not "${written}"`);
  if (!/^\d+$/.test(value.trim()) || !Number.isSafeInteger(Number(value))) {
    throw new ValueError(`must give ${name} a whole number of at least 0, not "${value}"`);
  }
  return { name, value: Number(value), relative: false };
};

/** `bots=3`, or `bots=+3` and `bots=-3` for so many more or fewer. */
const quotaChange: Parse<Quota> = (raw) => {
  const { name, value } = pair(raw);
  const signed = /^[+-](?=\d)/.exec(value.trim());
  if (!signed) return quota(raw);
  const [sign] = signed;
  const amount = quota(`${name}=${value.trim().slice(1)}`);
  return { name: amount.name, value: sign === '-' ? -amount.value : amount.value, relative: true };
};

/** Begins with the name of a quota. */
const form = { kind: 'pair', words: quotaNames.map((name) => ({ name })) } as const;

/** `--quota bots=3`, once for each quota. */
export const quotaOption = manyOptions(
  '--quota <name=number>',
  `a quota: ${quotaNames.join(', ')}`,
  formed(form, quota),
);

/** `--quota bots=3` or `--quota bots=+3`, once for each quota. */
export const quotaChangeOption = manyOptions(
  '--quota <name=number>',
  `a quota, or by how much it changes (bots=+5, bots=-2): ${quotaNames.join(', ')}`,
  formed(form, quotaChange),
);

/**
 * The quotas that were typed, by name; undefined where there are none.
 * @throws Failure `usage` for one that was given twice
 */
export function givenQuotas(given: readonly Quota[]): Quotas | undefined {
  checkOnce(given);
  return given.length === 0 ? undefined : Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** @throws Failure `usage` for a quota that was given twice */
export function checkOnce(given: readonly Quota[]): void {
  const twice = quotaNames.filter((name) => given.filter((one) => one.name === name).length > 1);
  if (twice.length > 0) throw usageFailure(twice.map((name) => `--quota gives ${name} more than once.`));
}

/**
 * What the typed quotas come to, given those that the team shows.
 * @throws Failure `usage` for a change to a quota that isn't shown, and for one that leads below 0
 */
export function changedTo(given: readonly Quota[], shown: Quotas): Quotas | undefined {
  const problems: string[] = [];
  const values = given.map(({ name, value, relative }): Quota => {
    const now = shown[name];
    const by = value < 0 ? `-${-value}` : `+${value}`;
    if (!relative) return { name, value, relative };
    if (now === undefined) {
      problems.push(
        `The service doesn't show the quota ${name}, so ${by} leads nowhere: give the number itself, as in --quota ${name}=10.`,
      );
      return { name, value: 0, relative: false };
    }
    if (now + value < 0) problems.push(`--quota can't lower ${name} by ${-value}: it is ${now}.`);
    return { name, value: now + value, relative: false };
  });
  if (problems.length > 0) throw usageFailure(problems);
  return givenQuotas(values);
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
