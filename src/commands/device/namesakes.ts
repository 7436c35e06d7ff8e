import type { Session } from '../../context.ts';
import type { BookedDevice } from '../../settings/devices.ts';
import { typedAs } from './words.ts';

/** A device with a name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The other devices of a book that have the same name. */
export function namesakesOf({ id, name }: Named, book: readonly BookedDevice[]): readonly BookedDevice[] {
  return book.filter((device) => device.name === name && device.id !== id);
}

/** Says it where another device in the book has the same name: then only the ids tell them apart. */
export function warnOfNamesakes(
  { api, settings, terminal }: Pick<Session, 'api' | 'settings' | 'terminal'>,
  { id, name }: Named,
): void {
  const others = namesakesOf({ id, name }, settings.devices.list(api.baseUrl));
  if (others.length === 0) return;
  const theirs = others.map((device) => device.id).join(', ');
  terminal.warn(`The device book has another "${name}": ${theirs}. Use their ids to tell them apart.`);
}

/** A device as it is typed in a command that is told: by its id where the name is not its own alone. */
export function typedIn({ api, settings }: Pick<Session, 'api' | 'settings'>, { id, name }: Named): string {
  const ambiguous = namesakesOf({ id, name }, settings.devices.list(api.baseUrl)).length > 0;
  return typedAs({ id, label: name, ambiguous });
}
