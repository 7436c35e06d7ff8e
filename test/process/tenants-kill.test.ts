import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultRequest } from '../../src/sandbox/faults/fault.ts';
import { createTestApi } from '../sandbox/api.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { contentsOf } from '../support/contents.ts';
import { type Running, start } from '../support/process.ts';
import { givenSeed } from '../support/properties.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { shortSettling } from '../support/short-settling.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const keys = ['aurora', 'borealis', 'cumulus', 'dune', 'ember'];
const rounds = 20;
const savedRounds = 15;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);

/** The operations of an apply of all tenants: a team, its flags, three documents, two bots and a device of each. */
const operations = keys.length * 8;

/** The operations after files have changed: one is replaced, one renamed, one recorded; two bots, and an old name. */
const changes = keys.length * 6;

/** The moments at which a run is killed: after this many rows, and some milliseconds later. */
const moments = fc.sample(
  fc.record({ rows: fc.integer({ min: 0, max: operations - 1 }), wait: fc.integer({ min: 0, max: 25 }) }),
  { seed, numRuns: rounds },
);

const tenantOf = (key: string): string => `
  ${key}:
    name: Team ${key}
    plan_name: pro
    paying: true
    administrator: { name: Manager, email: ${key}@kill.example, phone: "+5511999990000" }
    documents: { menu: { file: menu.txt }, all: { folder: more } }
    bots:
      front: { name: Front desk, instructions: Be kind., documents: [menu, all] }
      night: { name: Night desk, documents: [menu] }
    devices: { reception: { name: Reception, bot: front } }`;

const outcome = z.looseObject({ address: z.string(), outcome: z.string() });

/** The files of some tenants on a machine of their own, and an empty service. */
class Place {
  readonly folder = join(temporaryDirectory(), 'tenants');
  readonly lock = join(this.folder, 'tenants.lock.json');
  readonly env = { ...sandbox.env, ...shortSettling, BOTCTL_CONFIG_DIR: temporaryDirectory() };

  static async empty(of: readonly string[] = keys): Promise<Place> {
    await callControl(sandbox.control, '/reset', {});
    return new Place(of);
  }

  private constructor(of: readonly string[]) {
    mkdirSync(join(this.folder, 'more'), { recursive: true });
    for (const key of of)
      writeFileSync(join(this.folder, `${key}.yaml`), `version: 1\ntenants:${tenantOf(key)}\n`);
    writeFileSync(join(this.folder, 'menu.txt'), 'soup\n');
    writeFileSync(join(this.folder, 'more', 'hours.txt'), 'From nine to five.\n');
    writeFileSync(join(this.folder, 'more', 'prices.txt'), 'Soup: 4.\n');
  }

  #savedPlan: string | undefined;

