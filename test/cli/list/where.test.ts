import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Condition, parseCondition } from '../../../src/cli/list/where.ts';
import { ValueError } from '../../../src/lib/parse.ts';
import type { Fields } from '../../../src/output/fields.ts';

const fields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'name' },
  { name: 'published', kind: 'flag' },
  { name: 'chars', kind: 'number' },
  { name: 'size', kind: 'bytes' },
  { name: 'created_at', kind: 'time' },
  { name: 'quotas.bots', kind: 'number' },
  { name: 'team_id', kind: 'id' },
  { name: 'key_id', kind: 'id' },
];

/** Parses a condition as typed. */
function parsed(typed: string): Condition {
  return parseCondition(typed, fields);
}

const condition = (typed: string): Condition['holds'] => parsed(typed).holds;

describe('--where', () => {
  it.each([
    ['published=yes', { published: 1 }, true],
    ['published=no', { published: 'draft' }, false],
    ['name=Acme', { name: 'Acme' }, true],
    ['name=acme', { name: 'Acme' }, false],
    ['name=Ação', { name: 'Acao' }, false],
    ['name=Ação', { name: 'Ação'.normalize('NFD') }, false],
    ['name=Acme', { name: 'Acme ' }, false],
    ['name= Acme', { name: 'Acme' }, false],
    ['name!=Acme', { name: 'ACME' }, true],
    ['name!=Acme', { name: 'Acme' }, false],
    ['name=null', { name: 'null' }, true],
    ['name=null', {}, false],
    ['name~acm', { name: 'ACMÉ Norte' }, true],
    ['name~NORTE', { name: 'Acmé nórte' }, true],
    ['name~sul', {}, false],
    ['name~null', { name: null }, false],
    ['name~=', { name: 'a=b' }, true],
    ['name=a~b', { name: 'a~b' }, true],
    ['.tags~ne', { tags: ['old', 'New'] }, true],
    ['.tags~ne', { tags: ['old', { a: 'new' }] }, false],
    ['.settings~a', { settings: { a: 1 } }, false],
    ['key_id=key_1', { key_id: 'KEY_1' }, false],
    ['name=a=b', { name: 'a=b' }, true],
    ['id=0F8FAD5B-D9CB-469F-A165-70867728950E', { id: '0f8fad5b-d9cb-469f-a165-70867728950e' }, true],
    ['team_id=', {}, true],
    ['published=yes', { published: true }, true],
    ['published=no', { published: 'false' }, true],
    ['published=no', { published: 0 }, true],
    ['chars=10', { chars: 10 }, true],
    ['chars=1e1', { chars: '10' }, true],
    ['created_at=2026-03-04', { created_at: '2026-03-05T01:00:00+02:00' }, true],
    ['created_at=2026-03-04 05:06', { created_at: '2026-03-04T05:06:59Z' }, true],
    ['created_at=2026-03-04T05:06:07Z', { created_at: '2026-03-04T07:06:07+02:00' }, true],
    ['created_at=2026-03-05', { created_at: '2026-03-04T05:06:07Z' }, false],
    ['quotas.bots=3', { quotas: { bots: 3 } }, true],
    ['.surprise=7', { surprise: 7 }, true],
    ['.tags=New', { tags: ['old', 'New'] }, true],
    ['.tags=new', { tags: ['old', 'New'] }, false],
    ['.settings={"a":1}', { settings: { a: 1 } }, true],
  ])('%s of %j: %j', (typed, row, expected) => {
    expect(condition(typed)(row)).toBe(expected);
  });

  it.each([
    ['team_id=Aurora Coffee', 'team_id, not "Aurora Coffee"; use --team for a name'],
    ['id=0f8fad5b', 'needs an id for id'],
    ['key_id=my key', 'needs an id for key_id'],
  ])('accepts only an id for an id: %s', (typed, words) => {
    expect(() => condition(typed)).toThrow(ValueError);
    expect(() => condition(typed)).toThrow(words);
  });

  it.each(['name=', 'published=', 'chars=', 'created_at='])(
    'with an empty value finds missing values: %s',
    (typed) => {
      const [name = ''] = typed.split('=');
      for (const row of [{}, { [name]: null }, { [name]: '' }]) {
        expect(condition(typed)(row)).toBe(true);
        expect(condition(typed.replace('=', '!='))(row)).toBe(false);
      }
      expect(condition(typed)({ [name]: 'something' })).toBe(false);
    },
  );

  it('accepts a row without the value only for !=', () => {
    for (const typed of ['name=x', 'published=no', 'chars=0', 'created_at=2026']) {
      expect(condition(typed)({})).toBe(false);
      expect(condition(typed.replace('=', '!='))({})).toBe(true);
    }
  });

  it.each([
    ['name', 'FIELD=VALUE'],
    ['name!~x', 'FIELD=VALUE'],
    ['name~', 'needs a text after ~: name~PART'],
    ['chars~1', 'can use ~ only with text, and chars is not text. Write chars=VALUE'],
    ['created_at~2026', 'only with text'],
    ['chars=null', 'needs a number for chars, not "null"'],
    ['published=null', 'needs yes or no for published, not "null"'],
    ['=x', 'must begin with the name of a field'],
    ['nmae=x', 'must name a field, not "nmae". Did you mean name? The fields are'],
    ['published=maybe', 'needs yes or no for published, not "maybe"'],
    ['chars=many', 'needs a number for chars, not "many"'],
    ['created_at=yesterday', 'needs a time for created_at, such as 2026-11-21'],
  ])('refuses %s', (typed, message) => {
    expect(() => condition(typed)).toThrow(ValueError);
    expect(() => condition(typed)).toThrow(message);
  });

  it('and its negation partition the rows', () => {
    const row = fc.dictionary(fc.constantFrom('name', 'published', 'chars', 'created_at'), fc.jsonValue());
    const typed = fc.constantFrom(
      'name=a',
      'name=',
      'published=no',
      'chars=0',
      'created_at=2026',
      '.other=1',
    );
    fc.assert(
      fc.property(row, typed, (shown, text) => {
        expect(condition(text)(shown)).toBe(!condition(text.replace('=', '!='))(shown));
      }),
    );
  });

  it('finds every text that is in a row, and no other', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('null', ' ', 'Ação', 'acao', 'Acao'),
    );
    fc.assert(
      fc.property(name, name, (wanted, shown) => {
        expect(condition(`name=${wanted}`)({ name: wanted })).toBe(true);
        expect(condition(`name=${wanted}`)({ name: shown })).toBe(wanted === shown);
      }),
    );
  });

  it.each([
    ['name=Acme', { member: 'name', value: 'Acme' }],
    ['published=yes', { member: 'published', value: true }],
    [
      'team_id=0f8fad5b-d9cb-469f-a165-70867728950e',
      { member: 'team_id', value: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    ],
    ['name=50%', undefined],
    ['name=a_b', undefined],
    ['name=a\\b', undefined],
    ['name=', undefined],
    ['name~Acme', undefined],
    ['chars=1', undefined],
    ['.name=Acme', undefined],
  ])('%s lets the service be asked for %j', (typed, query) => {
    expect(parsed(typed).query).toEqual(query);
  });
});
