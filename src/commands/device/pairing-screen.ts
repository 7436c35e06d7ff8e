import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { shellWord } from '../../shell-word.ts';
import { rulerFor } from '../../terminal/width.ts';
import type { PairingEvent } from './pairing.ts';

/** The screen on which a person follows the pairing. */
export interface PairingScreen {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  show(event: PairingEvent): Promise<void>;
  /** Gives the terminal back as it was; safe to call twice. */
  close(): void;
}

/** Whether the terminal can show a screen at all. */
export function canShow({ terminal, io }: Pick<Context, 'terminal' | 'io'>): boolean {
  return terminal.interactive && io.env.TERM !== 'dumb';
}

/** Milliseconds between two steps of the countdown. */
const tick = 1000;

/**
 * Opens the screen. It is drawn again at each event, at each resize, and each second for the countdown.
 * @param device name of the device, or its id
 * @param file the file that holds the current picture, where there is one
 */
export async function openPairingScreen(
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
  device: string,
  file: string | undefined,
): Promise<PairingScreen> {
  const { drawWaiting, styleFor } = await import('./waiting-screen.ts');
  const style = styleFor(terminal);
  let ruler = await rulerFor([device, file ?? '']);
  let shown: PairingEvent | undefined;

  const leaving = new AbortController();
  const screen = terminal.openScreen();
  const draw = (): void => {
    const waiting = { device, file, event: shown, now: clock.now() };
    screen.draw(drawWaiting(waiting, { columns: screen.columns, rows: screen.rows }, style, ruler));
  };
  screen.onResize(draw);
  screen.onKey((key) => {
    if (key === 'interrupt') leaving.abort(new Failure('interrupted', 'Interrupted.'));
    if (key === 'q') {
      const hint = `Look at it again: botctl device status ${shellWord(device)} --watch`;
      leaving.abort(new Failure('declined', 'Left. The device stays as it is.', { hint }));
    }
  });
  const ticking = setInterval(draw, tick);
  draw();

  return {
    signal: leaving.signal,
    async show(event) {
      shown = event;
      ruler = await rulerFor([device, file ?? '', ...foreignWords(event)]);
      draw();
    },
    close() {
      clearInterval(ticking);
      screen.close();
    },
  };
}

/** What the service says in an event; it may be in any script. */
function foreignWords(event: PairingEvent): readonly string[] {
  if (event.kind === 'stopped') return [event.reason ?? ''];
  return event.kind === 'unreachable' || event.kind === 'unreadable' ? [event.problem] : [];
}
