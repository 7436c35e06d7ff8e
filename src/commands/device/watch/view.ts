import type { Session } from '../../../cli/context.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';
import { isPlain } from '../../../terminal/accessible.ts';
import type { EventView } from '../event-view.ts';
import type { WatchedStates } from './watched-states.ts';

/** Opens the view that suits: a table that is kept up to date, plain lines, or nothing off a terminal. */
export async function openWatchView(
  session: Session,
  states: WatchedStates,
  title: string,
): Promise<EventView<WatchEvent>> {
  const { terminal, io } = session;
  if (!terminal.interactive) return openQuietView(session, title);
  if (isPlain(io.env)) return openLines(session, title);
  const { openWatchTable } = await import('./live-table.ts');
  return openWatchTable(session, states, title);
}

/** Off a terminal events go to stdout. */
function openQuietView({ terminal, signal }: Session, title: string): EventView<WatchEvent> {
  const progress = terminal.progress(title);
  return { signal, show: () => undefined, close: () => progress.stop() };
}

/** A sentence for each change. */
function openLines({ terminal, signal }: Session, title: string): EventView<WatchEvent> {
  terminal.note(`${title}. Press Ctrl-C to leave.`);
  return {
    signal,
    show(event) {
      if (event.kind === 'state') terminal.note(`${event.device.label}: ${event.diagnosis.text}.`);
      if (event.kind === 'unreachable') terminal.note(`${event.device.label}: ${event.problem}`);
    },
    close: () => undefined,
  };
}
