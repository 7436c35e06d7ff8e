import { CommandResult, defineCommand } from '../../cli/command.ts';
import type { IdentityContext } from '../../cli/context.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import { sinceOption, startOf } from '../../cli/list/since.ts';
import { nameOf, option, optionalArgumentList } from '../../cli/options.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import { commandIn, type EventOfDevice } from '../../desk/device-history.ts';
import { Failure } from '../../lib/errors.ts';
import { Batches, collect } from '../../lib/iterables.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import { devicesOfTeam } from '../../resources/devices/booked-team.ts';
import { findDevice } from '../../resources/devices/find-device.ts';
import { historyFields, sharedHistoryFields } from './fields.ts';

export const history = defineCommand({
  name: 'history',
  summary: 'List recorded events of devices',
  description:
    'Newest first. botctl records an event when it sees a new state, when the service refuses a send, and when a ' +
    'user connects, disconnects or repairs a device. The API keeps no history, so changes that botctl did not see ' +
    'are missing: if a device lost its connection several times between two reads, only the last time is known. This ' +
    'machine keeps the last 200 events of each device. A desk keeps the events of all its machines, and also records ' +
    'when a device is added or forgotten. The names of people are the --operator of their profile, or user@host ' +
    'without one, and are not verified.\n\n' +
    '  by, from            person who ran a command, and the machine\n' +
    '  seen_by, seen_from  person who only saw a state, and the machine\n' +
    '  db_user             user of the database',
  arguments: {
    device: optionalArgumentList('devices, by name or id (default: all)', nameOf('device')),
  },
  options: {
    team: option(
      '--team <team>',
      'only devices that have this team in the device book, by name or id',
      nameOf('team'),
    ),
    since: sinceOption(
      'only events since this time: a duration such as 7d, a day such as yesterday, or "2027-01-31 18:00"',
    ),
    ...wholeListOptions(historyFields),
  },
  examples: [
    { line: 'botctl device history Reception', does: 'See when and why a device was lost' },
    {
      line: 'botctl device history --team "Aurora Coffee" --since 7d',
      does: 'See the last week of all devices of a team',
    },
    { line: 'botctl device history --where by=Bob', does: 'See what Bob did' },
    {
      line: 'botctl device history Reception --where event=lost -o json',
      does: 'Print its losses for a script',
    },
  ],
  needs: 'identity',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: historyFields,
    empty: {
      none: remark`No events yet. Watch a device: ${command('device', 'watch', placeholder('<device>'))}`,
      noMatch: 'No event matches.',
    },
  },
  async run(session, { device: typed, team, since, ...choice }) {
    const { askWhich, devices, history: recorded } = session;
    if (typed && team !== undefined)
      throw new Failure('usage', '--team and <device> cannot be combined.', {
        hint: 'Leave out one of them.',
      });
    const named = typed && (await Promise.all(typed.map((one) => findDevice(devices, one, askWhich))));
    const ofBook = await devices.events();
    // A forgotten device has its last name and team. The names of teams in the device book are newer.
    const known = new Map(ofBook.toReversed().map(({ device }) => [device.id, device]));
    for (const device of await devices.list()) {
      known.delete(device.id);
      known.set(device.id, device);
    }
    const ofTeam = team === undefined ? undefined : await devicesOfTeam([...known.values()], team, askWhich);
    const chosen = named ?? ofTeam;
    const start = since && startOf(since, await recorded.now());
    const ids = chosen && [...new Set(chosen.map(({ id }) => id))];
    const isChosen = ({ deviceId, at }: EventOfDevice): boolean =>
      (ids?.includes(deviceId) ?? true) && (start === undefined || Date.parse(at) >= start);
    const pages = withBookEvents(recorded.recent({ ids, since: start }), ofBook.filter(isChosen));
    const rows = rowsOf(pages, known);
    const result = choice.sort
      ? chooseRows(session, await collect(new Batches(rows)), choice)
      : new Batches(newest(session, rows, choice));
    return new CommandResult<readonly Row[] | AsyncIterable<Row>>(result, {
      fields: named?.length === 1 ? historyFields : sharedHistoryFields,
    });
  },
});

/** Yields pages of events, merged with those of the device book. @param ofBook newest first */
async function* withBookEvents(
  pages: AsyncIterable<readonly EventOfDevice[]>,
  ofBook: readonly EventOfDevice[],
): AsyncGenerator<readonly EventOfDevice[]> {
  const time = ({ at }: EventOfDevice): number => Date.parse(at);
  let left = ofBook;
  for await (const page of pages) {
    const oldest = Math.min(...page.map(time));
    const newer = left.filter((event) => time(event) >= oldest);
    left = left.slice(newer.length);
    yield [...page, ...newer].toSorted((one, other) => time(other) - time(one) || 0);
  }
  if (left.length > 0) yield left;
}

/** Events that a user caused, apart from commands. */
const eventsOfPersons: ReadonlySet<string> = new Set(['refused', 'added', 'forgotten']);

/** Yields rows of events. @param known devices with more than an id, by id */
async function* rowsOf(
  pages: AsyncIterable<readonly EventOfDevice[]>,
  known: ReadonlyMap<string, BookedDevice>,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield page.map((event) => rowOf(event, known.get(event.deviceId)));
}

function rowOf(event: EventOfDevice, device: BookedDevice | undefined): Row {
  const { lostAt } = event;
  // The service still reports the reason of the last loss when a device is connected again.
  const reason = event.event === 'connected' ? undefined : event.reason;
  const hasActor = commandIn(event) !== undefined || eventsOfPersons.has(event.event);
  const [by, from] = [event.by ?? null, event.from ?? null];
  return {
    at: event.at,
    event: event.event,
    reason: reason ?? null,
    // A loss before a pairing does not belong to the pairing.
    lost_at: event.reason === undefined ? null : (lostAt ?? null),
    phone_number: event.phoneNumber ?? null,
    by: hasActor ? by : null,
    from: hasActor ? from : null,
    device_id: event.deviceId,
    name: device?.name ?? null,
    team_name: device?.teamName ?? null,
    id: event.id ?? null,
    seen_by: hasActor ? null : by,
    seen_from: hasActor ? null : from,
    db_user: event.dbUser ?? null,
  };
}

type Choice = Pick<Parameters<typeof chooseRows>[2], 'limit' | 'where'>;

/** Yields the rows that match, up to the limit. It reads no more than needed. */
async function* newest(
  { terminal }: Pick<IdentityContext, 'terminal'>,
  pages: AsyncIterable<readonly Row[]>,
  { limit = Number.POSITIVE_INFINITY, where }: Choice,
): AsyncGenerator<readonly Row[]> {
  let left = limit;
  for await (const page of pages) {
    const matching = page.filter((row) => where.every(({ holds }) => holds(row)));
    yield matching.slice(0, left);
    if (matching.length > left) {
      terminal.note(`Showing the newest ${limit} events. Leave out --limit to show all.`);
      return;
    }
    left -= matching.length;
  }
}
