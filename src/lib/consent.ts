/** A question before something is changed, as data: a program asks it where there is no terminal. */
export interface ConsentQuestion {
  /** `yes`: yes or no. `name`: one of the names has to be typed. */
  readonly level: 'yes' | 'name';
  /** The whole question. Names in it come from other people. */
  readonly question: string;
  readonly names?: readonly string[] | undefined;
  /** The word of `--allow` that answers it in a script. */
  readonly allow?: string | undefined;
  /** The id of the object that is changed, if it is known. */
  readonly id?: string | undefined;
}

/** A program that runs commands for a person, as a client of `botctl mcp` does. */
export interface Assistant {
  /** How the program names itself. A name is no proof. */
  readonly name: string;
  /** Returns true if the person has said yes to exactly this question. */
  hasConsent(question: ConsentQuestion): boolean;
}
