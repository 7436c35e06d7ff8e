import { asText, type JsonObject } from '../lib/json-object.ts';
import { type CommandLine, command } from '../lib/text/remark.ts';
import { deviceKey, type FoldedRecords } from './device-book-lines.ts';
import type { OutboxEntry } from './outbox.ts';

/** A change in an outbox, for display and scripts. */
export interface OutboxChange {
  /**
   * `add`, `rename`, `change`, `forget`, `create`, `settle` (the outcome of a create) or `refusal` (of a send) for the
   * device book; the name of an event for the history.
   */
  readonly change: string;
  /** The id of the device; undefined for a create without a response. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** ISO 8601; when this machine made the change. */
  readonly at: string;
  readonly refused: OutboxEntry['refused'];
  /** The command that repeats the change; undefined if there is none. */
  readonly repeat: CommandLine | undefined;
}

/** Returns the changes of an outbox. @param known the devices in the desk */
export function changesOf(
  entries: readonly OutboxEntry[],
  known: FoldedRecords['known'],
): readonly OutboxChange[] {
  return entries.map((entry) => {
    const { at, refused } = entry;
    const record = entry.kind === 'event' ? entry.event : entry.record;
    const id = asText(entry.kind === 'event' ? record.device : record.id);
    const device = known.get(deviceKey({ origin: record.origin, id }));
    const name = asText(record.name) ?? asText(device?.name);
    const change = entry.kind === 'event' ? (asText(record.event) ?? 'event') : changeIn(record, device);
    return { change, id, name, at, refused, repeat: repeatOf(change, id, record) };
  });
}

function changeIn(record: JsonObject, device: JsonObject | undefined): string {
  if (record.intent !== undefined) return record.settled === true ? 'settle' : 'create';
  // Earlier versions wrote all members of the device with a refusal, but it is not a rename; null drops a refusal.
  if (record.refusal !== undefined) return 'refusal';
  if (record.forgotten_at !== undefined) return 'forget';
  if (!device) return 'add';
  const isRenamed = record.name !== undefined && record.name !== device.name;
  return isRenamed ? 'rename' : 'change';
}

/** A device is named by its id, since names may have changed. */
function repeatOf(change: string, id: string | undefined, record: JsonObject): CommandLine | undefined {
  if (id === undefined) return undefined;
  if (change === 'forget') return command('device', 'forget', id);
  if (!['add', 'rename', 'change'].includes(change)) return undefined;
  const options = { name: record.name, team: record.team_id, bot: record.bot_id };
  return command(
    'device',
    'add',
    id,
    ...Object.entries(options).flatMap(([option, value]) => {
      const text = asText(value);
      return text === undefined ? [] : [`--${option}`, text];
    }),
  );
}
