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
   * Returns them in the order in which they were added.
   * @throws Failure `invalidInput` where they can't be read, or are damaged: a number would be missing
   */
  list(): Promise<readonly OptOut[]>;
  /**
   * Returns a test of E.164 digits: whether that number is one of them, in any of its forms.
   * @throws Failure as `list`
   */
  test(): Promise<(digits: string) => boolean>;
  /**
   * Returns a number, in any of its forms, as it was added, or undefined if it is none of them.
   * @throws Failure as `list`
   */
  find(digits: string): Promise<OptOut | undefined>;
  /**
   * Returns those of some numbers that are none of them, in any form.
   * @throws Failure as `list`
   */
  lacking(numbers: readonly OptOut[]): Promise<readonly OptOut[]>;
  /**
   * Adds numbers. Returns those that were not there yet.
   * @throws Failure `outputFailed` where nothing can be written, and as `list`
   */
  add(numbers: readonly OptOut[]): Promise<readonly OptOut[]>;
  /**
   * Removes a number, in any of its forms. Returns what was removed, or undefined if it was not there.
   * @throws Failure as `add`
   */
  remove(digits: string, at: string): Promise<OptOut | undefined>;
}
