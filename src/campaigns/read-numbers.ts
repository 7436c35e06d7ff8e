import type { Io } from '../lib/io.ts';
import { ValueError } from '../lib/parse.ts';
import { readList } from './read-list.ts';
import { RowProblems } from './row-problems.ts';

/** How a list of numbers is read. */
interface NumberListOptions {
  /** Path of the file, or `-` for what is piped in. */
  readonly file: string;
  readonly toColumn: string | undefined;
  readonly skipInvalid: boolean;
  /** The region whose numbers are read as they are dialled there, in capitals. */
  readonly region: string | undefined;
}

/**
 * Reads a list of numbers: a list of recipients, or numbers alone, one a line.
 * @throws Failure `invalidInput` with everything that is wrong with it
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
