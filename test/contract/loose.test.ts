import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { wrongMember } from '../../src/contract/loose.ts';
import { identifiers, type Schema } from '../../src/contract/schema.ts';
import { team } from '../../src/contract/teams.ts';

const names = Object.keys(endpoints).filter((name): name is EndpointName => Object.hasOwn(endpoints, name));

/** Generates objects with the members of the schema and any values. */
function anyOf(schema: z.ZodMiniObject): fc.Arbitrary<Record<string, unknown>> {
  const key = identifiers.get(schema)?.key;
  const members = Object.keys(schema.shape).map(
    (name) => [name, name === key ? fc.string() : fc.jsonValue()] as const,
  );
  return fc.record(Object.fromEntries(members), { requiredKeys: key === undefined ? [] : [key] });
}

describe('the loose form', () => {
  it.each(names)('of %s accepts any value of any member', (name) => {
    const schema: Schema = endpoints[name].data;
    const answer =
      schema instanceof z.ZodMiniArray
        ? fc.array(fc.jsonValue())
        : schema instanceof z.ZodMiniObject
          ? anyOf(schema)
          : fc.constant(undefined);
    fc.assert(
      fc.property(answer, (value) => {
        expect(wrongMember(schema, value)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it.each([{}, { id: null }, { id: 3 }, { id: ['x'] }])('of a resource requires its id: %j', (value) => {
    expect(wrongMember(team, value)).toBe('id');
  });

  it.each([null, 'text', 3, []])('of a resource requires an object: %j', (value) => {
    expect(wrongMember(team, value)).toBe('data');
  });

  it('of a list requires an array', () => {
    expect(wrongMember(endpoints.listTeams.data, { teams: [] })).toBe('data');
  });
});
