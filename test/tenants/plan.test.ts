import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { DeclaredTenant } from '../../src/tenants/declared-documents.ts';
import type { ObjectPlan } from '../../src/tenants/kinds/kind.ts';
import { limitToTargets, type Plan, planTenants } from '../../src/tenants/plan.ts';
import { isDrift, planRows } from '../../src/tenants/render/rows.ts';
import { isSaved } from '../../src/tenants/saved-plan/planned-object.ts';
import '../support/properties.ts';
import {
  applied,
  botOf,
  changed,
  declared,
  deviceOf,
  documentOf,
  idFor,
  nothing,
  tenantOf,
  type World,
  withFiles,
} from './world.ts';

const questions = [
  { question: 'When do you open?', answer: 'At 7' },
  { question: 'Where are you?', answer: 'Here' },
];

const action = (name: string, headers: Record<string, string | Secret> = {}) => ({
  ...{ name, description: '', endpoint: 'https://stock.example/', method: 'GET' },
  headers,
  body: [],
});

const values = {
  instructions: 'Be kind.',
  temperature: 0.3,
  questions,
  actions: [action('stock'), action('order')],
};

/** A tenant with one object of each kind. */
const aurora = tenantOf('aurora', {
  values: { plan_name: 'pro', 'quotas.bots': 3 },
  documents: [documentOf('aurora', 'menu'), documentOf('aurora', 'wine')],
  bots: [botOf('aurora', 'front', values, ['menu', 'wine'])],
  devices: [deviceOf('aurora', 'reception', 'front')],
});

const planOf = (tenants: readonly DeclaredTenant[], { lock, live }: World): Plan =>
  planTenants(tenants, lock, withFiles(tenants, { lock, live }), new Map());

const objectOf = (plan: Plan, address: string): ObjectPlan => {
  const object = plan.objects.find((one) => one.address === address);
  if (!object) throw new Error(`no ${address}`);
  return object;
};

const actions = (plan: Plan): readonly string[] =>
  plan.objects.map(({ address, action: what }) => `${what} ${address}`);

/** Returns the tenant with other values of its bot. */
const withBot = (other: Parameters<typeof botOf>[2], documents?: readonly string[]): DeclaredTenant => ({
  ...aurora,
  bots: [botOf('aurora', 'front', other, documents)],
});

describe('a first plan', () => {
  it('creates everything, each after its dependencies, and requires no consent', () => {
    const plan = planOf([aurora], nothing);
    expect(actions(plan)).toEqual([
      'create aurora',
      'create aurora/documents/menu',
      'create aurora/documents/wine',
      'create aurora/bots/front',
      'create aurora/devices/reception',
    ]);
    expect(plan.objects.flatMap(({ risks, impossible }) => [...risks, ...impossible])).toEqual([]);
    expect(objectOf(plan, 'aurora/bots/front').differences).toContainEqual(
      expect.objectContaining({ field: 'documents', to: ['aurora/documents/menu', 'aurora/documents/wine'] }),
    );
  });

  it('lists the missing fields of a new team, and blocks the whole tenant', () => {
    const { administrator: _, ...rest } = { ...aurora, fields: { name: aurora.fields.name } };
    const plan = planOf([rest], nothing);
    expect(new Set(plan.objects.map(({ action: what }) => what))).toEqual(new Set(['none']));
    expect(objectOf(plan, 'aurora').impossible[0]).toContain('administrator and plan_name');
    expect(objectOf(plan, 'aurora/devices/reception').impossible[0]).toContain('It needs aurora');
  });

  it('bans a new team only with consent', () => {
    const plan = planOf([tenantOf('aurora', { values: { plan_name: 'pro', banned: true } })], nothing);
    expect(objectOf(plan, 'aurora').risks).toMatchObject([{ risk: 'ban' }]);
  });
});

