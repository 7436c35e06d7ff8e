import { basename, dirname, join, relative, sep } from 'node:path';
import { FileSearch } from '../documents/find-files.ts';
import { checkDocumentName } from '../documents/kind.ts';
import { checkFile, contentHash } from '../documents/local-file.ts';
import { checkName, documentName } from '../documents/upload/document-names.ts';
import { Failure, inputFailure } from '../lib/errors.ts';
import { groupBy } from '../lib/iterables.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { type Address, type DesiredDocument, type DesiredTenant, type Place, placeWords } from './desired.ts';

/** One document that the files declare; a pattern or a folder gives one for each file. */
export interface DeclaredDocument {
  /** `aurora/documents/menu`; with a pattern or a folder it includes the path below it: `aurora/documents/faq/hours.txt`. */
  readonly address: Address;
  /** The key by which bots refer to it. */
  readonly key: string;
  readonly place: Place;
  /** The name of the document. */
  readonly name: string;
  /** True if a pattern or a folder declares it. */
  readonly isOneOfMany?: boolean;
  /** The source file; undefined for a document that is attached and never uploaded. */
  readonly file?: DocumentFile | undefined;
}

/** The source file of a document. */
export interface DocumentFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The modification time, which shows whether the file was written since. */
  readonly modified: number;
  /** SHA-256 of its content, in hexadecimal. */
  readonly sha256: string;
  /** Why it can't be uploaded. */
  readonly problem?: string | undefined;
}

/** A tenant with each of its documents. */
export interface DeclaredTenant extends Omit<DesiredTenant, 'documents'> {
  readonly documents: readonly DeclaredDocument[];
}

/**
 * Expands and reads the files of all documents of tenants. Reads a file once even if several documents use it.
 * @throws the signal's reason
 */
export async function withDocuments(
  tenants: readonly DesiredTenant[],
  signal: AbortSignal,
): Promise<readonly DeclaredTenant[]> {
  const files = new Map<string, DocumentFile>();
  const onceOf = async (path: string): Promise<DocumentFile> => {
    const file = files.get(path) ?? (await fileOf(path, signal));
    files.set(path, file);
    return file;
  };
  const declared: DeclaredTenant[] = [];
  for (const tenant of tenants) {
    const documents: DeclaredDocument[] = [];
    for (const document of tenant.documents) documents.push(...(await expandSource(document, onceOf)));
    declared.push({ ...tenant, documents });
  }
  return declared;
}

/**
 * Checks that no two files of a tenant result in the same document name, since the name identifies a document.
 * @throws Failure `invalidInput` that lists all such names
 */
export function checkDocumentNames(tenants: readonly DeclaredTenant[]): void {
  const problems = documentNameProblems(tenants).map(
    ({ place, message }) => `${placeWords(place)}: ${message}`,
  );
  if (problems.length > 0)
    throw inputFailure(problems, 'Give each file its own name, and declare each file once.');
}

/** Returns each name that several files of a tenant result in, with the place of the first file. */
export function documentNameProblems(
  tenants: readonly DeclaredTenant[],
): readonly { readonly place: Place; readonly message: string }[] {
  return tenants.flatMap(({ documents }) => {
    const sent = documents.filter(({ file }) => file && file.problem === undefined);
    return [...groupBy(sent, ({ name }) => name)].flatMap(([name, [first, ...others]]) => {
      if (!first || others.length === 0) return [];
      const addresses = [first, ...others].map(({ address }) => address).join(', ');
      return [{ place: first.place, message: `${addresses} would get the same name, ${inSentence(name)}.` }];
    });
  });
}

async function expandSource(
  { address, key, place, source }: DesiredDocument,
  lookInto: (path: string) => Promise<DocumentFile>,
): Promise<readonly DeclaredDocument[]> {
  if (source.kind === 'existing') return [{ address, key, place, name: source.name }];
  const documents: DeclaredDocument[] = [];
  for (const { path, below } of await filesOf(source, place)) {
    const file = await lookInto(path);
    const own = below === undefined ? address : `${address}/${below.normalize('NFC')}`;
    const name = documentName({ path, below: '' }, 'name');
    documents.push({ address: own, key, place, name, file, isOneOfMany: below !== undefined });
  }
  return documents;
}

/** A file, with its path below the pattern or folder; undefined for a single file. */
interface SourceFile {
  readonly path: string;
  readonly below?: string;
}

async function filesOf(
  source: Exclude<DesiredDocument['source'], { readonly kind: 'existing' }>,
  place: Place,
): Promise<readonly SourceFile[]> {
  if (source.kind === 'file') return [source];
  if (source.kind === 'folder') return filesBeneath(source.path);
  const root = join(dirname(place.file), literalStart(source.pattern));
  return source.paths.map((path) => {
    const below = relative(root, path).split(sep);
    return { path, below: below[0] === '..' ? basename(path) : below.join('/') };
  });
}

/** Returns the folder at the start of a pattern: `faq` for `faq/**`. */
function literalStart(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  return parts.slice(0, first < 0 ? -1 : first).join('/');
}

async function filesBeneath(folder: string): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const { path, below, failure } of new FileSearch({ include: [], exclude: [] }).find([folder])) {
    if (failure) throw failure;
    files.push({ path, below });
  }
  return files;
}

async function fileOf(path: string, signal: AbortSignal): Promise<DocumentFile> {
  try {
    checkDocumentName(path, []);
    checkName(basename(path));
    signal.throwIfAborted();
    const { size, modified } = await checkFile(path);
    return { path, size, modified, sha256: await contentHash(path, size, signal) };
  } catch (thrown) {
    if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
    return { path, size: 0, modified: 0, sha256: '', problem: thrown.message };
  }
}