  /** Saves the plan in a file, which later applies use. */
  async savePlan(): Promise<void> {
    this.#savedPlan = join(this.folder, 'plan.json');
    const planned = start(['tenants', 'plan', this.folder, '--out', this.#savedPlan], { env: this.env });
    expect(await planned.ended, planned.output.stderr).toBe(0);
  }

  /**
   * Applies the saved plan again, which is refused if the earlier run has carried out a part of it; discards the plan.
   */
  async refused(): Promise<void> {
    const again = this.apply();
    const code = await again.ended;
    expect([0, 6, 12], again.output.stderr).toContain(code);
    if (code === 6) expect(again.output.stderr).toContain('STALE_PLAN');
    this.#savedPlan = undefined;
  }

  apply(): Running {
    const answers = ['--yes', '--discard-token', '-o', 'ndjson'];
    const of = this.#savedPlan === undefined ? [this.folder] : ['--plan', this.#savedPlan];
    return start(['tenants', 'apply', ...of, ...answers], { env: this.env });
  }

  /**
   * Applies everything, then changes a file of each kind: one is replaced, one renamed, one saved with the same text.
   */
  async change(): Promise<void> {
    expect(await this.finish()).toEqual([]);
    writeFileSync(join(this.folder, 'menu.txt'), 'soup, and bread\n');
    renameSync(join(this.folder, 'more', 'hours.txt'), join(this.folder, 'more', 'open.txt'));
    writeFileSync(join(this.folder, 'more', 'prices.txt'), '\uFEFFSoup: 4.\n');
  }

  /** Kills a run at a moment. */
  async killedAt(
    { rows, wait }: (typeof moments)[number],
    killed: () => void = () => undefined,
  ): Promise<void> {
    const running = this.apply();
    const told = (stdout: string): number => stdout.split('\n').length - 1;
    // A run that a fault ends before that counts as killed.
    await running
      .until((stdout, stderr) => /to (?:create|replace)/.test(stderr) && told(stdout) >= rows)
      .catch(() => undefined);
    await sleep(wait);
    running.process.kill('SIGKILL');
    await running.ended;
    killed();
  }

  /** Runs it to the end. Returns the addresses of devices that stay unknown. */
  async finish(): Promise<readonly string[]> {
    const running = this.apply();
    const code = await running.ended;
    expect([0, 12], running.output.stderr).toContain(code);
    const rows = running.output.stdout.split('\n').filter((line) => line !== '');
    const unknown = rows
      .map((line) => z.parse(outcome, JSON.parse(line)))
      .flatMap((row) => (row.outcome === 'unknown' ? [row.address] : []));
    expect(code).toBe(unknown.length > 0 ? 12 : 0);
    for (const address of unknown) expect(address).toMatch(/\/devices\/reception$/);
    return unknown;
  }
}

/**
 * The objects of the service that the API shows, as text without ids and times, and the number of devices, which it
 * can't list.
 */
interface World {
  readonly objects: readonly string[];
  readonly devices: number;
}

async function stored(): Promise<World> {
  const { teams, bots, documents } = await contentsOf(api, sandbox.files);
  const all = [...teams, ...bots, ...documents];
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const objects = all.map((object) =>
    JSON.stringify(object)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => names.get(id) ?? 'id')
      .replaceAll(/\b(?:asst_|vs_|file-)\w+/g, 'id of a provider')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/until \d{4}-\d\d-\d\d/g, 'until then'),
  );
  return {
    objects: objects.toSorted(),
    devices: (await callControl(sandbox.control, '/status', {})).devices,
  };
}

/** Returns the result of an undisturbed run. */
async function undisturbed(): Promise<World> {
  const place = await Place.empty();
  expect(await place.finish()).toEqual([]);
  const world = await stored();
  expect(world.devices).toBe(keys.length);
  return world;
}

/** Expects the result of an undisturbed run. A device whose outcome is unknown may exist, but only once. */
async function expectWorld(world: World, unknown: readonly string[], what: string): Promise<void> {
  const there = await stored();
  expect(there.objects, what).toEqual(world.objects);
  expect(there.devices, what).toBeLessThanOrEqual(world.devices);
  expect(there.devices, what).toBeGreaterThanOrEqual(world.devices - unknown.length);
}

describe(`tenants apply, killed, then run to the end (seed ${seed})`, () => {
  it(`ends in the state of an undisturbed run, at ${rounds} moments`, async () => {
    const world = await undisturbed();
    for (const moment of moments) {
      const place = await Place.empty();
      await place.killedAt(moment);
      const unknown = await place.finish();
      await expectWorld(world, unknown, JSON.stringify(moment));
      // An unknown object remains unknown, and is never created again.
      if (unknown.length > 0) {
        expect(await place.finish()).toEqual(unknown);
        await expectWorld(world, unknown, JSON.stringify(moment));
      }
      expect(existsSync(`${place.lock}.journal`)).toBe(false);
    }
  });

  it(`refuses the rest of a saved plan, and reaches that state with a new one, at ${savedRounds} moments`, async () => {
    const world = await undisturbed();
    for (const moment of moments.slice(-savedRounds)) {
      const place = await Place.empty();
      await place.savePlan();
      await place.killedAt(moment);
      await place.refused();
      const unknown = await place.finish();
      await expectWorld(world, unknown, JSON.stringify(moment));
      expect(await place.finish()).toEqual(unknown);
      await expectWorld(world, unknown, JSON.stringify(moment));
    }
  });

  it.each<[string, Omit<FaultRequest, 'target'>]>([
    ['429', { effect: { kind: 'status', status: 429, retry_after: 0 } }],
    ['500', { effect: { kind: 'status', status: 500 } }],
    ['a reset before', { effect: { kind: 'reset', when: 'before' } }],
    ['a reset after', { effect: { kind: 'reset', when: 'after' } }],
    ['slow answers', { delay: 150 }],
  ])('ends in that state if requests fail with %s', async (what, fault) => {
    const world = await undisturbed();
    for (const moment of moments.slice(0, 3)) {
      const place = await Place.empty();
      for (const target of ['createTeam', 'updateTeam', 'createDocument', 'createBot', 'createDevice'])
        await callControl(sandbox.control, '/fault/add', { target, ...fault, rate: 0.3, seed: `${seed}` });
      await place.killedAt(moment);
      // This run may fail with unknown outcomes, which the next one resolves.
      await place.apply().ended;
      await callControl(sandbox.control, '/fault/clear', {});
      await expectWorld(world, await place.finish(), `${what} ${JSON.stringify(moment)}`);
    }
  });

  it('ends in that state with an old state file instead of the current one', async () => {
    const world = await undisturbed();
    for (const moment of moments.slice(3, 8)) {
      const place = await Place.empty();
      const old = `${place.lock}.old`;
      await place.killedAt(moment, () => {
        if (existsSync(place.lock)) copyFileSync(place.lock, old);
      });
      const unknown = await place.finish();
      if (existsSync(old)) copyFileSync(old, place.lock);
      // According to the device book, a device that the old state file lacks is a risk, and apply does nothing without
      // permission.
      const again = place.apply();
      expect([0, 2, 12], again.output.stderr).toContain(await again.ended);
      await expectWorld(world, unknown, JSON.stringify(moment));
    }
  });
});

