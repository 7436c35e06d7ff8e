import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { DeclaredTenant } from '../../src/tenants/declared-documents.ts';
import type { DeclaredValue } from '../../src/tenants/desired.ts';
import type { PlanResult } from '../../src/tenants/make-plan.ts';
import { operationsOf } from '../../src/tenants/operations.ts';
import { planTenants } from '../../src/tenants/plan.ts';
import { readPlan, writePlan } from '../../src/tenants/saved-plan/plan-file.ts';
import { checkCurrent } from '../../src/tenants/saved-plan/stale.ts';
import { anyCharacter } from '../support/any-character.ts';
import { anyUrl } from '../support/any-url.ts';
import '../support/properties.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  applied,
  botOf,
  changed,
  declared,
  deviceOf,
  documentOf,
  nothing,
  tenantOf,
  type World,
  withFiles,
} from './world.ts';

const baseUrl = 'https://api.example';

function made(tenant: DeclaredTenant, world: World): PlanResult {
  const { lock: state } = world;
  const [undeclared, live] = [new Map(), withFiles([tenant], world)];
  return {
    plan: planTenants([tenant], state, live, undeclared),
    ...{ tenants: [tenant], state, live, moved: [], files: [] },
    knownOf: () => ({ state, live, undeclared, tenant }),
  };
}

/** Saves a plan in a file. Returns a function that checks whether another plan would do exactly the same. */
async function saved(file: string, before: PlanResult): Promise<(now: PlanResult) => Promise<boolean>> {
  const nobody = () => undefined;
  const reporter = {
    note: nobody,
    warn: nobody,
    done: nobody,
    progress: () => ({ update: nobody, stop: nobody }),
  };
  const redact = (told: string): string => told.replaceAll(foreign, '…');
  const context = { redact, reporter, api: { baseUrl }, clock: { now: () => 0 } };
  await writePlan(context, file, before, { targets: [], prune: false, lock: join(file, 'lock.json') });
  const written = readFileSync(file, 'utf8');
  for (const hidden of [foreign, secret, administrator]) expect(written).not.toContain(hidden);
  const plan = readPlan(file, baseUrl);
  return async (now) => {
    try {
      await checkCurrent(context, file, plan, now);
      return true;
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: 'rejected', code: 'STALE_PLAN', details: expect.anything() });
      return false;
    }
  };
}

/** Returns everything that an apply of a plan would send, including secrets. */
const sentBy = ({ plan, tenants: [tenant] }: PlanResult): readonly unknown[] =>
  [...operationsOf(plan).values()].flat().map(({ address, action, reason, fields, planned }) => ({
    ...{ address, action, reason, id: planned.id },
    differences: planned.differences.map(({ field, to }) => ({ field, to })),
    administrator: action === 'create' && address === 'aurora' && tenant && revealedOf(tenant.administrator),
    fields: fields.map((field) => revealedOf(tenant?.bots[0]?.fields[field as 'actions'])),
  }));

const revealedOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (member instanceof Secret ? member.reveal() : member));

const [foreign, secret, administrator] = [
  'a token of somebody',
  'a token of the files',
  'ana@aurora.example',
];

const text = fc.string({ unit: anyCharacter, maxLength: 700 });
const botValues: fc.Arbitrary<Record<string, DeclaredValue>> = fc.record({
  instructions: text,
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  questions: fc.array(fc.record({ question: text, answer: text }), { maxLength: 3 }),
  actions: fc.array(
    fc.record({
      ...{ name: text, description: fc.constant(''), endpoint: anyUrl, method: fc.constant('GET') },
      headers: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant(foreign)), { maxKeys: 2 }),
      body: fc.constant([]),
    }),
    { maxLength: 2 },
  ),
});

const withSecret = {
  ...{ name: 'stock', description: '', endpoint: 'https://stock.example/', method: 'GET', body: [] },
  headers: { Authorization: new Secret(secret) },
};

const withOtherSecret = { ...withSecret, headers: { Authorization: new Secret('another token') } };

/** The action with a secret as the service returns it. */
const shownAction = { ...withSecret, headers: { Authorization: foreign } };

/** Parts of a state that are often the same later. */
const parts = ['declared', 'applied', 'shown', 'bot', 'email', 'paying'] as const;

const administeredBy = (email: string): DeclaredTenant['administrator'] => ({
  ...{ name: declared('Ana'), email: declared(email), phone: declared('+5511999990000') },
});

const aurora = (values: Record<string, DeclaredValue>, paying = true): DeclaredTenant =>
  tenantOf('aurora', {
    values: { plan_name: 'pro', paying },
    documents: [documentOf('aurora', 'menu')],
    bots: [botOf('aurora', 'front', values, ['menu'])],
    devices: [deviceOf('aurora', 'reception', 'front')],
  });

describe('a saved plan', () => {
  it('is current while a fresh plan is the same and once it is applied, for any content', async () => {
    const file = join(temporaryDirectory(), 'plan.json');
    await fc.assert(
      fc.asyncProperty(
        botValues,
        botValues,
        botValues,
        fc.boolean(),
        async (before, values, shown, hasSecret) => {
          const tenant = aurora(hasSecret ? { ...values, actions: [withSecret] } : values);
          const world = changed(applied([aurora(before)]), 'aurora/bots/front', shown);
          for (const start of [nothing, world]) {
            const isCurrent = await saved(file, made(tenant, start));
            expect(await isCurrent(made(tenant, start))).toBe(true);
            expect(await isCurrent(made(tenant, applied([tenant])))).toBe(true);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is never current if a fresh plan would send anything else', async () => {
    const file = join(temporaryDirectory(), 'plan.json');
    const fewValues = fc.record({
      instructions: fc.constantFrom('Be kind.', 'Be brief.', 'Be kind.'.repeat(90), 'Be brief.'.repeat(90)),
      temperature: fc.constantFrom(0.3, 0.5),
      actions: fc.constantFrom([withSecret], [withOtherSecret], []),
    });
    const state = fc.record({
      ...{ declared: fewValues, applied: fewValues, shown: fewValues },
      bot: fc.constantFrom('applied' as const, 'drifted' as const, 'gone' as const, 'nothing' as const),
      email: fc.constantFrom(administrator, 'eva@aurora.example'),
      paying: fc.boolean(),
    });
    const madeOf = (one: typeof state extends fc.Arbitrary<infer T> ? T : never): PlanResult => {
      const tenant = { ...aurora(one.declared, one.paying), administrator: administeredBy(one.email) };
      const world = applied([aurora(one.applied)]);
      const shown = { ...one.shown, actions: one.shown.actions.length > 0 ? [shownAction] : [] };
      if (one.bot === 'nothing') return made(tenant, nothing);
      if (one.bot === 'applied') return made(tenant, world);
      return made(tenant, changed(world, 'aurora/bots/front', one.bot === 'gone' ? 'gone' : shown));
    };
    let same = 0;
    await fc.assert(
      fc.asyncProperty(state, state, fc.subarray([...parts]), async (then, other, equal) => {
        const now = { ...other, ...Object.fromEntries(equal.map((part) => [part, then[part]])) };
        const [planned, fresh] = [madeOf(then), madeOf(now)];
        const isCurrent = await (await saved(file, planned))(fresh);
        const isSame = revealedOf(sentBy(planned)) === revealedOf(sentBy(fresh));
        if (isCurrent) same += 1;
        if (isCurrent && sentBy(fresh).length > 0) expect(isSame).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(same).toBeGreaterThan(0);
  });
});
