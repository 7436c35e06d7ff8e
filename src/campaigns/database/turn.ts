import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { laneMembers } from '../kept-form.ts';
import { type Lane, newLane, withoutProcess } from '../lane.ts';
import { beginLease, leaseTime } from '../lease.ts';
import { processEnded, stateAfter } from '../row-state.ts';
import {
  LaneChanged,
  type LaneEntry,
  type LaneOfRun,
  type RowClaim,
  type Turn,
  type TurnOptions,
} from '../running.ts';
import { type CampaignInDatabase, stateOf } from './campaign-run.ts';
import { type CampaignDatabase, mayPass, millisecondsOf, now } from './connection.ts';
import { plain, rowColumns, rowOf } from './rows.ts';

/** What a turn needs of the database. */
interface Place {
  readonly database: CampaignDatabase;
  /** Returns a campaign that was opened. */
  campaignOf(entry: LaneEntry): CampaignInDatabase;
}

/** Milliseconds between two looks at a device that another process has. */
const lookAgainMs = 200;

/** A message of another process is told of once it has been waited for so many milliseconds: most have their answer by then. */
const toldAfterMs = 3000;

/** Milliseconds before what could not be claimed is looked at again. */
const claimAgainMs = 50;

/** A claim counts only so many milliseconds after what it was decided by: one that comes later than that decides nothing. */
const decisionMs = 3000;

/** Days and windows begin and end with a minute; a claim is decided and taken in the same one. */
const minuteMs = 60_000;

const laneSchema = z.strictObject(laneMembers);

const lookAnswer = z.object({
  now: z.number(),
  version: z.nullable(z.number()),
  lane: z.unknown(),
  last_at: z.nullable(z.number()),
  lease: z.nullable(z.string()),
  is_live: z.nullable(z.boolean()),
  lease_until: z.nullable(z.number()),
  holder: z.nullable(z.string()),
  campaigns: z.array(z.looseObject({ id: z.string() })),
  next: z.array(z.looseObject({ campaign: z.string(), opted_out: z.boolean() })),
});

type Look = z.infer<typeof lookAnswer>;

/**
 * Waits for the turn of a device in a database: see `CampaignStore.turn`. Nothing is held by it before a row is claimed: who
 * changes the device first has the turn, and who comes later begins again.
 */
export async function turnInDatabase(
  place: Place,
  lane: LaneOfRun,
  { signal, clock, requestTimeout, onHeld }: TurnOptions,
): Promise<Turn> {
  const { database } = place;
  const leaseMs = leaseTime(requestTimeout);
  let other: { readonly lease: string; readonly since: number; readonly until: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { look, lookedAt } = await database.asked(() => lookAt(place, lane));
    if (look.version === null) await database.asked(() => makeLane(database, lane));
    else if (look.last_at !== null && look.last_at > look.now)
      await database.asked(() => setBack(database, lane, look, leaseMs));
    else if (look.lease === null)
      return turnOf({ ...place, lane, look, leaseMs, wall: () => clock.now(), ahead: look.now - lookedAt });
    else if (look.is_live) {
      const here = clock.now();
      if (other?.lease !== look.lease)
        other = { lease: look.lease, since: here, until: here + (look.lease_until ?? look.now) - look.now };
      if (here - other.since >= toldAfterMs)
        onHeld?.({ holder: look.holder ?? undefined, until: other.until });
      await clock.sleep(lookAgainMs, signal);
    } else await database.asked(() => endLease(database, lane, look, clock.random()));
  }
}