describe(`tenants apply of changed files, killed, then run to the end (seed ${seed})`, () => {
  const changed = async (): Promise<World> => {
    const place = await Place.empty();
    await place.change();
    expect(await place.finish()).toEqual([]);
    return stored();
  };

  it(`ends in the state of an undisturbed run, at ${rounds / 2} moments`, async () => {
    const world = await changed();
    const replaced = world.objects.filter((text) => text.includes('"name":"menu.txt (until then)'));
    expect(replaced).toHaveLength(keys.length);
    for (const { rows, wait } of moments.slice(0, rounds / 2)) {
      const moment = { rows: rows % changes, wait };
      const place = await Place.empty();
      await place.change();
      await place.killedAt(moment);
      expect(await place.finish()).toEqual([]);
      expect(await stored(), JSON.stringify(moment)).toEqual(world);
      expect(existsSync(`${place.lock}.journal`)).toBe(false);
    }
  });

  it.each<[string, Omit<FaultRequest, 'target'>]>([
    ['500', { effect: { kind: 'status', status: 500 } }],
    ['a reset before', { effect: { kind: 'reset', when: 'before' } }],
    ['a reset after', { effect: { kind: 'reset', when: 'after' } }],
  ])('ends in that state if requests fail with %s', async (what, fault) => {
    const world = await changed();
    for (const { rows, wait } of moments.slice(0, 3)) {
      const place = await Place.empty();
      await place.change();
      for (const target of ['createDocument', 'updateDocument', 'updateBot'])
        await callControl(sandbox.control, '/fault/add', { target, ...fault, rate: 0.3, seed: `${seed}` });
      await place.killedAt({ rows: rows % changes, wait });
      // This run may fail with unknown outcomes, which the next one resolves.
      await place.apply().ended;
      await callControl(sandbox.control, '/fault/clear', {});
      expect(await place.finish()).toEqual([]);
      expect(await stored(), what).toEqual(world);
    }
  });

  it('ends in that state with the previous state file instead of the current one', async () => {
    const world = await changed();
    for (const { rows, wait } of moments.slice(3, 8)) {
      const place = await Place.empty();
      await place.change();
      const before = readFileSync(place.lock);
      await place.killedAt({ rows: rows % changes, wait });
      writeFileSync(place.lock, before);
      expect(await place.finish()).toEqual([]);
      expect(await stored()).toEqual(world);
    }
  });
});

describe('tenants apply of forty tenants', () => {
  it('sends no write the second time, and one PATCH for one instruction that changed in one file', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `tenant-${index}`);
    const place = await Place.empty(many);
    expect(await place.finish()).toEqual([]);
    const seen = await requestsFromNow(sandbox);
    const writes = async (): Promise<readonly string[]> =>
      (await seen()).flatMap(({ method, operation }) =>
        method === 'GET' || operation === 'createToken' ? [] : [String(operation)],
      );
    expect(await place.finish()).toEqual([]);
    expect(await writes()).toEqual([]);
    const file = join(place.folder, 'tenant-7.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Be kind.', 'Be brief.'));
    expect(await place.finish()).toEqual([]);
    expect(await writes()).toEqual(['updateBot']);
  });
});
