import { fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { synchroniseDirectory } from '../../lib/files/private-file.ts';

/** An open file or directory as Emscripten knows it. */
interface Stream {
  /** Its handle; a directory may have none. */
  readonly nfd?: number;
  readonly node: object;
}

/** The part of Emscripten's file system on Node's that is used here. */
interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: Stream) => number };
  realPath(node: object): string;
}

type Options = Parameters<NodeFS['init']>[1];

/** WASI's number for an I/O error. */
const ioError = 29;

/**
 * PGlite's file system on Node's, made durable: as it comes, its fsync does nothing (PGlite issue 1107). This
 * rests on PGlite's inside, so PGlite is pinned to one version, and a caller that opens a database with it
 * looks at `synchronisations`.
 */
export class SyncedFiles extends NodeFS {
  readonly #onAbort: () => void;
  #synchronisations = 0;

  /**
   * @param directory of the cluster
   * @param onAbort called when PostgreSQL gives up in the middle of a statement, which PGlite doesn't notice:
   *   it would try to go on for ever. PGlite hands nothing else to Emscripten that could tell
   */
  constructor(directory: string, onAbort: () => void) {
    super(directory);
    this.#onAbort = onAbort;
  }

  /** Number of files and directories that were brought to the disk up to now. */
  get synchronisations(): number {
    return this.#synchronisations;
  }

  override async init(pg: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const replaceFsync = (module: object): void => {
      const files = nodeFiles(module);
      files.stream_ops.fsync = (stream) => {
        try {
          if (stream.nfd === undefined) synchroniseDirectory(files.realPath(stream.node));
          else fsyncSync(stream.nfd);
        } catch {
          // PostgreSQL gives up then, since the content of the disk is unknown.
          return ioError;
        }
        this.#synchronisations += 1;
        return 0;
      };
    };
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...(emscriptenOpts.preRun ?? []), replaceFsync],
        onAbort: this.#onAbort,
      },
    };
  }
}

function nodeFiles(module: object): NodeFiles {
  const files: unknown = 'NODEFS' in module ? module.NODEFS : undefined;
  if (!isNodeFiles(files)) throw new Error('PGlite is not built as it was when botctl was written');
  return files;
}

function isNodeFiles(value: unknown): value is NodeFiles {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stream_ops' in value &&
    typeof value.stream_ops === 'object' &&
    value.stream_ops !== null &&
    'realPath' in value &&
    typeof value.realPath === 'function'
  );
}