async function lookAt(
  { database, campaignOf }: Place,
  { key, entries }: LaneOfRun,
): Promise<{ readonly look: Look; readonly lookedAt: number }> {
  const ids = entries.map(({ campaign }) => campaign.id);
  const devices = entries.map(({ device }) => device);
  const looking = sql`
    with l as (select * from lanes where origin = ${key.origin} and device = ${key.device})
    select ${millisecondsOf(now)} as now, l.version, l.lane, ${millisecondsOf(sql`l.last_at`)} as last_at,
      l.lease, l.lease_until > ${now} as is_live, ${millisecondsOf(sql`l.lease_until`)} as lease_until, l.holder,
      (select coalesce(json_agg(c), '[]') from (
        select c.id, c.frozen, c.mark, c.marked_at, c.server = ${database.server} as is_at_home from campaigns as c
        where c.id = any(${ids}::uuid[]) or c.id::text in (select json_object_keys(l.lane -> 'campaigns'))) as c) as campaigns,
      (select coalesce(json_agg(n), '[]') from unnest(${ids}::uuid[], ${devices}::integer[]) as e(campaign, device)
        cross join lateral (select e.campaign, ${rowColumns}, exists (select from opt_outs as o
            where o.origin = ${key.origin} and o.form = r.form) as opted_out
          from campaign_rows as r where r.campaign = e.campaign and r.device = e.device and r.state = 'planned'
          order by r.row limit 1) as n) as next
    from (select) as one left join l on true`;
  const [answer] = (await looking.execute(database.db)).rows;
  const lookedAt = performance.now();
  const look = z.parse(lookAnswer, answer);
  for (const entry of entries) {
    const found = look.campaigns.find(({ id }) => id === entry.campaign.id);
    if (found) await campaignOf(entry).take(stateOf(found));
    else await campaignOf(entry).refresh();
  }
  return { look, lookedAt };
}

async function makeLane({ db }: CampaignDatabase, { key }: LaneOfRun): Promise<void> {
  const lane = JSON.stringify(newLane());
  await sql`insert into lanes (origin, device, lane) values (${key.origin}, ${key.device}, ${lane}::json)
    on conflict do nothing`.execute(db);
}

/** The host whose lease is over has died, or stood still for so long that it sends nothing any more. */
async function endLease(
  { db }: CampaignDatabase,
  { key }: LaneOfRun,
  look: Look,
  draw: number,
): Promise<void> {
  const lane = withoutProcess(laneIn(look), look.now, draw);
  await sql`
    with ended as (update lanes set version = version + 1, lane = ${textOf(lane)}::json, last_at = ${now},
        lease = null, lease_until = null
      where origin = ${key.origin} and device = ${key.device} and version = ${look.version} and lease_until <= ${now}
      returning origin)
    update campaign_rows set state = 'unknown', reason = ${processEnded.reason}, because = ${processEnded.because},
      at = ${isoOf(look.now)} where state = 'sending' and claim = ${look.lease}::uuid and exists (select from ended)`.execute(
    db,
  );
}

/** The clock was put back meanwhile: nothing was sent in the future, which would be waited for. */
async function setBack(
  { db }: CampaignDatabase,
  { key }: LaneOfRun,
  { version }: Look,
  leaseMs: number,
): Promise<void> {
  await sql`update lanes set version = version + 1, last_at = ${now},
      lease_until = least(lease_until, ${now} + ${leaseMs} * interval '1 millisecond')
    where origin = ${key.origin} and device = ${key.device} and version = ${version}`.execute(db);
}

/** What a turn was made of. */
interface Begun extends Place {
  readonly lane: LaneOfRun;
  readonly look: Look;
  readonly leaseMs: number;
  /** The clock on the wall of this machine, which goes on while the machine sleeps; milliseconds since 1970. */
  wall(): number;
  /** What the clock of the database is ahead of this process's own, in milliseconds. */
  readonly ahead: number;
}

