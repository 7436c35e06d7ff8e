import { exactJson } from '../../lib/exact-json.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { ownMember } from '../../lib/json-object.ts';
import { flagOf, ValueError } from '../../lib/parse.ts';
import { fold, isSafeSearchText } from '../../lib/text/compare.ts';
import { isoTime, parseTime } from '../../lib/time.ts';
import type { FieldKind, Fields, Row } from '../../output/fields.ts';
import { hasMembers, isAnyMember, isEmpty } from '../../output/values.ts';
import { isNumeric, type Member, memberOf } from './field-path.ts';

/** A condition on rows. */
export interface Condition {
  holds(row: Row): boolean;
  /**
   * A filter for the service: a member, and the value that every matching row has in it. Undefined if there is none.
   */
  readonly query?: { readonly member: string; readonly value: string | boolean } | undefined;
}

/**
 * Parses a condition of `--where` for rows with these fields: `published=yes`, `role!=sales`, `name~desk`,
 * `created_at=2026-11`, `vector_id=` for rows without a value. Text must have the same code points, numbers are
 * compared as numbers, and a time matches to the given precision; `~` finds a part of a text, ignoring case and
 * accents.
 * @throws ValueError
 */
export function parseCondition(raw: string, fields: Fields): Condition {
  const [, typed = '', sign, wanted = ''] = /^([^=~]*?)(!?[=~])(.*)$/s.exec(raw) ?? [];
  if (sign === undefined || sign === '!~') {
    throw new ValueError(`must be FIELD=VALUE, FIELD!=VALUE or FIELD~PART, not "${raw}"`);
  }
  const member = memberOf(fields, typed.trim());
  if (sign === '~') {
    const holdsPart = partTest(member, wanted);
    return { holds: (row) => holdsPart(member.valueIn(row)) };
  }
  const test = testFor(member, wanted);
  const isNot = sign === '!=';
  // A typo in an undeclared path would make every row differ.
  const needsValue = isNot && member.kind === undefined && !isAnyMember(typed.trim());
  return {
    holds: (row) => {
      const shown = member.valueIn(row);
      return test(shown) !== isNot && !(needsValue && shown === undefined);
    },
    query: isNot ? undefined : queryFor(member, wanted),
  };
}

/** Returns the condition that one of some members of a row contains a text, ignoring case and accents. */
export function containing(text: string, members: readonly string[]): Condition {
  const wanted = fold(text);
  return {
    holds: (row) =>
      members.some(
        (member) => !isEmpty(ownMember(row, member)) && fold(String(ownMember(row, member))).includes(wanted),
      ),
  };
}

type Test = (shown: unknown) => boolean;

function testFor({ name, kind }: Member, wanted: string): Test {
  if (wanted === '') return isEmpty;
  const value = { number: numberOf(wanted), flag: flagOf(wanted) };
  if (kind === 'flag' && value.flag === undefined) {
    throw new ValueError(`needs yes or no for ${name}, not "${wanted}"`);
  }
  if (isNumeric(kind) && Number.isNaN(value.number)) {
    throw new ValueError(`needs a number for ${name}, not "${wanted}"`);
  }
  if (kind === 'id') checkId(name, wanted.trim());
  if (kind === 'time') return timeTest(name, wanted.trim());
  const test: Test = (shown) => {
    if (Array.isArray(shown)) return shown.some(test);
    if (kind === 'flag' && !isEmpty(shown)) return flagOf(shown) === value.flag;
    if (typeof shown === 'boolean') return shown === value.flag;
    if (typeof shown === 'number') return shown === value.number;
    if (hasMembers(shown)) return exactJson(shown) === wanted;
    if (isEmpty(shown)) return false;
    const text = String(shown);
    if (kind === 'id') return isSameId(text, wanted.trim());
    return isNumeric(kind) ? Number(text) === value.number : text === wanted;
  };
  return test;
}

/**
 * Returns a test that a value, or one value of a list, contains a part, ignoring case and accents.
 * @throws ValueError if the field is not text, or the part is empty
 */
function partTest({ name, kind }: Member, part: string): Test {
  if (kind !== undefined && !textKinds.has(kind)) {
    throw new ValueError(`can use ~ only with text, and ${name} is not text. Write ${name}=VALUE`);
  }
  const wanted = fold(part);
  if (wanted === '') throw new ValueError(`needs a text after ~: ${name}~PART`);
  const test: Test = (shown) => {
    if (Array.isArray(shown)) return shown.some(test);
    return !isEmpty(shown) && !hasMembers(shown) && fold(String(shown)).includes(wanted);
  };
  return test;
}

const textKinds: ReadonlySet<FieldKind> = new Set(['text', 'phone', 'state', 'command']);

/** Returns NaN for blank text, which JavaScript converts to 0. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/**
 * Returns the filter to send to the service, so that it returns fewer rows. Returns undefined if the service may find
 * other rows, for example because it treats the text as a pattern.
 */
function queryFor({ name: member, kind }: Member, wanted: string): Condition['query'] {
  if (wanted === '' || kind === undefined) return undefined;
  if (kind === 'flag') {
    const value = flagOf(wanted);
    return value === undefined ? undefined : { member, value };
  }
  if (kind === 'id') return { member, value: wanted.trim() };
  return kind === 'text' && isSafeSearchText(wanted) ? { member, value: wanted } : undefined;
}

/**
 * Checks that a text is an id. Only keys have ids that are not UUIDs (specification, convention 1).
 * @throws ValueError that says how to use a name instead
 */
function checkId(name: string, wanted: string): void {
  if (isId(wanted) || (name === 'key_id' && /^\S+$/.test(wanted))) return;
  const wayOut =
    name === 'team_id' ? '; use --team for a name' : name === 'id' ? '; use name= for a name' : '';
  throw new ValueError(`needs an id for ${name}, not "${wanted}"${wayOut}`);
}

/** A date, or the beginning of one, in UTC: a year, a month, a day, an hour, a minute or a second. */
const datePrefix = /^\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?)?)?$/;

function timeTest(name: string, wanted: string): Test {
  const moment = parseTime(wanted);
  if (moment !== undefined) return (shown) => parseTime(shown) === moment;
  if (!datePrefix.test(wanted)) {
    throw new ValueError(
      `needs a time for ${name}, such as 2026-11-21 or 2026-11-21T09:30:00Z, not "${wanted}"`,
    );
  }
  const start = wanted.replace(' ', 'T');
  return (shown) => {
    const shownMoment = parseTime(shown);
    return shownMoment !== undefined && isoTime(shownMoment).startsWith(start);
  };
}
