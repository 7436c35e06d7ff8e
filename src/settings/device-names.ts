import { Failure } from '../errors.ts';
import { mostSimilar } from '../similar.ts';
import type { BookedDevice, DeviceBook } from './devices.ts';

/** What the device is wanted for: reads also take a name in another case, or its unique beginning. */
export interface DeviceUse {
  readonly for: 'read' | 'write';
}

/** Identifiers are UUID strings (api.md, convention 1). */
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * The id of a device given by id or by its name in the device book (design, Names). An id is taken as it
 * is: the book needn't know it.
 * @throws Failure `notFound` with suggestions, `usage` where several have the name
 */
export function resolveDevice(
  book: DeviceBook,
  baseUrl: string,
  text: string,
  use: DeviceUse = { for: 'write' },
): string {
  return findDevice(book, baseUrl, text, use).id;
}

/**
 * What is known of a device given by id or name; of an id that the book doesn't know, only the id.
 * @throws Failure as `resolveDevice`
 */
export function findDevice(
  book: DeviceBook,
  baseUrl: string,
  text: string,
  use: DeviceUse,
): Pick<BookedDevice, 'id'> & Partial<BookedDevice> {
  const known = book.list(baseUrl);
  if (uuid.test(text)) {
    const id = text.toLowerCase();
    return known.find((device) => device.id.toLowerCase() === id) ?? { id };
  }
  const [found, ...others] = matches(known, text, use.for);
  if (found && others.length === 0) return found;
  if (found) throw several(text, [found, ...others]);
  throw none(text, known);
}

/** The best matches there are: exact ones, then for reads those in another case, then beginnings. */
function matches(
  known: readonly BookedDevice[],
  text: string,
  purpose: DeviceUse['for'],
): readonly BookedDevice[] {
  const exact = known.filter(({ id, name }) => name === text || id === text);
  if (exact.length > 0 || purpose === 'write' || text === '') return exact;
  const wanted = text.toLowerCase();
  const inAnotherCase = known.filter(({ name }) => name?.toLowerCase() === wanted);
  if (inAnotherCase.length > 0) return inAnotherCase;
  return known.filter(({ name }) => name?.toLowerCase().startsWith(wanted));
}

function several(text: string, found: readonly BookedDevice[]): Failure {
  return new Failure('usage', `"${text}" could be any of ${found.length} devices.`, {
    hint: `Use the id of the one you mean:\n${listed(found)}`,
  });
}

function none(text: string, known: readonly BookedDevice[]): Failure {
  const similar = mostSimilar(
    text,
    known.flatMap(({ name }) => name ?? []),
  );
  const hint = similar
    ? `Did you mean "${similar}"?`
    : 'See the devices that botctl knows: botctl device list. The API can’t list devices, so another one needs its id.';
  return new Failure('notFound', `There is no device named "${text}" in the device book.`, { hint });
}

function listed(devices: readonly BookedDevice[]): string {
  return devices.map(({ id, name }) => `  ${id}  ${name ?? ''}`.trimEnd()).join('\n');
}
