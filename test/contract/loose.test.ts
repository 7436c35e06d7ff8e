import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod/mini';
import { bot } from '../../src/contract/bots.ts';
import { type EndpointName, endpoints, type LooseDataOf } from '../../src/contract/endpoints.ts';
import { fitsLoosely, type Loose, loosen, type Scalar } from '../../src/contract/loose.ts';
import { identifiers, type Schema } from '../../src/contract/schema.ts';
import { team } from '../../src/contract/teams.ts';

const names = Object.keys(endpoints).filter((name): name is EndpointName => Object.hasOwn(endpoints, name));

/** The member that identifies a resource; undefined for what is none. */
const keyOf = (schema: Schema): string | undefined => identifiers.get(schema)?.key;

/** An object that a service may answer in the place of one of the schema: right members, any values. */
function anyOf(schema: z.ZodMiniObject): fc.Arbitrary<Record<string, unknown>> {
  const key = keyOf(schema);
  const members = Object.entries(schema.shape).map(
    ([name, member]) => [name, name === key ? fc.string() : anyMember(member)] as const,
  );
  return fc
    .tuple(
      fc.record(Object.fromEntries(members), { requiredKeys: key === undefined ? [] : [key] }),
      fc.dictionary(fc.stringMatching(/^other_[a-z]{1,4}$/), fc.jsonValue(), { maxKeys: 2 }),
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }));
}

function anyMember(schema: Schema): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodMiniObject) return fc.oneof(anyOf(schema), fc.jsonValue());
  if (schema instanceof z.ZodMiniArray && schema.def.element instanceof z.ZodMiniObject) {
    return fc.oneof(fc.array(anyOf(schema.def.element), { maxLength: 3 }), fc.jsonValue());
  }
  return fc.jsonValue();
}

describe('the loose form', () => {
  it.each(names)('of %s takes any value of any member', (name) => {
    const schema: Schema = endpoints[name].data;
    const loose = loosen(schema);
    const answer =
      schema instanceof z.ZodMiniArray && schema.def.element instanceof z.ZodMiniObject
        ? fc.array(anyOf(schema.def.element), { maxLength: 4 })
        : schema instanceof z.ZodMiniObject
          ? anyOf(schema)
          : fc.constant(undefined);
    fc.assert(
      fc.property(answer, (value) => {
        expect(z.safeParse(loose, value).success).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps scalars, unknown members and unknown words of an enum as they came', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.jsonValue(),
        (scalar, other) => {
          const value = { id: 'x', role: scalar, temperature: scalar, created_at: scalar, other };
          expect(z.parse(loosen(bot), value)).toEqual(value);
        },
      ),
    );
  });

  it('keeps a composite in the place of a scalar as its JSON text', () => {
    const parsed = z.parse(loosen(team), { id: 'x', name: { first: 'Acme' }, paying: ['yes'] });
    expect(parsed).toMatchObject({ name: '{"first":"Acme"}', paying: '["yes"]' });
  });

  it('keeps a composite of another kind as its JSON text, and a scalar in its place', () => {
    const detail = loosen(endpoints.getBot.data);
    expect(z.parse(detail, { id: 'x', questions: { a: 1 }, actions: null, documents: 'none' })).toMatchObject(
      {
        questions: '{"a":1}',
        actions: null,
        documents: 'none',
      },
    );
    const teamForm = loosen(endpoints.getTeam.data);
    expect(z.parse(teamForm, { id: 'x', quotas: [1], settings: [2] })).toMatchObject({
      quotas: '[1]',
      settings: '[2]',
    });
  });

  it('lets one odd item of a list fail nothing, as long as the others are there', () => {
    const odd = { id: 'odd', name: null, paying: 'sometimes', banned: { since: 3 }, created_at: 0 };
    const list = loosen(endpoints.listTeams.data);
    expect(z.parse(list, [odd, { id: 'plain' }, 'no team'])).toMatchObject([
      { id: 'odd', name: null, paying: 'sometimes', banned: '{"since":3}' },
      { id: 'plain' },
      'no team',
    ]);
  });

  it.each([{}, { id: null }, { id: 3 }, { id: ['x'] }])('of a resource insists on its id: %j', (value) => {
    expect(z.safeParse(loosen(team), value).success).toBe(false);
  });

  it.each([null, 'text', 3, []])('of a resource insists on an object: %j', (value) => {
    expect(z.safeParse(loosen(team), value).success).toBe(false);
  });

  it('of a list insists on an array', () => {
    expect(z.safeParse(loosen(endpoints.listTeams.data), { teams: [] }).success).toBe(false);
  });

  it.each(names)('of %s is seen in a value without parsing, which would change nothing of it', (name) => {
    const schema: Schema = endpoints[name].data;
    const [fits, loose] = [fitsLoosely(schema), loosen(schema)];
    const element = schema instanceof z.ZodMiniArray ? schema.def.element : schema;
    const one: fc.Arbitrary<unknown> = element instanceof z.ZodMiniObject ? anyOf(element) : fc.jsonValue();
    const answer = fc.oneof(
      schema instanceof z.ZodMiniArray ? fc.array(one, { maxLength: 3 }) : one,
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(answer, (value) => {
        const parsed = z.safeParse(loose, value);
        // The quick check may leave a value to the parser, and never takes one that the parser would change.
        if (fits(value)) expect(parsed).toEqual({ success: true, data: value });
      }),
      { numRuns: 60 },
    );
  });

  it('is seen in a value as it should be, and not in an odd one', () => {
    const fits = fitsLoosely(endpoints.listTeams.data);
    expect(fits([{ id: 'x', name: 'Acme', paying: true, banned: null, more: { of: 'it' } }, 'text'])).toBe(
      true,
    );
    for (const odd of [[{ id: 3 }], [{ name: 'Acme' }], [{ id: 'x', name: ['Acme'] }], { id: 'x' }]) {
      expect(fits(odd)).toBe(false);
    }
    expect(fits([JSON.parse('{"id":"x","__proto__":{"a":1}}')])).toBe(false);
  });

  it('has the type that goes with it', () => {
    type Team = Loose<typeof team>;
    expectTypeOf<Team['id']>().toEqualTypeOf<string>();
    expectTypeOf<Team['name']>().toEqualTypeOf<Scalar | undefined>();
    expectTypeOf<Team['anything']>().toEqualTypeOf<unknown>();
    expectTypeOf<LooseDataOf<'listTeams'>>().toEqualTypeOf<readonly (Team | Scalar)[]>();
    expectTypeOf<LooseDataOf<'createToken'>['access_token']>().toEqualTypeOf<string>();
    expectTypeOf<LooseDataOf<'getBot'>['role']>().toEqualTypeOf<Scalar | undefined>();
    type Questions = Extract<LooseDataOf<'getBot'>['questions'], readonly unknown[]>;
    expectTypeOf<Extract<Questions[number], object>['answer']>().toEqualTypeOf<Scalar | undefined>();
    expectTypeOf<LooseDataOf<'getTeam'>['settings']>().toEqualTypeOf<
      Readonly<Record<string, unknown>> | Scalar | undefined
    >();
  });
});
