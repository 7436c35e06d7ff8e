import type { BookedDevice } from '../../settings/device-book.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A device with a name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Returns the other devices of a book that have the same name. */
export function namesakesOf({ id, name }: Named, book: readonly BookedDevice[]): readonly BookedDevice[] {
  return book.filter((device) => device.name === name && device.id !== id);
}

/** Warns if another device in the book has the same name: then only the ids tell them apart. */
export function warnOfNamesakes(
  { api, settings, reporter }: Pick<ResourceContext, 'api' | 'settings' | 'reporter'>,
  { id, name }: Named,
): void {
  const others = namesakesOf({ id, name }, settings.devices.list(api.baseUrl));
  if (others.length === 0) return;
  const theirs = others.map((device) => device.id).join(', ');
  reporter.warn(`The device book has another "${name}": ${theirs}. Use their ids to tell them apart.`);
}
