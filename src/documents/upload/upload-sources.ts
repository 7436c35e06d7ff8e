import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { privateFile } from '../../lib/files/private-file.ts';
import { checkPiped, readStdin } from '../../lib/files/text-input.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { parseSecret } from '../../settings/secret-file.ts';
import { type CharacterCount, type CountOptions, FileCounter } from '../count/count.ts';
import { checkFound, type FileChoice, FileSearch, type FoundFile, noFilesFailure } from '../find-files.ts';
import { checkDocumentName } from '../kind.ts';
import { checkFile, type FileState } from '../local-file.ts';
import { countFound, emptyPages } from './count-files.ts';
import { checkName, checkNames, documentName, type NameBy } from './document-names.ts';
import type { RefusedFile, RefusedSource } from './refused-files.ts';

/** The path that means stdin. */
export const stdin = '-';

/** A file that can be uploaded. */
export interface UploadSource extends FileState {
  /** As it was typed, or found below a typed folder or pattern. */
  readonly typed: string;
  /** The path of its content. */
  readonly path: string;
  /** The name for its document. */
  readonly name: string;
  readonly chars: number;
  /** Hash of its bytes, if computed. */
  readonly sha256?: string;
}

/** The typed options of an upload. */
export interface SourceInput extends FileChoice {
  readonly path: readonly string[];
  readonly nameBy: NameBy;
  readonly name: string | undefined;
  readonly chars: number | undefined;
  /** Patterns for the names of files that are text despite their extension. */
  readonly asText: readonly string[];
  /** The password for encrypted files comes from stdin. */
  readonly passwordStdin: boolean;
}

/**
 * Checks that a typed path exists: a file, a folder, or a match of a pattern.
 * @throws Failure `invalidInput`
 */
export async function checkSource(typed: string): Promise<void> {
  if (typed !== stdin) await checkFound(typed);
}

type Typed = Pick<SourceInput, 'path' | 'name' | 'chars' | 'passwordStdin'>;

/**
 * Checks the combination of the options of an upload.
 * @throws Failure `usage` that lists every problem
 */
export function checkSourceInput({ path: paths = [], name, chars, passwordStdin }: Partial<Typed>): void {
  const isAlone = paths.length <= 1;
  const problems = [
    !isAlone && paths.includes(stdin) && 'A document from stdin (-) must be uploaded alone.',
    ...(isAlone ? [] : problemsOfMany({ name, chars }, paths.length)),
    isAlone &&
      paths[0] === stdin &&
      name === undefined &&
      '--name is missing: a document from stdin needs a name.',
    passwordStdin &&
      paths.includes(stdin) &&
      '--password-stdin and - both read stdin. Give the document as a file.',
  ].filter((problem) => typeof problem === 'string');
  checkProblems(problems);
}

/** Returns the problems of options that only one document allows. */
function problemsOfMany({ name, chars }: Partial<Typed>, count: number): readonly string[] {
  const there = `but ${count === 1 ? 'a folder or pattern was given' : `${count} files were given`}.`;
  return [
    ...(name === undefined ? [] : [`--name is for one document, ${there}`]),
    ...(chars === undefined ? [] : [`--chars is for one document, ${there}`]),
  ];
}

function checkProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw usageFailure(problems, remark`See ${command('docs', 'upload', '--help')}`);
}

/** The checked files of an upload, including the copy of stdin. */
export interface UploadSources {
  readonly all: readonly UploadSource[];
  readonly refused: readonly RefusedSource[];
  /** True for a single typed file, not for a folder or a pattern. */
  readonly isOne: boolean;
  /** Removes the copy of stdin. */
  close(): void;
}

/**
 * Finds the files of an upload, checks each, and counts its characters unless --chars gives the number.
 * @param lineOptions options of the command line, for the suggested command
 * @throws Failure `usage` or `invalidInput` if names collide, no file remains, or the only one can't be sent
 */
export async function openSources(
  context: ResourceContext,
  input: SourceInput,
  lineOptions: readonly string[],
): Promise<UploadSources> {
  if (input.path.includes(stdin)) return openStdin(context, input);
  const files = await findFiles(context, input);
  const [typed, ...others] = input.path;
  const isOne = others.length === 0 && files.length === 1 && files[0]?.path === typed;
  if (!isOne) checkProblems(problemsOfMany(input, files.length));
  const byPath = command('docs', 'upload', ...input.path, ...lineOptions, '--name-by', 'path');
  checkNames(files, input.nameBy, input.asText, byPath);
  const looked = await inspectFiles(context, input, files);
  const [refused] = looked.refused;
  if (isOne && refused) throw refused.failure;
  return { ...looked, isOne, close: () => undefined };
}

