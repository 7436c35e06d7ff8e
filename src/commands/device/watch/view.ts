import type { Session } from '../../../cli/context.ts';
import { isPlain } from '../../../terminal/accessible.ts';
import type { WatchState } from './watch-state.ts';
import type { WatchView } from './watch-view.ts';

/** Opens the view that suits: a table that is kept up to date, plain lines, or nothing off a terminal. */
export async function openWatchView(
  session: Session,
  watchState: WatchState,
  title: string,
): Promise<WatchView> {
  const { terminal, io } = session;
  if (!terminal.interactive) return openQuietView(session, title);
  if (isPlain(io.env)) return openLines(session, title);
  const { openWatchTable } = await import('./live-table.ts');
  return openWatchTable(session, watchState, title);
}

/** Off a terminal events go to stdout. */
function openQuietView({ terminal, signal }: Session, title: string): WatchView {
  const progress = terminal.progress(title);
  return { signal, show: () => undefined, close: () => progress.stop() };
}

/** A sentence for each change. */
function openLines({ terminal, signal }: Session, title: string): WatchView {
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
