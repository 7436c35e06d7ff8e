import type { Given } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** Where a value stands in what was written, from the field inwards. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong with what was written. */
export interface Problem {
  readonly path: Path;
  /** What completes the name of the field to a sentence: "must be a number, not text". */
  readonly says: string;
}

/** What may be written to a bot, as far as it was given. Teams and documents may still be names. */
export type BotFields = Given<BodyOf<'createBot'>>;

/** Where a value stands, as its writer knows it: `bot.yaml:7: ` and the path in there. */
export interface SourceLocation {
  readonly label: string;
  readonly path: Path;
}

/** What a person wrote of a bot, unchecked, and where each value of it stands. */
export interface BotInput {
  readonly values: JsonObject;
  place(path: Path): SourceLocation;
  /** True if a field was typed on the command line: only there may a person be asked what a name means. */
  isTyped(field: string): boolean;
}
