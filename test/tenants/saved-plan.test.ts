import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { DeclaredTenant } from '../../src/tenants/declared-documents.ts';
import type { DeclaredValue } from '../../src/tenants/desired.ts';
import type { MadePlan } from '../../src/tenants/make-plan.ts';
import { type Plan, planTenants } from '../../src/tenants/plan.ts';
import { readPlan, writePlan } from '../../src/tenants/saved-plan/plan-file.ts';
import { remainderOf } from '../../src/tenants/saved-plan/remainder.ts';
import { anyCharacter } from '../support/any-character.ts';
import { anyUrl } from '../support/any-url.ts';
import '../support/properties.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  applied,
  botOf,
  changed,
  deviceOf,
  documentOf,
  nothing,
  tenantOf,
  type World,
  withFiles,
} from './world.ts';

const baseUrl = 'https://api.example';

function made(tenant: DeclaredTenant, world: World): MadePlan {
  const { lock } = world;
  const [left, live] = [new Map(), withFiles([tenant], world)];
  return {
    plan: planTenants([tenant], lock, live, left),
    ...{ tenants: [tenant], lock, live, moved: [], files: [] },
    knownOf: () => ({ lock, live, left, tenant }),
  };
}

/** Keeps a plan in a file, and returns what is left to do of it in another world. */
async function leftOf(file: string, before: MadePlan, now: MadePlan): Promise<Plan> {
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
  for (const hidden of [foreign, secret]) expect(written).not.toContain(hidden);
  return remainderOf(context, file, readPlan(file, baseUrl), now);
}

const [foreign, secret] = ['a token of somebody', 'a token of the files'];

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

const aurora = (values: Record<string, DeclaredValue>): DeclaredTenant =>
  tenantOf('aurora', {
    values: { plan_name: 'pro', paying: true },
    documents: [documentOf('aurora', 'menu')],
    bots: [botOf('aurora', 'front', values, ['menu'])],
    devices: [deviceOf('aurora', 'reception', 'front')],
  });

describe('a kept plan', () => {
  it('is all left to do while nothing has changed, and nothing of it once it is done, whatever it holds', async () => {
    const file = join(temporaryDirectory(), 'plan.json');
    await fc.assert(
      fc.asyncProperty(
        botValues,
        botValues,
        botValues,
        fc.boolean(),
        async (before, declared, shown, hasSecret) => {
          const tenant = aurora(hasSecret ? { ...declared, actions: [withSecret] } : declared);
          const world = changed(applied([aurora(before)]), 'aurora/bots/front', shown);
          for (const start of [nothing, world]) {
            const planned = made(tenant, start);
            const toDo = planned.plan.objects.filter((object) => object.action !== 'none');
            expect(planned.plan.objects.filter((object) => object.impossible.length > 0)).toEqual([]);
            expect((await leftOf(file, planned, made(tenant, start))).objects).toEqual(toDo);
            expect((await leftOf(file, planned, made(tenant, applied([tenant])))).objects).toEqual([]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
