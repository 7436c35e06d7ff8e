import type { Row } from '../command.ts';
import { formed, manyOptions, type Option, type Parse, ValueError } from '../input/options.ts';
import { fold } from '../names/fold.ts';
import { isId } from '../names/match-name.ts';
import type { Fields } from '../terminal/fields.ts';
import { isoTime, parseTime } from '../terminal/time.ts';
import { hasMembers, isEmpty } from '../terminal/values.ts';
import { flagOf } from './filters.ts';
import { type Member, memberOf } from './members.ts';

/** Whether a row is wanted. */
export type Condition = (row: Row) => boolean;

/** The option `--where` of a list with these fields. */
export function whereOption(fields: Fields): Option<readonly Condition[]> {
  return manyOptions(
    '--where <field=value>',
    'only rows with this value; != for the others',
    formed({ kind: 'pair', words: fields }, condition(fields)),
  );
}

/**
 * A condition as it is typed: `published=yes`, `role!=sales`, `created_at=2026-11`, `vector_id=` for those
 * without one. Text is compared without case and accents, numbers as numbers, a time by as much of it as is given.
 */
function condition(fields: Fields): Parse<Condition> {
  return (raw) => {
    const [, typed = '', sign, wanted = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(raw) ?? [];
    if (sign === undefined) throw new ValueError(`must be FIELD=VALUE or FIELD!=VALUE, not "${raw}"`);
    const member = memberOf(fields, typed.trim());
    const test = testFor(member, wanted);
    return sign === '=' ? (row) => test(member.valueIn(row)) : (row) => !test(member.valueIn(row));
  };
}

type Test = (shown: unknown) => boolean;

function testFor({ name, kind }: Member, wanted: string): Test {
  // As JSON shows what isn't there, and as TSV does.
  if (wanted.trim() === '' || wanted === 'null') return isEmpty;
  const value = { text: fold(wanted), number: Number(wanted), flag: flagOf(wanted) };
  if (kind === 'flag' && value.flag === undefined) {
    throw new ValueError(`must say yes or no for ${name}, not "${wanted}"`);
  }
  if ((kind === 'number' || kind === 'bytes') && Number.isNaN(value.number)) {
    throw new ValueError(`must give a number for ${name}, not "${wanted}"`);
  }
  if (kind === 'id') checkId(name, wanted.trim());
  if (kind === 'time') return timeTest(name, wanted.trim());
  const test: Test = (shown) => {
    if (typeof shown === 'boolean') return shown === value.flag;
    if (typeof shown === 'number') return shown === value.number;
    if (Array.isArray(shown)) return shown.some(test);
    if (hasMembers(shown)) return JSON.stringify(shown) === wanted;
    if (isEmpty(shown)) return false;
    const text = String(shown);
    if (kind === 'flag') return flagOf(text) === value.flag;
    return kind === 'number' || kind === 'bytes' ? Number(text) === value.number : fold(text) === value.text;
  };
  return test;
}

/**
 * Only a key has an id that is no UUID (api.md, convention 1).
 * @throws ValueError that says how to go by a name instead
 */
function checkId(name: string, wanted: string): void {
  if (isId(wanted) || (name === 'key_id' && /^\S+$/.test(wanted))) return;
  const wayOut =
    name === 'team_id' ? '; use --team for a name' : name === 'id' ? '; use name= for a name' : '';
  throw new ValueError(`must give an id for ${name}, not "${wanted}"${wayOut}`);
}

/** A date, or the beginning of one, in UTC: a year, a month, a day, an hour, a minute or a second. */
const beginning = /^\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?)?)?$/;

function timeTest(name: string, wanted: string): Test {
  const moment = parseTime(wanted);
  if (moment !== undefined) return (shown) => parseTime(shown) === moment;
  if (!beginning.test(wanted)) {
    throw new ValueError(
      `must give a time for ${name}, such as 2026-11-21 or 2026-11-21T09:30:00Z, not "${wanted}"`,
    );
  }
  const start = wanted.replace(' ', 'T');
  return (shown) => {
    const shownMoment = parseTime(shown);
    return shownMoment !== undefined && isoTime(shownMoment).startsWith(start);
  };
}
