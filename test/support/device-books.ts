import { createDeviceBook, type DeviceBook, fileLog } from '../../src/desk/device-book.ts';

type Method = Exclude<keyof DeviceBook, 'file' | 'unwritable' | 'damagedLines' | 'usedNames'>;

/** The device books in a directory: each method takes the service's address first. */
type DeviceBooks = {
  readonly [M in Method]: (baseUrl: string, ...args: Parameters<DeviceBook[M]>) => ReturnType<DeviceBook[M]>;
} & Pick<DeviceBook, 'damagedLines'>;

/** Opens the device books of all services in a directory. */
export function booksIn(directory: string): DeviceBooks {
  const log = fileLog(directory);
  const at = (baseUrl: string): DeviceBook => createDeviceBook(log, baseUrl);
  return {
    damagedLines: () => at('https://any.example.com').damagedLines(),
    list: (baseUrl) => at(baseUrl).list(),
    namesakes: (baseUrl, ...args) => at(baseUrl).namesakes(...args),
    intents: (baseUrl) => at(baseUrl).intents(),
    forgotten: (baseUrl) => at(baseUrl).forgotten(),
    events: (baseUrl) => at(baseUrl).events(),
    recordSeen: (baseUrl, ...args) => at(baseUrl).recordSeen(...args),
    record: (baseUrl, ...args) => at(baseUrl).record(...args),
    intend: (baseUrl, ...args) => at(baseUrl).intend(...args),
    settle: (baseUrl, ...args) => at(baseUrl).settle(...args),
    merge: (baseUrl, ...args) => at(baseUrl).merge(...args),
    recordRefusal: (baseUrl, ...args) => at(baseUrl).recordRefusal(...args),
    dropRefusals: (baseUrl, ...args) => at(baseUrl).dropRefusals(...args),
    forget: (baseUrl, ...args) => at(baseUrl).forget(...args),
  };
}
