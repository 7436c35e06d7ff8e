import type { Session } from '../../../context.ts';
import { isPlain } from '../../../terminal/accessible.ts';
import type { Board } from './board.ts';
import type { WatchEvent } from './watch.ts';

/** What tells a person how the watched devices are. */
export interface WatchView {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  show(event: WatchEvent): void;
  /** Gives the terminal back as it was; safe to call twice. */
  close(): void;
}

/** Opens the view that suits: a table that is kept up to date, plain lines, or nothing off a terminal. */
export async function openWatchView(session: Session, board: Board, title: string): Promise<WatchView> {
  const { terminal, io } = session;
  if (!terminal.interactive) return openQuietView(session, title);
  if (isPlain(io.env)) return openLines(session, title);
  const { openWatchTable } = await import('./table.ts');
  return openWatchTable(session, board, title);
}

/** Off a terminal what happens goes to stdout. */
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
      if (event.kind === 'state') terminal.note(`${event.device.label}: ${event.verdict.text}.`);
      if (event.kind === 'unreachable') terminal.note(`${event.device.label}: ${event.problem}`);
    },
    close: () => undefined,
  };
}
