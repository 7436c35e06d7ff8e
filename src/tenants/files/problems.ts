import type { FileProblem } from './file-value.ts';

/** The tenant that has a problem, and the row of `--each` that it comes from. */
interface Origin {
  readonly key: string;
  readonly row?: string | undefined;
}

interface FoundProblem {
  readonly problem: FileProblem;
  readonly row?: string | undefined;
  others: number;
}

/** Collects the problems of files. A problem of many rows is reported once. */
export class Problems {
  readonly #found = new Map<string, FoundProblem>();
  /** The keys of tenants with problems, and the files with other problems. */
  readonly #concerned = { keys: new Set<string>(), files: new Set<string>() };
  #fields = new Set<string>();

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  add(problem: FileProblem, origin?: Origin): void {
    const { place, field, message } = problem;
    this.#fields.add(field);
    if (origin) this.#concerned.keys.add(origin.key);
    else this.#concerned.files.add(place.file);
    const withoutKey = origin && message.startsWith(origin.key) ? message.slice(origin.key.length) : message;
    const mark = JSON.stringify([place, withoutKey]);
    const known = this.#found.get(mark);
    if (known) known.others += 1;
    else this.#found.set(mark, { problem, row: origin?.row, others: 0 });
  }

  /** Returns whether a tenant, or one of its files, has a problem. */
  concern(key: string, files: readonly string[]): boolean {
    const { keys, files: wrong } = this.#concerned;
    return keys.has(key) || files.some((file) => wrong.has(file));
  }

  /** Returns the fields of the problems that were added since the last call. */
  takeFields(): ReadonlySet<string> {
    const fields = this.#fields;
    this.#fields = new Set();
    return fields;
  }

  /** Returns the problems in the order of files and positions. */
  sorted(files: readonly string[]): readonly FileProblem[] {
    const at = ({ place }: FileProblem): number => files.indexOf(place.file);
    return [...this.#found.values()]
      .map(({ problem, row, others }) => {
        const more = others === 0 ? '' : `, and ${others} more`;
        return row === undefined ? problem : { ...problem, message: `${problem.message} (${row}${more})` };
      })
      .sort(
        (one, other) =>
          at(one) - at(other) || one.place.line - other.place.line || one.place.column - other.place.column,
      );
  }
}
