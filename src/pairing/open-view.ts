import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { type CodeStyle, codeStyles } from '../qr/styles.ts';
import type { Device } from '../resources/devices/device.ts';
import type { Renewals } from '../resources/devices/pairing/rounds.ts';
import type { PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import { isPlain } from '../terminal/accessible.ts';
import type { CodePlaces } from './code-places.ts';
import type { PairingInput } from './pairing-options.ts';
import type { DrawingOptions, PageAddress, PairingActions } from './pairing-view.ts';
import type { PictureFile } from './picture-file.ts';
import { openQuietView } from './quiet-view.ts';
import type { EventView } from './shown-rows.ts';

/** Options of showing a pairing, and of telling of it. */
export interface ViewOptions extends Partial<PairingInput> {
  /** The file that holds the current picture, if one was asked for. */
  readonly file: PictureFile | undefined;
}

/**
 * Opens what shows a pairing: a screen or plain lines on a terminal, elsewhere next to nothing.
 * @param renewals takes requests for a new code; undefined if none can be asked for
 */
export async function openView(
  session: Session,
  device: Device,
  options: ViewOptions,
  places: CodePlaces,
  renewals: Renewals | undefined,
): Promise<EventView<PairingEvent>> {
  const { terminal, io } = session;
  const { qr, qrWeb } = options;
  const drawing: DrawingOptions = { style: qr || usualStyle(session), invert: false };
  const expected = options.expect?.shown;
  const { page, problem }: OpenedPage = qrWeb ? await openedPage(places) : {};
  const file = options.file?.path;
  const drawsCode = terminal.interactive && qr !== false && !isPlain(io.env);
  if (problem !== undefined && !drawsCode) terminal.warn(problem);
  if (!terminal.interactive) {
    if (problem !== undefined && file === undefined)
      terminal.note('The code is shown nowhere: leave with Ctrl-C, and start again with --qr-file FILE.');
    return openQuietView(session, device, options.file, page);
  }
  const actions: PairingActions = {
    page: () => places.page(),
    file: () => places.file(),
    ...(renewals && { renew: () => renewals.request() }),
  };
  if (!drawsCode) {
    const { openPlainLines } = await import('./plain-lines.ts');
    return openPlainLines(session, device, { actions, expected, file, page });
  }
  const { openPairingScreen } = await import('./pairing-screen.ts');
  return openPairingScreen(session, device, { drawing, actions, expected, file, page, problem });
}

/** Returns the style of drawing that a person is used to: by the environment, or by the profile. */
function usualStyle({ io: { env }, identity, terminal }: Session): CodeStyle {
  const wanted = env.BOTCTL_QR || identity.settings?.qr;
  const style = codeStyles.find((one) => one === wanted);
  // How a code is drawn is no reason to refuse a pairing.
  if (wanted !== undefined && style === undefined)
    terminal.warn(
      `Codes can't be drawn as "${wanted}": ${codeStyles.join(', ')} are the styles that there are.`,
    );
  return style ?? 'auto';
}

interface OpenedPage {
  readonly page?: PageAddress;
  readonly problem?: string;
}

/** Opens the web page, or returns why there is none: the pairing goes on without it. */
async function openedPage(places: CodePlaces): Promise<OpenedPage> {
  try {
    return { page: await places.page() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { problem: error.message };
  }
}
