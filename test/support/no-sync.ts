import { type FileHandle, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// No test outlives the machine: what is written is not brought to the disk file by file, which takes seconds for the
// database of each sandbox that starts in the process of the tests. A botctl of its own does it all the same.
const handle = await open(fileURLToPath(import.meta.url));
const shared: Pick<FileHandle, 'sync'> = Object.getPrototypeOf(handle);
shared.sync = async () => undefined;
await handle.close();
