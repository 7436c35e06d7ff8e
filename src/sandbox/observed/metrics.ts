import { sql } from 'kysely';
import { isOperation } from '../../contract/endpoints.ts';
import { answered } from '../http/health.ts';
import type { LoggedRequest, RequestSink } from '../request-log/request-log.ts';
import type { Store } from '../store/tables.ts';

/** Upper bounds of the durations that are counted together, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** States of a device, as `device status` calls them. */
const deviceStates = ['stopped', 'waiting', 'ready', 'reconnecting'] as const;

/** The requests of one operation that were answered with one status. */
interface Tally {
  readonly labels: string;
  /** Requests that took as long as a bound at most, and longer than the one before; the last ones took longer than all. */
  readonly within: number[];
  seconds: number;
}

/** A family of values: what Prometheus calls a metric, with its samples. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly string[];
}

/** What a service counts of itself, for Prometheus. */
export class Metrics implements RequestSink {
  readonly #store: Pick<Store, 'db'>;
  readonly #tallies = new Map<string, Tally>();

  constructor(store: Pick<Store, 'db'>) {
    this.#store = store;
  }

  async append({ operation, status, duration_ms }: LoggedRequest): Promise<void> {
    // Names and statuses are few, whatever is asked for.
    const named = operation !== undefined && isOperation(operation) ? operation : 'none';
    const labels = `operation="${named}",status="${status ?? 'none'}"`;
    let tally = this.#tallies.get(labels);
    if (!tally) {
      tally = { labels, within: new Array<number>(bounds.length + 1).fill(0), seconds: 0 };
      this.#tallies.set(labels, tally);
    }
    const seconds = duration_ms / 1000;
    const place = bounds.findIndex((bound) => seconds <= bound);
    const at = place < 0 ? bounds.length : place;
    tally.within[at] = (tally.within[at] ?? 0) + 1;
    tally.seconds += seconds;
  }

  /** Returns all of it in Prometheus' text format, version 0.0.4. Devices are left out while the database is away. */
  async text(): Promise<string> {
    const devices = await answered(countDevices(this.#store));
    const tallies = [...this.#tallies.values()];
    const gauge = { type: 'gauge' } as const;
    const families: readonly Family[] = [
      {
        name: 'botctl_requests_total',
        help: 'Requests, by the operation of the API and the status of the answer; none where there is none.',
        type: 'counter',
        samples: tallies.map(({ labels, within }) => `{${labels}} ${total(within)}`),
      },
      {
        name: 'botctl_request_duration_seconds',
        help: 'Time from the head of a request to its answer.',
        type: 'histogram',
        samples: tallies.flatMap(histogram),
      },
      {
        ...gauge,
        name: 'botctl_ready',
        help: '1 if the database answers, 0 if it is away.',
        samples: [` ${devices ? 1 : 0}`],
      },
      {
        ...gauge,
        name: 'botctl_devices',
        help: 'Devices by their state.',
        samples: devices ? deviceStates.map((state) => `{state="${state}"} ${devices.get(state) ?? 0}`) : [],
      },
    ];
    return families.map(written).join('');
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function histogram({ labels, within, seconds }: Tally): readonly string[] {
  const buckets = [...bounds, '+Inf'].map(
    (bound, place) => `_bucket{${labels},le="${bound}"} ${total(within.slice(0, place + 1))}`,
  );
  return [...buckets, `_sum{${labels}} ${seconds}`, `_count{${labels}} ${total(within)}`];
}

function written({ name, help, type, samples }: Family): string {
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  return [...head, ...samples.map((sample) => `${name}${sample}`)].map((line) => `${line}\n`).join('');
}

async function countDevices({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, number>> {
  const state = sql<(typeof deviceStates)[number]>`case when status = 'stopped' then 'stopped'
    when connected then 'ready' when logged_in then 'reconnecting' else 'waiting' end`;
  const rows = await db
    .selectFrom('devices')
    .select(({ fn }) => [state.as('state'), fn.countAll().as('total')])
    .groupBy('state')
    .execute();
  return new Map(rows.map((row) => [row.state, Number(row.total)]));
}
