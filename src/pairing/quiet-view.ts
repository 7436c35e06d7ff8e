import type { Session } from '../cli/context.ts';
import type { Device } from '../resources/devices/device.ts';
import type { PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import { pageLines } from './pairing-text.ts';
import type { PageAddress } from './pairing-view.ts';
import type { PictureFile } from './picture-file.ts';
import type { EventView } from './shown-rows.ts';

/** Opens the view off a terminal: the events go to stdout, and stderr has what scripts don't need. */
export function openQuietView(
  session: Session,
  device: Device,
  file: PictureFile | undefined,
  page: PageAddress | undefined,
): EventView<PairingEvent> {
  const { terminal, io, signal } = session;
  for (const line of page ? pageLines(page) : []) terminal.note(line);
  // In a log it would stand between the events, which say more.
  const progress = io.stderr.isTTY
    ? terminal.progress(`Waiting for ${device.label} to be paired`)
    : undefined;
  return {
    signal,
    show(event) {
      if (event.kind === 'unreadable') warnUnreadable(session, event, file);
    },
    close: () => progress?.stop(),
  };
}

/** Says why there is no code, and how to see it all the same. */
export function warnUnreadable(
  { terminal }: Session,
  { problem, picture }: { readonly problem: string; readonly picture: Buffer | undefined },
  file: PictureFile | undefined,
): void {
  terminal.warn(`The service sent a picture that can't be read: it ${problem}.`);
  if (file && picture) terminal.note(`It is in ${file.path}: open that in a viewer, and scan it there.`);
  else if (!file) terminal.note('Add --qr-file FILE to keep the picture, and open it in a viewer.');
}
