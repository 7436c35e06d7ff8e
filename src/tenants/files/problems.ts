import type { FileProblem } from './file-value.ts';

/** Of which tenant a problem is, and of which row where one made it. */
interface Whose {
  readonly key: string;
  readonly row?: string | undefined;
}

interface Found {
  readonly problem: FileProblem;
  readonly row?: string | undefined;
  others: number;
}

/** Everything that is wrong with files, each thing once: a mistake in what many rows share is one. */
export class Problems {
  readonly #found = new Map<string, Found>();
  /** The keys of the tenants that something is wrong with, and the files that something else is wrong with. */
  readonly #concerned = { keys: new Set<string>(), files: new Set<string>() };
  #fields = new Set<string>();

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  add(problem: FileProblem, whose?: Whose): void {
    const { place, field, says } = problem;
    this.#fields.add(field);
    if (whose) this.#concerned.keys.add(whose.key);
    else this.#concerned.files.add(place.file);
    const told = whose && says.startsWith(whose.key) ? says.slice(whose.key.length) : says;
    const mark = JSON.stringify([place, told]);
    const known = this.#found.get(mark);
    if (known) known.others += 1;
    else this.#found.set(mark, { problem, row: whose?.row, others: 0 });
  }

  /** True if something is wrong with a tenant, or with a file that it is read by. */
  concern(key: string, files: readonly string[]): boolean {
    const { keys, files: wrong } = this.#concerned;
    return keys.has(key) || files.some((file) => wrong.has(file));
  }

  /** Returns the fields of the problems since the last time that this was asked. */
  takeFields(): ReadonlySet<string> {
    const fields = this.#fields;
    this.#fields = new Set();
    return fields;
  }

  /** Returns the problems in the order of files and of what stands in them. */
  sorted(files: readonly string[]): readonly FileProblem[] {
    const at = ({ place }: FileProblem): number => files.indexOf(place.file);
    return [...this.#found.values()]
      .map(({ problem, row, others }) => {
        const more = others === 0 ? '' : `, and ${others} more`;
        return row === undefined ? problem : { ...problem, says: `${problem.says} (${row}${more})` };
      })
      .sort(
        (one, other) =>
          at(one) - at(other) || one.place.line - other.place.line || one.place.column - other.place.column,
      );
  }
}
