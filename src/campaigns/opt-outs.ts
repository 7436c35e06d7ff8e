/** A number that is not to be written to. */
export interface OptOut {
  /** E.164 digits, without the plus, as it was given. */
  readonly number: string;
  /** ISO 8601. */
  readonly added_at: string;
  /** Where it comes from, in a person's words. */
  readonly note?: string | undefined;
}

/** The opt-outs of one service. */
export interface OptOuts {
  /**
   * Returns them in the order in which they were added, a page at a time.
   * @throws Failure `invalidInput` where they can't be read, or are damaged: a number would be missing
   */
  list(): AsyncIterable<readonly OptOut[]>;
  /**
   * Returns those of some numbers, as E.164 digits, that are in the list, in any of their forms.
   * @throws Failure as `list`
   */
  filterOptedOut(numbers: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns a number, in any of its forms, as it was added, or undefined if it is none of them.
   * @throws Failure as `list`
   */
  find(digits: string): Promise<OptOut | undefined>;
  /**
   * Adds numbers. Returns those that were not there yet.
   * @throws Failure `outputFailed` where nothing can be written, and as `list`
   */
  add(numbers: readonly OptOut[]): Promise<readonly OptOut[]>;
  /**
   * Removes a number, in any of its forms. Returns what was removed, or undefined if it was not there.
   * @throws Failure as `add`
   */
  remove(digits: string): Promise<OptOut | undefined>;
}
