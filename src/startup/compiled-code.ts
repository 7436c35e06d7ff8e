import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import type ModuleClass from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { isOursAlone, makePrivateDirectory, replaceCacheFile } from '../lib/files/private-file.ts';
import { openAtOnce } from '../lib/files/read-file.ts';

/** Files of the program, named by a hash of their content; the first ones have none, and are too small to be worth it. */
const namedByContent = /-[\w-]{8}\.cjs$/;

/** Names of files of compiled code: see `suffixFor`. */
const keptName = /-[\w-]{8}\.\w+-[\w.-]+$/;

/** Compiled code of another version, or of another Node, is removed at this age. */
const maxUnknownAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Bytes before the compiled code: its size. */
const headBytes = 4;

/** Bytes of the second copy that are read and compared at once, so that it takes no memory worth the name. */
const comparedBytes = 64 * 1024;

/** Code that lost more than this share of its size lost functions; without a change, it differs by some bytes. */
const lostShare = 0.02;

/** More endings than this are not told apart; lines that end otherwise compile some functions themselves. */
const maxEndings = 500;

/** A loaded file of the program. */
interface Loaded {
  readonly script: Script;
  /** The file of its compiled code. */
  readonly keptIn: string;
  /** Bytes of the code that it was loaded with; 0 without any. */
  readonly size: number;
}

/** Compiled code as an earlier start left it. */
interface Kept {
  readonly code: Buffer;
  /** With the first file of the program: what `endingOf` gave for the starts that kept it. */
  readonly endings: readonly string[];
}

/**
 * Loads a file of the built program, and all that it requires, with the compiled code that an earlier start
 * left in a directory: compiling takes a third of a start. A start that loads a file without compiled code, or
 * ends as none did before it, keeps that of all its files when the process exits, with the functions that were compiled
 * because they ran.
 * If nothing can be read or written, or without a directory, everything is compiled as usual.
 *
 * V8 accepts compiled code for its own version and flags only. It doesn't check that no other user can have
 * written it, and that it is whole, so both are checked here; damaged code would end the process without a word.
 * @param Module `node:module`, from whoever has it: loading it by its name takes a hundredth of a start on Node 20
 * @throws any error that the files throw when they are loaded
 */
export function loadWithCompiledCode(
  Module: typeof ModuleClass,
  entry: string,
  directory: string | undefined,
): void {
  const suffix = suffixFor(process);
  const isTrusted = directory !== undefined && isOwnDirectory(directory);
  const require = Module.createRequire(entry);
  const loaded: Loaded[] = [];
  const endings = new Set<string>();
  let isStale = false;

  const compile = (filename: string): Script => {
    const source = functionOf(Module, filename);
    if (directory === undefined || !namedByContent.test(filename)) return new Script(source, { filename });
    const keptIn = join(directory, basename(filename, '.cjs') + suffix);
    const kept = isTrusted ? compiledCodeIn(keptIn) : undefined;
    const script = new Script(source, { filename, cachedData: kept?.code });
    // If V8 rejects the first, it rejects all: another machine made them. Later it may be for flags that were
    // set since the start (lib/v8-flags.ts), and the next start needs the files that are there.
    isStale ||= script.cachedDataRejected === true && loaded.length === 0;
    if (!isStale) for (const ending of kept?.endings ?? []) endings.add(ending);
    const size = isStale ? 0 : (kept?.code.length ?? 0);
    if (isStale || !script.cachedDataRejected) loaded.push({ script, keptIn, size });
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

  process.on('exit', (exitCode) => {
    if (directory === undefined) return;
    const ending = endingOf(loaded, exitCode);
    const compiled = loaded.filter(({ size }) => size === 0).map(nameOf);
    if (compiled.length === 0 && (endings.has(ending) || endings.size >= maxEndings)) return;
    // The code of those files has the functions of this start alone: other lines have to add theirs once more.
    const known = [...endings].filter((one) => !one.split(' ').some((name) => compiled.includes(name)));
    keep(loaded, [...known, ending].slice(0, maxEndings), directory);
  });
  load(entry);
}

/** Returns what ends the names of compiled code for one V8: its version, and a hash of the flags it is started with. */
function suffixFor({ versions, arch, execArgv, env }: NodeJS.Process): string {
  const flags = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ').trim();
  return `.${arch}-${versions.v8}${flags === '' ? '' : `-${hashOf(flags).toString(16)}`}`;
}

/**
 * Returns a hash of 32 bits, which needs no module of Node: FNV-1a.
 * @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
function hashOf(text: string): number {
  return Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}

/**
 * Returns what tells apart, as well as it can be known for nothing, which functions a start ran: the files that it
 * loaded, and its exit code.
 */
function endingOf(loaded: readonly Loaded[], exitCode: number): string {
  return [...loaded.map(nameOf).sort(), exitCode].join(' ');
}

function nameOf({ keptIn }: Loaded): string {
  return basename(keptIn).replace(keptName, '');
}

/**
 * Returns the source of the function that runs a file, as Node makes it of every CommonJS module. It is put together as
 * bytes: joined as texts, V8 would copy each file once more. Gain: 0.5 MiB of a call.
 */
function functionOf(Module: typeof ModuleClass, file: string): string {
  const [head = '', tail = ''] = Module.wrap('\0').split('\0');
  const handle = openAtOnce(file);
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.allocUnsafeSlow(head.length + size + tail.length);
    let end = bytes.write(head, 'latin1');
    for (let read = -1; read !== 0 && end < head.length + size; end += read)
      read = readSync(handle, bytes, end, head.length + size - end, null);
    end += bytes.write(tail, end, 'latin1');
    return bytes.toString('utf8', 0, end);
  } finally {
    closeSync(handle);
  }
}