describe('a plan after an apply', () => {
  const world = applied([aurora]);

  it('is empty', () => {
    const plan = planOf([aurora], world);
    expect(plan.objects.filter(isSaved)).toEqual([]);
    expect(planRows(plan)).toEqual([]);
  });

  it('is empty for any order of lists, and with unknown members', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(questions, { minLength: 2 }),
        fc.shuffledSubarray(values.actions, { minLength: 2 }),
        fc.record({
          description: fc.string(),
          updated_at: fc.string(),
          published: fc.boolean(),
          extra: fc.json(),
        }),
        (shownQuestions, shownActions, others) => {
          const ids = ['wine', 'menu'].map((key) => ({ document_id: idFor(`aurora/documents/${key}`) }));
          const live = changed(world, 'aurora/bots/front', {
            ...others,
            questions: shownQuestions,
            actions: shownActions.map((one, index) => ({ ...one, id: idFor(String(index)) })),
            documents: ids,
          });
          expect(planRows(planOf([aurora], live))).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('shows who changed a field: the files, the service, or both', () => {
    const text = fc.string({ maxLength: 700 });
    fc.assert(
      fc.property(text, text, text, (before, file, live) => {
        const old = withBot({ instructions: before });
        const shown = changed(applied([old]), 'aurora/bots/front', { instructions: live });
        const [difference] = objectOf(
          planOf([withBot({ instructions: file })], shown),
          'aurora/bots/front',
        ).differences;
        if (file === live) expect(difference).toBeUndefined();
        else {
          const moved = live === before ? 'files' : file === before ? 'service' : 'both';
          expect(difference).toMatchObject({ field: 'instructions', from: live, to: file, moved });
        }
      }),
      {
        numRuns: 60,
        examples: [
          ['a', 'b', 'a'],
          ['a', 'a', 'b'],
          ['a', 'b', 'c'],
          ['x'.repeat(600), 'y', 'z'],
        ],
      },
    );
  });

  it('reverts drift, and warns that this unpublishes the bot', () => {
    const drifted = changed(world, 'aurora/bots/front', { temperature: 0.9, published: true });
    expect(objectOf(planOf([aurora], drifted), 'aurora/bots/front')).toMatchObject({
      action: 'update',
      differences: [{ field: 'temperature', from: 0.9, to: 0.3, moved: 'service', applied: 0.3 }],
      risks: [{ risk: 'unpublish' }],
    });
  });

  it('has drift if the service changed a field, even if the files changed it too, and none if only the files did', () => {
    const brisk = withBot({ ...values, temperature: 0.5 }, ['menu', 'wine']);
    const moved = changed(world, 'aurora/bots/front', { temperature: 0.9 });
    const drifted = (tenant: DeclaredTenant, shown: World): boolean =>
      planRows(planOf([tenant], shown)).some(isDrift);
    expect(drifted(aurora, moved)).toBe(true);
    expect(drifted(brisk, moved)).toBe(true);
    expect(drifted(brisk, world)).toBe(false);
  });

  it('names the documents of a bot by their addresses, and other attached ones by name', () => {
    const other = idFor('somebody else');
    const attached = changed(world, 'aurora/bots/front', { documents: [{ document_id: other }] });
    const live = { ...attached.live, names: new Map([[other, 'prices.pdf']]) };
    const [difference] = objectOf(
      planOf([aurora], { lock: world.lock, live }),
      'aurora/bots/front',
    ).differences;
    expect(difference).toMatchObject({
      ...{ field: 'documents', from: ['prices.pdf'], moved: 'service' },
      to: ['aurora/documents/menu', 'aurora/documents/wine'],
      applied: ['aurora/documents/menu', 'aurora/documents/wine'],
    });
  });

  it('never reports drift for fields that the service does not return', () => {
    const hidden = changed(world, 'aurora/bots/front', { temperature: undefined });
    const object = objectOf(planOf([aurora], hidden), 'aurora/bots/front');
    expect(object).toMatchObject({ action: 'none', differences: [], unverifiable: ['temperature'] });
    const other = objectOf(
      planOf([withBot({ ...values, temperature: 1 }, ['menu', 'wine'])], hidden),
      'aurora/bots/front',
    );
    expect(other).toMatchObject({
      action: 'update',
      differences: [{ from: undefined, to: 1, moved: 'files' }],
    });
  });

  it('recreates a missing object only if that risk is allowed', () => {
    const gone = changed(changed(world, 'aurora/bots/front', 'gone'), 'aurora/documents/menu', 'gone');
    const plan = planOf([aurora], gone);
    for (const address of ['aurora/bots/front', 'aurora/documents/menu'])
      expect(objectOf(plan, address)).toMatchObject({
        action: 'create',
        reason: 'gone',
        risks: [{ risk: 'recreate' }],
      });
  });

  it.each([true, 'true', 1, undefined, null, 'draft'])(
    'needs consent to change a bot that is shown as published: %j',
    (published) => {
      const plan = planOf(
        [withBot({ description: 'Another' })],
        changed(world, 'aurora/bots/front', { published }),
      );
      expect(objectOf(plan, 'aurora/bots/front').risks).toMatchObject([{ risk: 'unpublish' }]);
    },
  );

  it('treats a flag in another scalar as equal', () => {
    const shown = changed(world, 'aurora/bots/front', { allow_human: 'true', published: 'false' });
    expect(
      planRows(planOf([withBot({ allow_human: true })], applied([withBot({ allow_human: true })]))),
    ).toEqual([]);
    const plan = planOf([withBot({ allow_human: true, description: 'Another' })], shown);
    expect(objectOf(plan, 'aurora/bots/front')).toMatchObject({
      differences: [{ field: 'description' }],
      risks: [],
    });
  });

  it('lists what the files no longer declare, and keeps it', () => {
    const plan = planOf([{ ...aurora, bots: [], devices: [] }], world);
    expect(plan.undeclared.map(({ address }) => address)).toEqual([
      'aurora/bots/front',
      'aurora/devices/reception',
    ]);
    expect(plan.objects.filter(isSaved)).toEqual([]);
  });

  it('replaces the document of a changed file, in the bots too, and warns about unpublishing', () => {
    const other = {
      ...aurora,
      documents: [documentOf('aurora', 'menu', 'another'), documentOf('aurora', 'wine')],
    };
    const published = changed(world, 'aurora/bots/front', { published: true });
    const names = new Map([[idFor('aurora/documents/menu'), 'menu.txt']]);
    const plan = planOf([other], { ...published, live: { ...published.live, names } });
    expect(actions(plan).filter((line) => !line.startsWith('none'))).toEqual([
      'replace aurora/documents/menu',
      'update aurora/bots/front',
    ]);
    expect(objectOf(plan, 'aurora/documents/menu').differences).toMatchObject([{ field: 'chars', to: 7 }]);
    expect(objectOf(plan, 'aurora/bots/front')).toMatchObject({
      differences: [
        {
          field: 'documents',
          from: ['aurora/documents/wine', 'menu.txt'],
          to: ['aurora/documents/menu', 'aurora/documents/wine'],
        },
      ],
      risks: [{ risk: 'unpublish' }],
    });
    expect(actions(limitToTargets(plan, ['aurora/bots/front'], new Map()))).toEqual([
      'replace aurora/documents/menu',
      'update aurora/bots/front',
    ]);
  });

  it('reports what the API cannot do: change a device', () => {
    const other = {
      ...aurora,
      devices: [{ ...deviceOf('aurora', 'reception', 'front'), name: declared('Desk') }],
    };
    const plan = planOf([other], world);
    expect(objectOf(plan, 'aurora/devices/reception').impossible[0]).toContain(
      "The name of a device can't change",
    );
  });

  it('reports an interrupted create of a device as unknown, and creates no other', () => {
    const entries = new Map(world.lock.entries);
    entries.set('aurora/devices/reception', { unknown_since: '2026-11-23T10:00:00Z', applied: {} });
    const plan = planOf([aurora], { lock: { ...world.lock, entries }, live: world.live });
    expect(objectOf(plan, 'aurora/devices/reception')).toMatchObject({
      ...{ action: 'none', reason: 'unknown', unknownSince: '2026-11-23T10:00:00Z' },
    });
  });

  it('lowers a quota below the usage only if that risk is allowed', () => {
    const shown = changed(world, 'aurora', { quotas: { bots: 5 } });
    const usage = new Map([[idFor('aurora'), { bots: 4, documents: 2, characters: 10 }]]);
    const plan = planOf([aurora], { lock: world.lock, live: { ...shown.live, usage } });
    expect(objectOf(plan, 'aurora')).toMatchObject({
      differences: [{ field: 'quotas.bots', from: 5, to: 3, moved: 'service' }],
      risks: [{ risk: 'lower-quota' }],
    });
  });
});

describe('a plan without the state file', () => {
  /** Returns a world in which everything exists, but is not recorded as belonging to these files. */
  const found = (world: World): World => {
    const alike = [...world.live.found].map(([address, one]) =>
      one.state === 'locked'
        ? ([address, { state: 'alike', row: one.row }] as const)
        : ([address, one] as const),
    );
    return { lock: nothing.lock, live: { ...world.live, found: new Map(alike) } };
  };

  it('adopts an object that matches the files, and creates a device only if that risk is allowed', () => {
    const plan = planOf([aurora], found(applied([aurora])));
    expect(actions(plan).map((line) => line.split(' ')[0])).toEqual([
      'adopt',
      'adopt',
      'adopt',
      'adopt',
      'create',
    ]);
    expect(plan.objects.flatMap(({ risks }) => risks.map(({ risk }) => risk))).toEqual(['create-device']);
  });

  it('adopts an object that differs only with consent, and lists the differences', () => {
    const plan = planOf([aurora], found(changed(applied([aurora]), 'aurora', { plan_name: 'basic' })));
    const team = objectOf(plan, 'aurora');
    expect(team).toMatchObject({ action: 'adopt', risks: [{ risk: 'adopt' }] });
    expect(team.risks[0]?.says).toContain('plan_name');
  });
});

describe('a secret', () => {
  it('is neither in a plan nor in a state file, regardless of who set it', () => {
    const bot = (token: string) =>
      withBot({ actions: [action('stock', { Authorization: new Secret(token) })] });
    const world = applied([bot('secret of the files')]);
    const foreign = [action('stock', { Authorization: 'secret of the service' })];
    const shown = changed(world, 'aurora/bots/front', { actions: foreign });
    const secretPlan = planOf([bot('secret of the files')], shown);
    const plainPlan = planOf([withBot({ actions: [action('stock', { Accept: 'text/plain' })] })], shown);
    expect(objectOf(secretPlan, 'aurora/bots/front').differences).toMatchObject([{ moved: 'unknown' }]);
    for (const told of [secretPlan, plainPlan, planRows(secretPlan), [...world.lock.entries]])
      expect(JSON.stringify(told)).not.toMatch(/secret of the/);
    expect(planRows(planOf([bot('secret of the files')], world))).toEqual([]);
  });
});

describe('a plan for targets', () => {
  it('has them, their children, and their dependencies', () => {
    const borealis = tenantOf('borealis');
    const all = planOf([aurora, borealis], nothing);
    expect(actions(limitToTargets(all, ['borealis'], new Map()))).toEqual(['create borealis']);
    expect(actions(limitToTargets(all, ['aurora/documents/wine'], new Map()))).toEqual([
      'create aurora',
      'create aurora/documents/wine',
    ]);
    expect(limitToTargets(all, ['aurora/devices/reception'], new Map()).objects).toHaveLength(5);
    expect(limitToTargets(all, [], new Map()).objects).toEqual(all.objects);
  });

  it('is refused for an undeclared one, with a suggestion', () => {
    expect(() => limitToTargets(planOf([aurora], nothing), ['aurora/bots/fromt'], new Map())).toThrow(
      'The files declare no aurora/bots/fromt. Did you mean aurora/bots/front?',
    );
  });
});
