import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import type { Device } from '../device.ts';
import { readStatus } from '../device.ts';
import { typedAs } from '../words.ts';
import { rowOf } from './event-row.ts';
import { watchPairing } from './events.ts';
import { warnUnreadable } from './follow.ts';
import type { PictureFile } from './picture-file.ts';

/** Milliseconds that a started device may take to show its first code. */
const codePatience = 15_000;

/**
 * Saves the first code that a device shows, for a caller that doesn't wait for more. Gives the event.
 * @throws Failure `notReached` where there is none
 */
export async function saveFirstCode(
  session: Session,
  device: Device,
  options: {
    readonly file: PictureFile;
    readonly fresh: boolean;
    readonly patience: number;
    readonly revealQr: boolean;
  },
): Promise<Row> {
  const { clock, signal, terminal } = session;
  const { file, fresh, patience, revealQr } = options;
  const read = (until: AbortSignal) => readStatus(session, device, until);
  for await (const event of watchPairing({ read, clock, signal, timeout: codePatience, fresh, patience })) {
    if (event.kind === 'unreadable') warnUnreadable(session, event, file);
    if (event.kind === 'code' || event.kind === 'unreadable') {
      const picture = event.kind === 'code' ? event.code.picture : event.picture;
      if (picture) file.write(picture);
      if (event.kind === 'code')
        terminal.note(`The code is in ${file.path}. It is replaced soon, and the file isn't.`);
    }
    if (['code', 'unreadable', 'connected'].includes(event.kind)) {
      return rowOf(event, device, revealQr ? session.reveal : undefined);
    }
  }
  throw new Failure('notReached', `${device.label} shows no code.`, {
    hint: `Stop it and start it again: botctl device repair ${typedAs(device)}`,
  });
}
