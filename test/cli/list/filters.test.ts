import { describe, expect, it } from 'vitest';
import { accepts, requestedFilters } from '../../../src/cli/list/filters.ts';

/** Returns whether a filter for this value accepts a row with that value. */
function lets(member: 'name' | 'team_id' | 'type' | 'paying', wanted: unknown, shown: unknown): boolean {
  const [filter] = requestedFilters({ [member]: wanted });
  if (filter === undefined) throw new Error(`no filter for ${member}`);
  return accepts(filter, { [member]: shown });
}

describe('a filter', () => {
  it('is passed to the service as query parameters', () => {
    const asked = requestedFilters({ name: 'a', paying: undefined, team_id: 'b', other: 'c' });
    expect(asked.map(({ option }) => option)).toEqual(['--name', '--team']);
  });

  it.each([
    ['coffee', 'Aurora Coffee'],
    ['CAFÉ', 'Cafe Aurora'],
    ['cafe', 'CAFÉ AURORA'],
    ['strasse', 'Hauptstraße 5'],
    ['smørrebrød', 'Smorrebrod ApS'],
    ['İstanbul', 'istanbul ofisi'],
    ['ΟΔΟΣ', 'οδος'],
    ['ｆｕｌｌ', 'Full width'],
    ['coffee  aurora', 'Aurora Coffee'],
    ['auro*fee', 'Aurora Coffee'],
    ['100%', 'Up to 100% more'],
  ])('by name lets "%s" find "%s"', (wanted, shown) => {
    expect(lets('name', wanted, shown)).toBe(true);
  });

  it.each([
    ['coffee', 'Aurora Tea'],
    ['aurora coffee', 'Aurora Tea'],
    ['a.c', 'abc'],
    ['(', 'Aurora'],
  ])('by name keeps "%s" from finding "%s"', (wanted, shown) => {
    expect(lets('name', wanted, shown)).toBe(false);
  });

  it.each([
    ['team_id', '0F8FAD5B-D9CB-469F-A165-70867728950E', '0f8fad5b-d9cb-469f-a165-70867728950e', true],
    ['team_id', '0f8fad5b-d9cb-469f-a165-70867728950e', '7c9e6679-7425-40de-944b-e07fc1f90ae7', false],
    ['type', 'pdf', 'pdf', true],
    ['type', 'pdf', '.PDF', true],
    ['type', 'pdf', 'application/pdf', true],
    ['type', 'txt', 'text/plain; charset=utf-8', true],
    ['type', 'doc', 'docx', false],
    ['paying', true, true, true],
    ['paying', false, true, false],
    ['paying', true, 'no', false],
    ['paying', false, 0, true],
  ] as const)('by %s %j matches %j: %j', (member, wanted, shown, expected) => {
    expect(lets(member, wanted, shown)).toBe(expected);
  });

  it.each([undefined, null])('accepts a row without the value: %j', (shown) => {
    expect(lets('name', 'coffee', shown)).toBe(true);
    expect(lets('paying', true, shown)).toBe(true);
  });

  it('accepts a value that it cannot parse', () => {
    expect(lets('paying', true, 'trial')).toBe(true);
  });
});