function turnOf({ database, campaignOf, lane: { key, entries }, look, leaseMs, wall, ahead }: Begun): Turn {
  const { db, asked, untilTaken, tell } = database;
  let lane = laneIn(look);
  let version = look.version ?? 0;
  const clock = (): number => performance.now() + ahead;
  const own = new Set(entries.map(({ campaign }) => campaign.id));
  const open = new Set(
    look.campaigns.filter(({ mark, is_at_home }) => mark === null && is_at_home === true).map(({ id }) => id),
  );
  const next = new Map(
    look.next.map(({ campaign, opted_out, ...row }) => [campaign, { row: rowOf(row), opted_out }]),
  );
  let lease: string | undefined;
  let isHeld = (): boolean => false;
  /** The device as it was before its message. */
  let before = lane;
  const here = sql`origin = ${key.origin} and device = ${key.device}`;
  return {
    get lane() {
      const campaigns = Object.entries(lane.campaigns).filter(([id]) => own.has(id) || open.has(id));
      return { ...lane, campaigns: Object.fromEntries(campaigns) };
    },
    now: clock,
    next: ({ campaign }) => next.get(campaign.id)?.row,
    isOptedOut: (row) => [...next.values()].some((one) => one.row === row && one.opted_out),
    async update(changed) {
      const updating = sql`update lanes set version = version + 1, lane = ${textOf(changed)}::json,
        last_at = ${instantOf(changed.lastAt)} where ${here} and version = ${version} and lease is null returning version`;
      if ((await asked(() => updating.execute(db))).rows.length === 0) throw new LaneChanged();
      version += 1;
      lane = changed;
    },
    async skip(entry, row, why) {
      const skipping = sql`update campaign_rows set state = 'skipped', reason = ${plain(why.reason)},
        because = ${plain(why.because)}, at = ${isoOf(clock())}
        where campaign = ${entry.campaign.id}::uuid and row = ${row} and state = 'planned' returning row`;
      if ((await asked(() => skipping.execute(db))).rows.length > 0)
        campaignOf(entry).note(entry.device, 'planned', 'skipped');
    },
    async claim(entry, { row }, changed): Promise<RowClaim | undefined> {
      const { campaign, device } = entry;
      const [claimed] = await leasing(
        (token, leased) =>
          sql`
          with picked as (
            select r.campaign, r.row from campaign_rows as r join campaigns as c on c.id = r.campaign
            where r.campaign = ${campaign.id}::uuid and r.row = ${row} and r.state = 'planned'
              and c.mark is null and c.server = ${database.server}
              and not exists (select from opt_outs as o where o.origin = ${key.origin} and o.form = r.form)
            for update of r skip locked),
          leased as (${leased} and exists (select from picked) returning device)
          update campaign_rows as r set state = 'sending', claim = ${token}::uuid, attempts = coalesce(r.attempts, 0) + 1,
            at = ${isoOf(clock())}, reason = null, because = null
          from picked, leased where r.campaign = picked.campaign and r.row = picked.row
          returning ${rowColumns}`,
        changed,
      );
      if (claimed === undefined) return undefined;
      campaignOf(entry).note(device, 'planned', 'sending');
      return { row: rowOf(claimed), isHeld };
    },
    async settle(entry, row, { event, ...why }, changed) {
      const state = stateAfter('sending', event);
      if (state === undefined) throw new TypeError(`${event} is not what comes of a message`);
      // A lease that ran out has made the row unknown; who sent it knows better.
      // So does it where the row was planned again meanwhile: what was sent, or may have been, is not sent by itself.
      const mayBeSent = event === 'accept' || event === 'lose';
      const isKept = await release(
        `what came of row ${row}`,
        changed,
        (token) => sql`
        update campaign_rows set state = ${state}, reason = ${plain(why.reason)}, because = ${plain(why.because)},
          at = ${isoOf(clock())}, attempts = attempts - ${event === 'return' ? 1 : 0}
        where campaign = ${entry.campaign.id}::uuid and row = ${row}
          and ((claim = ${token}::uuid and state in ('sending', 'unknown')) or (${mayBeSent} and state = 'planned'))
        returning row`,
      );
      if (isKept) campaignOf(entry).note(entry.device, 'sending', state);
      else if (event !== 'return')
        tell(
          `Row ${row} of ${entry.campaign.campaign.name} is ${state}, and somebody else has said otherwise.`,
        );
    },
    async claimDevice(changed) {
      const [claimed] = await leasing((_, leased) => sql`${leased} returning device`, changed);
      return claimed === undefined ? undefined : { isHeld };
    },
    async settleDevice(changed) {
      await release('what came of a message', changed, () => sql`select`);
    },
    release: () => undefined,
  };

  /** Runs a statement that leases the device, and returns its rows: none where the device, or what is to be sent, isn't as it was. */
  async function leasing(
    statement: (token: string, leased: RawBuilder<unknown>) => RawBuilder<unknown>,
    changed: Lane,
  ): Promise<readonly unknown[]> {
    const token = randomUUID();
    // What was looked at before holds until the end of that minute, and not longer.
    const decidedAt = changed.lastAt ?? clock();
    const until = Math.min(decidedAt + decisionMs, (Math.floor(decidedAt / minuteMs) + 1) * minuteMs);
    isHeld = beginLease(leaseMs, wall);
    const leased = sql`
      update lanes set version = version + 1, lane = ${textOf(changed)}::json, last_at = ${now},
        lease = ${token}::uuid, lease_until = ${now} + ${leaseMs} * interval '1 millisecond', holder = ${thisProcess()}
      where ${here} and version = ${version} and lease is null and ${now} < ${instantOf(until)}`;
    try {
      const { rows } = await statement(token, leased).execute(db);
      if (rows.length === 0) {
        // Somebody else has the row or the device for a moment.
        await wait(claimAgainMs);
        return rows;
      }
      lease = token;
      before = lane;
      lane = changed;
      version += 1;
      return rows;
    } catch (error) {
      if (!mayPass(error)) return asked(() => Promise.reject(error));
      await giveBack(token);
      return [];
    }
  }

  /**
   * Keeps a device as it is after its message, with what came of that. A message that counts for nothing leaves its pause.
   * Returns whether what came of it was kept.
   */
  async function release(
    what: string,
    changed: Lane,
    outcome: (token: string) => RawBuilder<unknown>,
  ): Promise<boolean> {
    if (lease === undefined) throw new TypeError('nothing is on its way');
    const token = lease;
    const isReturned = changed.lastAt === before.lastAt;
    const { rows } = await untilTaken(what, () =>
      sql<{ is_kept: boolean }>`
      with outcome as (${outcome(token)}),
      freed as (update lanes set version = version + 1, lane = ${textOf(changed)}::json,
          last_at = ${isReturned ? instantOf(before.lastAt) : now}, lease = null, lease_until = null
        where ${here} and lease = ${token}::uuid returning device)
      select exists (select from outcome) as is_kept from (select) as one left join freed on true`.execute(
        db,
      ),
    );
    lease = undefined;
    lane = changed;
    version += 1;
    return rows[0]?.is_kept === true;
  }

  /** Nobody knows whether a claim was taken whose answer was lost. It is looked up once it can't be taken any more, and never sent. */
  async function giveBack(token: string): Promise<void> {
    await wait(decisionMs);
    await untilTaken('that a message was not sent', () =>
      db.transaction().execute(async (step) => {
        // Waits for a claim that is about to be taken.
        await sql`select from lanes where ${here} for update`.execute(step);
        await sql`
          with returned as (
            update campaign_rows set state = 'planned', attempts = attempts - 1
            where claim = ${token}::uuid and state in ('sending', 'unknown') returning row)
          update lanes set version = version + 1, lane = ${textOf(lane)}::json, last_at = ${instantOf(lane.lastAt)},
            lease = null, lease_until = null
          where ${here} and lease = ${token}::uuid`.execute(step);
      }),
    );
  }
}

/** Returns what a person finds this process by. */
function thisProcess(): string {
  return `${hostname()} (process ${process.pid})`;
}

function laneIn({ lane, last_at }: Look): Lane {
  const { rejections, paused, ...rest } = z.parse(laneSchema, lane);
  return { ...rest, rejections, paused, lastAt: last_at ?? undefined };
}

/** The instant of the last message stands beside it, as the database has measured it. */
function textOf({ lastAt: _, ...lane }: Lane): string {
  return JSON.stringify(lane, (_name, value: unknown) => (typeof value === 'string' ? plain(value) : value));
}

/** Returns milliseconds since 1970 as an instant of the database. */
function instantOf(milliseconds: number | undefined): RawBuilder<unknown> {
  return milliseconds === undefined
    ? sql`null::timestamptz`
    : sql`to_timestamp(${milliseconds}::float8 / 1000)`;
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
