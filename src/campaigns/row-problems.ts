import { Failure } from '../lib/errors.ts';
import { joinRemarks, type RemarkText } from '../lib/text/remark.ts';

export interface RowProblem {
  readonly line: number;
  readonly message: string;
}

/** The maximum number of lines that are listed. */
const maxListed = 100;

/** Collects the problems of rows in the order of their lines. Stores the first ones and counts the others. */
export class RowProblems {
  readonly first: RowProblem[] = [];
  count = 0;
  #isNational = false;

  add(problem: RowProblem): void {
    this.count += 1;
    this.#isNational ||= problem.message.includes('needs a + and its country code');
    if (this.first.length < maxListed) this.first.push(problem);
  }

  /**
   * Throws if a list has problems, unless invalid rows are to be skipped.
   * @throws Failure `invalidInput` that names the first lines
   */
  check(file: string, skipInvalid: boolean): void {
    if (this.count === 0 || skipInvalid) return;
    const told = this.first.map(({ line, message }) => `${file}:${line}: ${message}`);
    const more = this.count - told.length;
    if (more > 0) told.push(`${more} more invalid ${more === 1 ? 'row' : 'rows'}.`);
    const hints: readonly (RemarkText | false)[] = [
      this.#isNational && 'For national numbers, give their region: --region BR.',
      'Fix these rows, or skip them with --skip-invalid. Nothing was saved.',
    ];
    throw new Failure('invalidInput', told.join('\n'), { hint: joinRemarks(hints, ' ') });
  }
}
