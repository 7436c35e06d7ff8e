import type { Io } from '../lib/io.ts';
import { ValueError } from '../lib/parse.ts';
import { readList } from './read-list.ts';
import { RowProblems } from './row-problems.ts';

interface NumberListOptions {
  /** The path of the file, or `-` for stdin. */
  readonly file: string;
  readonly toColumn: string | undefined;
  readonly skipInvalid: boolean;
  /** The region whose national number format is accepted, as an upper-case code. */
  readonly region: string | undefined;
}

/**
 * Reads a list of numbers: a list of recipients, or one number per line.
 * @throws Failure `invalidInput` with every problem of the list
 */
export async function readNumbers(
  io: Io,
  { file: recipients, toColumn, skipInvalid, region }: NumberListOptions,
): Promise<{ readonly numbers: readonly string[]; readonly problems: RowProblems }> {
  const list = await readList(io, { recipients, toColumn, mayLackHead: true });
  const { phoneNumbers } = await import('../phone-numbers/national-number.ts');
  const toNumber = phoneNumbers(region);
  const numbers: string[] = [];
  const problems = new RowProblems();
  for await (const { line, cells, problem } of list.recipients.rows()) {
    try {
      if (problem !== undefined) throw new ValueError(problem);
      numbers.push(toNumber(cells.get(list.toColumn) ?? '').digits);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.add({ line, message: problem ?? `its number ${error.message}.` });
    }
  }
  problems.check(list.file, skipInvalid);
  return { numbers, problems };
}
