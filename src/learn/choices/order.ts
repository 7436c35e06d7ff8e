import { own } from '../../lib/json-object.ts';
import { fold } from '../../lib/text/compare.ts';
import { counted } from '../../lib/text/numbers.ts';
import { parseTime } from '../../lib/time.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { fullest, lists, sampleOf } from '../lists.ts';

/** Fewer rows, or fewer values of a member, are in some order by chance. */
const fewest = 8;

/** By what lists are ordered. */
export const order: Choice = {
  name: 'order of lists',
  specification: 'not shown',
  section: 'order',
  async learn(service) {
    const { name } = await fullest(service);
    const { rows } = (await sampleOf(service, name)).heard;
    if (rows.length < fewest)
      return unknown(
        `${counted(rows.length, 'row')} of ${lists[name]} may be in any order by chance.`,
        `${fewest} teams, bots or documents.`,
      );
    const members = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const found = members.flatMap((member) => {
      const values = rows.map((row) => own(row, member));
      const direction = directionOf(values);
      return direction === undefined
        ? []
        : [{ member, direction, values: JSON.stringify(values), distinct: new Set(values).size }];
    });
    const [first] = found.filter(({ distinct }) => distinct >= fewest);
    if (!first && found.length > 0)
      return unknown(
        `The ${rows.length} ${lists[name]} are in order only by ${told(found)}, of too few values to tell it from chance.`,
        'Other rows.',
      );
    if (!first) return unknown(`No member of the ${rows.length} ${lists[name]} is in order.`, 'Other rows.');
    if (found.some(({ values }) => values !== first.values))
      return unknown(
        `The ${rows.length} ${lists[name]} are in order by each of ${told(found)}.`,
        'Rows that these put in another order.',
      );
    const by = found.map(({ member }) => shownName(member));
    const words = first.direction === 'asc' ? 'from the first to the last' : 'from the last to the first';
    return known(
      `${lists[name]} by ${by.join(' or ')}, ${words}`,
      { list: lists[name], by, direction: first.direction },
      `${counted(rows.length, 'row')} of ${lists[name]} are in that order, and in no other one.`,
    );
  },
};

function told(found: readonly { readonly member: string }[]): string {
  return found.map(({ member }) => shownName(member)).join(', ');
}

/** Returns the direction in which values are in order, or undefined if they are in none, or all the same. */
function directionOf(values: readonly unknown[]): 'asc' | 'desc' | undefined {
  const isText = values.every((value) => typeof value === 'string');
  const isNumber = values.every((value) => typeof value === 'number' || typeof value === 'boolean');
  if (!isText && !isNumber) return undefined;
  const ways: ((value: unknown) => string | number)[] = isNumber
    ? [Number]
    : values.every((value) => parseTime(value) !== undefined)
      ? [(value) => parseTime(value) ?? 0]
      : [String, (value) => fold(String(value))];
  const orders = [
    ...ways.map((way) => orderBy(values.map(way), compare)),
    ...(isText ? [collated(values.map(String))] : []),
  ];
  return orders.find((one) => one !== undefined);
}

/** Databases order text in the way of a language, and that in two: with what is no letter, or without. */
function collated(values: readonly string[]): 'asc' | 'desc' | undefined {
  const collators = [new Intl.Collator('en'), new Intl.Collator('en', { ignorePunctuation: true })];
  return collators.map((collator) => orderBy(values, collator.compare)).find((one) => one !== undefined);
}

function orderBy<T>(values: readonly T[], compareTwo: (a: T, b: T) => number): 'asc' | 'desc' | undefined {
  const steps = values.slice(1).flatMap((value, at) => {
    const before = values[at];
    return before === undefined ? [] : [Math.sign(compareTwo(before, value))];
  });
  if (steps.every((step) => step === 0)) return undefined;
  if (steps.every((step) => step <= 0)) return 'asc';
  return steps.every((step) => step >= 0) ? 'desc' : undefined;
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