/** Returns the compiled code in a file, or undefined if there is none that can be trusted. */
function compiledCodeIn(file: string): Kept | undefined {
  let handle: number | undefined;
  try {
    handle = openAtOnce(file);
    const found = fstatSync(handle);
    if (!found.isFile() || !isOursAlone(found)) return undefined;
    const head = Buffer.allocUnsafe(headBytes);
    readSync(handle, head);
    const size = head.readUInt32LE(0);
    if (size === 0 || headBytes + 2 * size > found.size) return undefined;
    const code = Buffer.allocUnsafeSlow(size);
    readSync(handle, code);
    if (!isFollowedBy(code, handle)) return undefined;
    const endings = readFileSync(handle, 'utf8');
    return { code, endings: endings === '' ? [] : endings.split('\n') };
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** True if the next bytes of a file are this code once more. */
function isFollowedBy(code: Buffer, handle: number): boolean {
  const piece = Buffer.allocUnsafeSlow(Math.min(comparedBytes, code.length));
  for (let at = 0; at < code.length; ) {
    const read = readSync(handle, piece, 0, Math.min(piece.length, code.length - at), null);
    if (read === 0 || code.compare(piece, 0, read, at, at + read) !== 0) return false;
    at += read;
  }
  return true;
}

/** True if there is a directory itself, and no link to one, and no other user can write into it. */
function isOwnDirectory(directory: string): boolean {
  try {
    const found = lstatSync(directory);
    return found.isDirectory() && isOursAlone(found);
  } catch {
    return false;
  }
}

/** Keeps the compiled code of files for the next start, in a directory of one's own, if that is possible. */
function keep(loaded: readonly Loaded[], endings: readonly string[], directory: string): void {
  try {
    makePrivateDirectory(directory);
    if (!isOwnDirectory(directory)) return;
    // Making the code takes longer than a start may that can keep nothing.
    accessSync(directory, constants.W_OK);
    for (const [at, { script, keptIn, size }] of loaded.entries()) {
      const code = script.createCachedData();
      // V8 forgets functions that nobody has called for long: other lines would have to compile them.
      if (code.length < size * (1 - lostShare)) continue;
      replaceCacheFile(keptIn, contentOf({ code, endings: at === 0 ? endings : [] }));
    }
    removeUnknown(directory, new Set(loaded.map(({ keptIn }) => basename(keptIn))));
  } catch {
    // Without it starts are slower, and nothing else.
  }
}

/**
 * Returns a file's content: the size of the compiled code, the code twice, and the endings. Damage, or a write that
 * a power failure cut short, makes the copies differ. Comparing needs no module of Node; what makes checksums takes a
 * twentieth of a start to load.
 */
function contentOf({ code, endings }: Kept): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(code.length);
  return Buffer.concat([head, code, code, Buffer.from(endings.join('\n'))]);
}

function removeUnknown(directory: string, known: ReadonlySet<string>): void {
  for (const name of readdirSync(directory).filter((one) => keptName.test(one) && !known.has(one))) {
    const file = join(directory, name);
    const found = lstatSync(file);
    if (found.isFile() && Date.now() - found.mtimeMs > maxUnknownAgeMs) rmSync(file);
  }
}