async function findFiles(
  { reporter, signal }: ResourceContext,
  input: SourceInput,
): Promise<readonly FoundFile[]> {
  const search = new FileSearch(input);
  const files: FoundFile[] = [];
  for await (const one of search.find(input.path)) {
    signal.throwIfAborted();
    files.push(one);
  }
  if (search.links > 0) reporter.note(`Skipped ${pluralize(search.links, 'symbolic link')} in folders.`);
  if (files.length === 0) throw noFilesFailure('upload');
  return files;
}

async function openStdin(context: ResourceContext, input: SourceInput): Promise<UploadSources> {
  const temporary = mkdtempSync(join(tmpdir(), 'botctl-stdin-'));
  const close = (): void => rmSync(temporary, { recursive: true, force: true });
  try {
    const path = await saveStdin(context, join(temporary, 'stdin'));
    const { all, refused } = await inspectFiles(context, input, [{ path, below: stdin }]);
    if (refused[0]) throw refused[0].failure;
    return { all: all.map((source) => ({ ...source, typed: stdin })), refused, isOne: true, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function saveStdin({ io, signal }: ResourceContext, path: string): Promise<string> {
  const example = command('docs', 'upload', '-', '--name', placeholder('NAME'), placeholder('…'));
  checkPiped(io, 'docs upload -', example);
  await pipeline(io.stdin, createWriteStream(path, { mode: privateFile }), { signal });
  if (statSync(path).size === 0) throw usageFailure(['stdin is empty.'], 'Pipe a file in: … < FILE');
  return path;
}

async function inspectFiles(
  context: ResourceContext,
  input: SourceInput,
  files: readonly FoundFile[],
): Promise<Pick<UploadSources, 'all' | 'refused'>> {
  const all: UploadSource[] = [];
  const refused: RefusedSource[] = [];
  const counter = new FileCounter(await countingOf(context, input));
  const progress = context.reporter.progress('Counting characters');
  try {
    for (const [index, file] of files.entries()) {
      const name = input.name ?? documentName(file, input.nameBy);
      const many = files.length > 1 ? `, file ${index + 1} of ${files.length}` : '';
      progress.update(`Counting the characters of ${name}${many}`);
      const looked = await sourceOf(context, file, name, input, counter);
      if ('failure' in looked) refused.push({ ...looked, name });
      else all.push(looked);
    }
  } finally {
    progress.stop();
    await counter.close();
  }
  return { all, refused };
}

async function sourceOf(
  { reporter }: ResourceContext,
  file: FoundFile,
  name: string,
  { chars, asText }: SourceInput,
  counter: FileCounter,
): Promise<UploadSource | RefusedFile> {
  const { path } = file;
  const found = { typed: path, path, name };
  try {
    checkName(name);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return { path, reason: 'name', failure: thrown };
  }
  if (chars !== undefined) {
    checkDocumentName(name, asText);
    return { ...found, ...(await checkFile(path)), chars };
  }
  const counted = await countFound(counter, file, asText, name);
  if ('failure' in counted) return counted;
  noteDoubts(reporter, name, counted);
  const { size, modified, chars: counts } = counted;
  return { ...found, size, modified, chars: counts };
}

/** More pages than these are counted but not named. */
const maxPages = 10;

/** Reports a guessed encoding, and pages without text. */
function noteDoubts(
  reporter: Reporter,
  name: string,
  { chars, encoding, guessed, pages = [] }: CharacterCount,
): void {
  if (guessed) {
    reporter.warn(
      `Guessed the encoding of ${name}: ${encoding}, ${pluralize(chars, 'character')}. If that is wrong, give --chars.`,
    );
  }
  const empty = emptyPages(pages);
  if (empty.length === 0) return;
  const which = firstFew(empty.map(String), maxPages);
  reporter.warn(`${name} has no text on ${empty.length} of ${pluralize(pages.length, 'page')}: ${which}.`);
}

/** Returns the options for counting; reads the password for encrypted files. */
export async function countingOf(
  { io, signal }: Pick<ResourceContext, 'io' | 'signal'>,
  { passwordStdin }: Pick<SourceInput, 'passwordStdin'>,
): Promise<CountOptions> {
  const option = '--password-stdin';
  const text = passwordStdin ? await readStdin({ stdin: io.stdin, signal }, option) : undefined;
  const password = text === undefined ? undefined : parseSecret(text, 'stdin').reveal();
  return { password, signal };
}
