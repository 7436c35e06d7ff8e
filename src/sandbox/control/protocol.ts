import * as z from 'zod/mini';
import { command, OtherLine, Remark, type RemarkText } from '../../lib/text/remark.ts';
import type { NamingWords } from '../sandbox.ts';

const wordOfCommand = z.union([z.string(), z.strictObject({ placeholder: z.string() })]);
/** The parts of a `Remark`: text, and command lines as their words. */
export const remarkParts = z.readonly(
  z.array(z.union([z.string(), z.object({ words: z.readonly(z.array(wordOfCommand)) })])),
);

/** The reason that a call failed, and the remedy if one is known. */
export const controlError = z.strictObject({ error: z.string(), hint: z.optional(remarkParts) });

type RemarkParts = z.infer<typeof remarkParts>;

/** Returns the parts of a hint, as data. */
export function partsOf(hint: RemarkText): RemarkParts {
  if (!(hint instanceof Remark)) return [hint];
  return hint.parts.map((part) => (part instanceof OtherLine ? part.line : part));
}

/** Returns the hint that has been taken apart. */
export function hintOf(parts: RemarkParts, naming: NamingWords = (words) => words): Remark {
  return new Remark(parts.map((part) => (typeof part === 'string' ? part : command(...naming(part.words)))));
}
