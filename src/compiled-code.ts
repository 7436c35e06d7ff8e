import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import Module, { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { makePrivateDirectory, replaceCacheFile } from './files/private-file.ts';

/**
 * Files of this program have a hash of what is in them in their names, but for the first ones, which are too
 * small to be worth it.
 */
const namedByContent = /-[\w-]{8}\.cjs$/;

/** Milliseconds after which compiled code that this program doesn't know may go: another version's, or another Node's. */
const longestUnknown = 30 * 24 * 60 * 60 * 1000;

/** Bytes before the compiled code: its checksum, and room that keeps the code where V8 can read it without a copy. */
const headBytes = 8;

/** Permissions that let others than the owner change a file. */
const writableByOthers = 0o022;

/** A file of the program that was loaded, in the form that V8 gives its compiled code of. */
interface Loaded {
  readonly script: Script;
  /** Where its compiled code belongs. */
  readonly keptIn: string;
}

/**
 * Loads a file of the built program, and all that it requires, with the compiled code that an earlier start
 * left in a directory: compiling takes a third of a start. A start that loads a file which has none there
 * keeps that of all its files when the process exits, with the functions that were compiled because they ran.
 * Where nothing can be read or written, or without a directory, everything is compiled as usual.
 *
 * V8 accepts compiled code for its own version and flags only. What it doesn't check is checked here: that
 * nobody else can have written it, and that it is whole; spoilt code would end the process without a word.
 * @throws whatever the files throw when they are loaded
 */
export function loadWithCompiledCode(entry: string, directory: string | undefined): void {
  const suffix = suffixFor(process);
  const isTrusted = directory !== undefined && isOursAlone(directory);
  const require = createRequire(entry);
  const loaded: Loaded[] = [];
  let isIncomplete = false;
  let isStale = false;

  const compile = (filename: string): Script => {
    const source = functionOf(filename);
    if (directory === undefined || !namedByContent.test(filename)) return new Script(source, { filename });
    const keptIn = join(directory, basename(filename, '.cjs') + suffix);
    const cachedData = isTrusted ? compiledCodeIn(keptIn) : undefined;
    const script = new Script(source, { filename, cachedData });
    // Where V8 rejects the first, it rejects all: another machine made them. Later it may be for flags that were
    // set since the start (v8-flags.ts), and the next start needs what is there.
    isStale ||= script.cachedDataRejected === true && loaded.length === 0;
    isIncomplete ||= isStale || cachedData === undefined;
    if (isStale || !script.cachedDataRejected) loaded.push({ script, keptIn });
    return script;
  };

  const load = (file: string): unknown => {
    const known = require.cache[file];
    if (known) return known.exports;
    const run = compile(file).runInThisContext();
    const module = new Module(file);
    require.cache[file] = module;
    const requireFrom = (id: string): unknown =>
      id.startsWith('.') ? load(resolve(dirname(file), id)) : require(id);
    run.call(module.exports, module.exports, requireFrom, module, file, dirname(file));
    return module.exports;
  };

  process.on('exit', () => {
    if (directory !== undefined && isIncomplete) keep(loaded, directory);
  });
  load(entry);
}

/** What tells the compiled code for one V8 from that for another: its version, and the flags it is started with. */
function suffixFor({ versions, arch, execArgv, env }: NodeJS.Process): string {
  const flags = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ').trim();
  const mark = flags === '' ? '' : `-${crc32(flags).toString(16)}`;
  return `.${arch}-${versions.v8}${mark}`;
}

const [wrapBegin = '', wrapEnd = ''] = Module.wrap('\0').split('\0');

/**
 * The source of the function that runs a file, as Node makes it of every CommonJS module. It is one string
 * from the start: one put together would be copied, and the build leaves nothing but ASCII in there.
 */
function functionOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.allocUnsafe(wrapBegin.length + size + wrapEnd.length);
    bytes.write(wrapBegin, 'latin1');
    const read = readSync(handle, bytes, wrapBegin.length, size, 0);
    bytes.write(wrapEnd, wrapBegin.length + read, 'latin1');
    return bytes.toString('latin1', 0, wrapBegin.length + read + wrapEnd.length);
  } finally {
    closeSync(handle);
  }
}

/** The compiled code in a file; undefined where there is none that can be trusted. */
function compiledCodeIn(file: string): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    if (!isOurs(fstatSync(handle))) return undefined;
    const content = readFileSync(handle);
    const code = content.subarray(headBytes);
    return crc32(code) === content.readUInt32LE(0) ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether a directory is there into which nobody but this user can write. */
function isOursAlone(directory: string): boolean {
  try {
    return isOurs(statSync(directory));
  } catch {
    return false;
  }
}

/** Whether nobody but this user can have written a file or into a directory. Windows keeps the cache for its user. */
function isOurs({ uid, mode }: Stats): boolean {
  return !process.geteuid || (uid === process.geteuid() && (mode & writableByOthers) === 0);
}

/** Keeps the compiled code of files for the next start, where that is possible. */
function keep(loaded: readonly Loaded[], directory: string): void {
  try {
    makePrivateDirectory(directory);
    for (const { script, keptIn } of loaded) replaceCacheFile(keptIn, keptForm(script.createCachedData()));
    removeUnknown(directory, new Set(loaded.map(({ keptIn }) => basename(keptIn))));
  } catch {
    // Starts are slower without, and that is all.
  }
}

/** Its checksum, and the code. */
function keptForm(code: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(crc32(code));
  return Buffer.concat([head, code]);
}

function removeUnknown(directory: string, known: ReadonlySet<string>): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (!known.has(name) && Date.now() - statSync(file).mtimeMs > longestUnknown) rmSync(file);
  }
}
