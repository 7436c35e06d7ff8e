import { basename } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { type ByteSource, readWindow } from './bytes.ts';
import { checkFile, fileSource } from './file.ts';
import { binaryKinds, type DocumentKind, documentKind, headLength } from './kind.ts';
import { countText, type TextCount } from './text.ts';

/** The kind of a file, and its number of characters. */
export interface CharacterCount extends TextCount {
  readonly kind: DocumentKind;
}

/**
 * Counts the characters of a file as `chars` wants them (see `CharacterCounter`). The file is streamed
 * from disk, so that its size doesn't matter. Only text is counted.
 *
 * @param path the file
 * @param name the name that it is uploaded under, whose extension has to fit its content
 * @throws Failure `invalidInput` for a file that can't be read or counted; its remedy is `--chars`
 */
export async function countCharacters(path: string, name: string = basename(path)): Promise<CharacterCount> {
  await checkFile(path);
  return countSource(fileSource(path), name);
}

async function countSource(source: ByteSource, name: string): Promise<CharacterCount> {
  const kind = documentKind(name, await readWindow(source, 0, headLength));
  if (kind !== 'txt')
    throw notCounted(name, `"${name}" is ${binaryKinds[kind].name}: botctl can't count its characters yet.`);
  const count = await countText(source);
  if (count === undefined) throw notCounted(name, `"${name}" is not text: it holds binary data.`);
  if (count.chars === 0) throw notCounted(name, `"${name}" has no characters but white space.`);
  return { kind, ...count };
}

function notCounted(name: string, message: string): Failure {
  return new Failure('invalidInput', message, {
    hint: `Upload "${name}" by itself, with the number of its characters: add --chars <number>.`,
  });
}
