import { createInterface } from 'node:readline';
import type { Session } from '../../../cli/context.ts';
import { Failure } from '../../../lib/errors.ts';
import type { EventView } from '../../../pairing/event-view.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';
import { isPlain } from '../../../terminal/accessible.ts';
import type { WatchHead } from './live-table.ts';
import type { WatchedStates } from './watched-states.ts';

/**
 * Opens the right view: a live table, plain lines, or nothing off a terminal. Events that are piped may still appear on
 * the terminal (through `tee`) and would break a table.
 */
export async function openWatchView(
  session: Session,
  states: WatchedStates,
  head: WatchHead,
): Promise<EventView<WatchEvent>> {
  const { terminal, io, options } = session;
  const isTable = options.output === undefined || options.output === 'table';
  // If a format was requested, the events themselves are on the terminal.
  if (!terminal.interactive || (io.stdout.isTTY && !isTable)) return openQuietView(session, head);
  if (isPlain(io.env) || io.stdout.isTTY !== true) return openLines(session, head);
  const { openWatchTable } = await import('./live-table.ts');
  return openWatchTable(session, states, head);
}

/** Off a terminal, events go to stdout. */
function openQuietView({ terminal, signal }: Session, { title }: WatchHead): EventView<WatchEvent> {
  const progress = terminal.progress(title());
  return { signal, show: () => undefined, close: () => progress.stop() };
}

/** Prints a sentence for each change. */
function openLines({ terminal, io }: Session, { title }: WatchHead): EventView<WatchEvent> {
  terminal.note(`${title()}. Type q and Enter to leave.`);
  const leave = new AbortController();
  const typed = createInterface({ input: io.stdin, terminal: false }).on('line', (line) => {
    if (line.trim().toLowerCase() === 'q')
      leave.abort(new Failure('declined', 'Stopped watching. The devices were not changed.'));
  });
  /** Devices with the same name are distinguished by their ids. */
  const who = ({ label, word }: Device): string => (label === word ? label : `${label} (${word})`);
  return {
    signal: leave.signal,
    show(event) {
      if (event.kind === 'state') terminal.note(`${who(event.device)}: ${event.diagnosis.text}.`);
      if (event.kind === 'unreachable') terminal.note(`${who(event.device)}: ${event.problem}`);
    },
    close: () => typed.close(),
  };
}
