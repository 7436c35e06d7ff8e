import { Failure } from '../../lib/errors.ts';
import { ownMember } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import { fold } from '../../lib/text/compare.ts';
import type { Row } from '../../output/fields.ts';

/** A filter of a list: its option, and its effect on a row. */
export interface Filter {
  /** The option that sets it. */
  readonly option: string;
  /**
   * True if a row with this value may be in the response. Returns false only if the value matches under no
   * interpretation of the filter; a value that cannot be compared passes.
   */
  accepts(shown: unknown, wanted: unknown): boolean;
  /**
   * True if the value matches as the specification defines it, if that is stricter. Used if botctl applies the filter
   * itself.
   */
  matches?(shown: unknown, wanted: unknown): boolean;
}

/** The filters of all lists. A member has the same name in the query and in the row. */
export const filters = {
  name: { option: '--name', accepts: mayContainText, matches: containsText },
  team_id: { option: '--team', accepts: isSameText },
  type: { option: '--type', accepts: isSameType },
  paying: { option: '--paying', accepts: isSameFlag },
} as const satisfies Readonly<Record<string, Filter>>;

/** A requested filter. */
export interface RequestedFilter extends Filter {
  readonly member: string;
  readonly wanted: unknown;
}

/** Returns the filters that a query requests, with their values. */
export function requestedFilters(query: object): readonly RequestedFilter[] {
  const wanted = new Map<string, unknown>(Object.entries(query));
  return Object.entries(filters).flatMap(([member, filter]) =>
    wanted.get(member) === undefined ? [] : [{ ...filter, member, wanted: wanted.get(member) }],
  );
}

/**
 * True if a row may be in the response according to one filter. A missing value, an object or an array cannot be
 * compared and passes.
 * @param isExact true if botctl applies the filter itself, so that only the specification's definition counts
 */
export function accepts(filter: RequestedFilter, row: Row, isExact = false): boolean {
  const shown = ownMember(row, filter.member);
  const holds = (isExact && filter.matches) || filter.accepts;
  return shown === undefined || typeof shown === 'object' || holds(shown, filter.wanted);
}

function containsText(shown: unknown, wanted: unknown): boolean {
  return fold(String(shown)).includes(fold(String(wanted)));
}

/**
 * True if a lenient service may find the text: by a part of it, by all words in any order, or by a pattern with `*`,
 * `%`, `_` and `?`.
 */
function mayContainText(shown: unknown, wanted: unknown): boolean {
  if (containsText(shown, wanted)) return true;
  const whole = fold(String(shown));
  const part = fold(String(wanted));
  if (part.split(' ').every((word) => whole.includes(word))) return true;
  return wildcards(part).test(whole);
}

function wildcards(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/[*%]+/g, '.*')
    .replace(/[?_]/g, '.');
  return new RegExp(source, 'su');
}

function isSameText(shown: unknown, wanted: unknown): boolean {
  return fold(String(shown)) === fold(String(wanted));
}

/** Media types that a service may return instead of file types such as `pdf`. */
const mediaTypes: Readonly<Record<string, string>> = {
  'APPLICATION/PDF': 'PDF',
  'TEXT/PLAIN': 'TXT',
  'APPLICATION/MSWORD': 'DOC',
  'APPLICATION/VND.OPENXMLFORMATS-OFFICEDOCUMENT.WORDPROCESSINGML.DOCUMENT': 'DOCX',
};

function isSameType(shown: unknown, wanted: unknown): boolean {
  const type = fold(String(shown))
    .replace(/^\./, '')
    .replace(/\s*;.*$/, '');
  return (ownMember(mediaTypes, type) ?? type) === fold(String(wanted));
}

function isSameFlag(shown: unknown, wanted: unknown): boolean {
  const value = flagOf(shown);
  return value === undefined || value === wanted;
}

/** Detects filters that the service does not apply, applies them here, and prints a note for each. */
export class FilterCheck {
  readonly #here = new Set<RequestedFilter>();

  /**
   * @param asked the filters of the list
   * @param page the value of `--page`
   * @param note prints a note
   */
  constructor(
    readonly asked: readonly RequestedFilter[],
    readonly page: number | undefined,
    readonly note: (text: string) => void,
  ) {}

  get hasFilters(): boolean {
    return this.asked.length > 0;
  }

  get appliedHere(): boolean {
    return this.#here.size > 0;
  }

  /** Call this once the service has refused the filters. @throws Failure `invalidInput` with `--page` */
  markRefused(): void {
    this.#applyHere(this.asked, 'refuses');
  }

  /**
   * Returns the rows of a page that match the filters. A row that does not match shows that the service ignores a
   * filter.
   * @throws Failure `invalidInput` with `--page`
   */
  matchingRows<R extends Row>(rows: readonly R[]): readonly R[] {
    for (const row of rows) {
      this.#applyHere(
        this.asked.filter((filter) => !this.#here.has(filter) && !accepts(filter, row)),
        'ignores',
      );
    }
    return rows.filter((row) => this.asked.every((filter) => accepts(filter, row, this.#here.has(filter))));
  }

  #applyHere(found: readonly RequestedFilter[], verb: 'refuses' | 'ignores'): void {
    if (found.length === 0) return;
    const options = found.map(({ option }) => option).join(' and ');
    if (this.page !== undefined) {
      throw new Failure('invalidInput', `The service ${verb} ${options}, so --page cannot be used.`, {
        hint: 'Use --limit <number> or --all instead of --page.',
      });
    }
    for (const filter of found) this.#here.add(filter);
    this.note(
      `The service ${verb} ${options}, so botctl reads all pages and applies ${found.length > 1 ? 'them' : 'it'} itself.`,
    );
  }
}
