import { basename } from 'node:path';
import { conversionHint } from '../../lib/files/decode-text.ts';
import { type BinaryKind, binaryKinds, type DocumentKind, documentKind, headLength } from '../kind.ts';
import { checkFile, type FileState, fileContent } from '../local-file.ts';
import { type ByteSource, readWindow } from './bytes.ts';
import type { Counting } from './characters.ts';
import type { Extractor } from './extract.ts';
import { NotCounted } from './not-counted.ts';
import { Unreadable } from './readers/reader.ts';
import { UnsupportedEncoding } from './seven-bit.ts';
import { countText } from './text.ts';

/** The kind of a file, and its number of characters. */
export interface CharacterCount extends FileState {
  readonly kind: DocumentKind;
  readonly chars: number;
  /** The detected encoding of a text. */
  readonly encoding?: string;
  /** The encoding is a statistical guess. */
  readonly guessed?: boolean;
  /** The characters of each page, if the format has pages. */
  readonly pages?: readonly number[] | undefined;
  /** The hash of its text, if requested: equal texts have equal hashes, even if their bytes differ. */
  readonly digest?: string | undefined;
}

/** The result of reading the content of a file. */
type ContentCount = Omit<CharacterCount, 'kind' | keyof FileState>;

/** Options for counting files. */
export interface CountOptions {
  /** The password for encrypted files. */
  readonly password?: string | undefined;
  /** Also hash the text of each file. */
  readonly digested?: boolean;
  /** Ends the counting; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Reads binary formats; by default created for the first such file. */
  readonly extractor?: Extractor;
}

/** Counts the characters of files for `chars`. Close it after the last file. */
export class FileCounter {
  readonly #counting: Counting;
  readonly #password: string | undefined;
  readonly #signal: AbortSignal;
  #extractor: Extractor | undefined;

  constructor({ digested = false, password, signal, extractor }: CountOptions = {}) {
    this.#counting = { digested };
    this.#password = password;
    this.#signal = signal ?? new AbortController().signal;
    this.#extractor = extractor;
  }

  /**
   * Counts the characters of a file. Text is streamed from disk, so that its size doesn't matter; other formats are read
   * in a child process.
   *
   * @param path the file
   * @param name the name for the upload, whose extension must match the content
   * @throws NotCounted with the reason; Failure `invalidInput` for a file that can't be read
   */
  async count(path: string, name: string = basename(path)): Promise<CharacterCount> {
    this.#signal.throwIfAborted();
    const { size, modified } = await checkFile(path);
    const source = await fileContent(path, size, this.#signal);
    const kind = await documentKind(name, await readWindow(source, 0, headLength), source);
    const counted =
      kind === 'txt' ? await this.#countText(source, path, name) : await this.#extract(path, kind, name);
    // A PDF without text may be a scan: for 0 characters, a service would treat it as empty.
    if (counted.chars === 0) throw new NotCounted(kind === 'pdf' ? 'no-text' : 'empty', name);
    return { kind, ...counted, size, modified };
  }

  /** Ends the child process. */
  async close(): Promise<void> {
    await this.#extractor?.close();
  }

  async #countText(source: ByteSource, path: string, name: string): Promise<ContentCount> {
    const count = await countText(source, this.#counting).catch((error: unknown) => {
      if (error instanceof Unreadable) throw new NotCounted(error.reason, name, error.says);
      if (!(error instanceof UnsupportedEncoding)) throw error;
      const { encoding } = error;
      const says = `is encoded as ${encoding}, which botctl can't read`;
      // Not every iconv has HZ.
      const hint = encoding === 'HZ' ? 'Save it as UTF-8 text.' : conversionHint(encoding, path);
      throw new NotCounted('unsupported', name, says, hint);
    });
    if (count === undefined) throw new NotCounted('not-text', name);
    return count;
  }

  async #extract(path: string, kind: BinaryKind, name: string): Promise<ContentCount> {
    this.#extractor ??= new (await import('./extract.ts')).Extractor();
    const request = { path, kind, ...this.#counting, password: this.#password };
    try {
      return await this.#extractor.extract(request, this.#signal);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { reason, says } = error;
      const isOtherPassword = reason === 'encrypted' && kind === 'pdf' && this.#password !== undefined;
      if (isOtherPassword) throw new NotCounted(reason, name, 'is encrypted with another password');
      if (reason === 'unsupported')
        throw new NotCounted(reason, name, says ?? `is not ${binaryKinds[kind].name} that botctl can read`);
      throw new NotCounted(reason, name, says);
    }
  }
}
