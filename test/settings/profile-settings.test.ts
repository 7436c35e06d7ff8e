import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { ValueError } from '../../src/lib/parse.ts';
import { queryMembers } from '../../src/settings/list-query.ts';
import { checkQueryNames, isQueryName, namesForClient } from '../../src/settings/profile-settings.ts';

test('every query parameter of the contract can be renamed, and no other', () => {
  const declared = Object.values<Endpoint>(endpoints).flatMap(({ query }) =>
    Object.keys(query?.def.shape ?? {}),
  );
  const named = namesForClient(Object.fromEntries(queryMembers.map((member) => [member, member])));
  expect(new Set(Object.keys(named))).toEqual(new Set(declared));
});

test('only the named ones differ from the contract', () => {
  expect(namesForClient()).toEqual({});
  expect(namesForClient({ page: 'p', team: 'teamId' })).toEqual({ page: 'p', team_id: 'teamId' });
});

test.each([{ page: 'limit' }, { page: 'x', limit: 'x' }, { type: 'team_id' }])(
  'two parameters with one name are refused: %j',
  (names) => {
    expect(() => checkQueryNames(names)).toThrow(ValueError);
  },
);

test('names may be swapped', () => {
  expect(() => checkQueryNames({ page: 'limit', limit: 'page' })).not.toThrow();
});

test.each([
  ['page', true],
  ['page[number]', true],
  ['$top', true],
  ['filter.name', true],
  ['', false],
  ['a b', false],
  ['a=b', false],
  ['a&b', false],
  ['é', false],
])('%j is a valid name: %j', (text, is) => {
  expect(isQueryName(text)).toBe(is);
});
