import { textOf } from '../lib/json-object.ts';
import { inSentence, oneLine } from '../lib/text/sentence.ts';
import type { OutboxEntry } from './outbox.ts';

/** Returns a change as a part of a sentence: "The removal of Reception that this machine noted at 2026-01-01T00:00:00Z". */
export function changeInWords(entry: OutboxEntry): string {
  const { at } = entry;
  const [id, name, isForgotten] =
    entry.kind === 'event'
      ? [entry.event.device, undefined, false]
      : [entry.record.id, entry.record.name, entry.record.forgotten_at !== undefined];
  const device = inSentence(oneLine(textOf(name) ?? textOf(id) ?? 'a device', 100));
  const verb = isForgotten ? 'removal' : 'change';
  return `The ${verb} of ${device} that this machine noted at ${at}`;
}
