/** A number that must not receive messages. */
export interface OptOut {
  /** E.164 digits, without the plus, as it was entered. */
  readonly number: string;
  /** ISO 8601. */
  readonly added_at: string;
  /** The source of the opt-out, in the user's words. */
  readonly note?: string | undefined;
}

/** The opt-outs of one service. */
export interface OptOuts {
  /**
   * Returns all of them in the order in which they were added, a page at a time.
   * @throws Failure `invalidInput` if the list can't be read or is damaged, since a number would be missing
   */
  list(): AsyncIterable<readonly OptOut[]>;
  /**
   * Returns those of the numbers that are in the list, in any of their forms. All are E.164 digits.
   * @throws Failure as `list`
   */
  filterOptedOut(numbers: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the entry of a number, in any of its forms, or undefined if it is not in the list.
   * @throws Failure as `list`
   */
  find(digits: string): Promise<OptOut | undefined>;
  /**
   * Adds numbers. Returns those that were new.
   * @throws Failure `outputFailed` if nothing can be written, and as `list`
   */
  add(numbers: readonly OptOut[]): Promise<readonly OptOut[]>;
  /**
   * Removes a number, in any of its forms. Returns the removed entry, or undefined if there was none.
   * @throws Failure as `add`
   */
  remove(digits: string): Promise<OptOut | undefined>;
}
