import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CountMode } from '../../documents/characters.ts';
import { type CountOptions, FileCounter } from '../../documents/count.ts';
import { checkFile } from '../../documents/file.ts';
import { checkDocumentName } from '../../documents/kind.ts';
import { emptyPages, emptyPagesText } from '../../documents/pages.ts';
import { Failure, inputFailure, usageFailure } from '../../lib/errors.ts';
import { privateFile } from '../../lib/files/private-file.ts';
import { checkPiped, readStdin } from '../../lib/files/text-input.ts';
import { command, joinRemarks, type Placeholder, placeholder, remark } from '../../lib/text/remark.ts';
import { parseSecret } from '../../settings/secret-file.ts';
import type { ResourceContext } from '../resource-context.ts';

/** Stands for what is piped in. */
export const stdin = '-';

/** A file that is fit to be uploaded. */
export interface UploadSource {
  /** As it was typed. */
  readonly typed: string;
  /** The path of its content. */
  readonly path: string;
  /** The name that its document gets. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly chars: number;
}

/** The typed options of an upload. */
export interface SourceInput {
  readonly file: readonly string[];
  readonly name: string | undefined;
  readonly chars: number | undefined;
  /** Patterns of names whose files are sent as text although their names don't say that they are. */
  readonly asText: readonly string[];
  readonly countMode: CountMode;
  /** The password of those that are encrypted comes from stdin. */
  readonly passwordStdin: boolean;
  readonly failEmptyPages: number | undefined;
}

/**
 * Looks into a file as it was typed.
 * @throws Failure `usage`
 */
export async function checkSource(typed: string): Promise<void> {
  if (typed !== stdin) await checkFile(typed);
}

/**
 * Checks the options of an upload with each other.
 * @throws Failure `usage` that lists every problem
 */
export function checkSourceInput({
  file: files = [],
  name,
  chars,
  passwordStdin,
}: Partial<SourceInput>): void {
  const isAlone = files.length <= 1;
  const problems = [
    !isAlone && files.includes(stdin) && 'What is piped in (-) has to be uploaded alone.',
    !isAlone && name !== undefined && `--name names one document, and there are ${files.length} files.`,
    !isAlone && chars !== undefined && `--chars is of one document, and there are ${files.length} files.`,
    isAlone && files[0] === stdin && name === undefined && '--name is missing: what is piped in has none.',
    passwordStdin &&
      files.includes(stdin) &&
      '--password-stdin and - both read stdin. Give the document as a file.',
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw usageFailure(problems, remark`See ${command('docs', 'upload', '--help')}`);
}

/** The files of an upload, looked into; what is piped in is one by then. */
export class UploadSources {
  readonly all: readonly UploadSource[];
  readonly #temporary: string | undefined;

  private constructor(all: readonly UploadSource[], temporary: string | undefined) {
    this.all = all;
    this.#temporary = temporary;
  }

  /**
   * Looks into every file, and counts its characters unless --chars says how many there are.
   * @throws Failure `usage` that says of each file what is wrong with it
   */
  static async open(context: ResourceContext, input: SourceInput): Promise<UploadSources> {
    const temporary = input.file.includes(stdin) ? mkdtempSync(join(tmpdir(), 'botctl-stdin-')) : undefined;
    try {
      const piped = temporary === undefined ? undefined : await savePiped(context, join(temporary, 'stdin'));
      return new UploadSources(await lookInto(context, input, piped), temporary);
    } catch (error) {
      removeAll(temporary);
      throw error;
    }
  }

  /** Removes what was piped in. */
  close(): void {
    removeAll(this.#temporary);
  }
}

function removeAll(directory: string | undefined): void {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

async function savePiped({ io, signal }: ResourceContext, path: string): Promise<string> {
  const example = command('docs', 'upload', '-', '--name', placeholder('NAME'), placeholder('…'));
  checkPiped(io, 'docs upload -', example);
  await pipeline(io.stdin, createWriteStream(path, { mode: privateFile }), { signal });
  return path;
}

async function lookInto(
  context: ResourceContext,
  input: SourceInput,
  piped: string | undefined,
): Promise<readonly UploadSource[]> {
  const sources: UploadSource[] = [];
  const failures: Failure[] = [];
  const counter = new FileCounter(await countingOf(context, input));
  try {
    for (const typed of input.file) {
      try {
        sources.push(await sourceOf(context, typed, piped, input, counter));
      } catch (thrown) {
        if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
        failures.push(thrown);
      }
    }
  } finally {
    await counter.close();
  }
  const [first, ...others] = failures;
  if (!first) return sources;
  if (others.length === 0) throw first;
  const hints = new Map(failures.map(({ hint }) => [String(hint ?? ''), hint]));
  throw inputFailure(
    failures.map(({ message }) => message),
    joinRemarks([...hints.values()]),
  );
}

async function sourceOf(
  context: ResourceContext,
  typed: string,
  piped: string | undefined,
  input: SourceInput,
  counter: FileCounter,
): Promise<UploadSource> {
  const path = typed === stdin && piped !== undefined ? piped : typed;
  const name = input.name ?? basename(typed);
  checkName(name);
  const { size } = await checkFile(path).catch((thrown: unknown) => {
    // Of what is piped in, only that there is nothing of it can be wrong.
    throw path === piped
      ? usageFailure(['Nothing came from stdin.'], 'Pipe a file in, as in: … < FILE')
      : thrown;
  });
  checkDocumentName(name, input.asText);
  return { typed, path, name, size, chars: input.chars ?? (await count(context, counter, path, name)) };
}

/**
 * Checks that a name arrives as it is. In a form (WHATWG HTML, multipart/form-data encoding algorithm) `a"b` and `a%22b`
 * are the same, and so it is with line breaks; of other control characters nobody says what becomes of them. A file name
 * that is no UTF-8 comes from Node with U+FFFD in it.
 * @throws Failure `invalidInput`
 */
function checkName(name: string): void {
  const isUnreadable = /[\ufffd\p{Cs}]/u.test(name);
  const problem = isUnreadable
    ? 'is not UTF-8'
    : name.trim() === ''
      ? 'is blank'
      : name.includes('"')
        ? 'has a quotation mark (") in it, which would arrive as %22'
        : /\p{Cc}/u.test(name) && 'has a line break or another control character in it';
  if (problem === false) return;
  const again = (file: string | Placeholder) =>
    command('docs', 'upload', file, '--name', placeholder('NEW'), placeholder('…'));
  throw inputFailure(
    [`The name ${JSON.stringify(name)} can't be sent: it ${problem}.`],
    // Node can't open such a file either.
    isUnreadable
      ? remark`Give the document another name, and pipe the file in: ${again(stdin)} < FILE`
      : remark`Give the document another name: ${again(placeholder('FILE'))}`,
  );
}

/** Returns how files are counted; the password of those that are encrypted is read here. */
export async function countingOf(
  { io, signal }: Pick<ResourceContext, 'io' | 'signal'>,
  {
    countMode,
    passwordStdin,
    failEmptyPages,
  }: Pick<SourceInput, 'countMode' | 'passwordStdin' | 'failEmptyPages'>,
): Promise<CountOptions> {
  const option = '--password-stdin';
  const text = passwordStdin ? await readStdin({ stdin: io.stdin, signal }, option) : undefined;
  const password = text === undefined ? undefined : parseSecret(text, 'stdin').reveal();
  return { mode: countMode, password, maxEmptyPages: failEmptyPages, signal };
}

/** Counts, and says so where the encoding is a guess, or where pages have no text. */
async function count(
  { reporter }: ResourceContext,
  counter: FileCounter,
  path: string,
  name: string,
): Promise<number> {
  const progress = reporter.progress(`Counting the characters of ${name}`);
  try {
    const { chars, encoding, guessed, pages = [] } = await counter.count(path, name);
    if (guessed) {
      reporter.warn(
        `The encoding of ${name} is guessed: ${encoding}. If ${chars} characters are wrong, give --chars.`,
      );
    }
    const empty = emptyPages(pages);
    if (empty.length > 0) reporter.warn(`${name} ${emptyPagesText(empty, pages.length)}.`);
    return chars;
  } finally {
    progress.stop();
  }
}
