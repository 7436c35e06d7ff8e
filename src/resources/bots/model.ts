import type { Given } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import type { FileWord } from '../../lib/files/file-word.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** The path to a value in what was written, from the field inwards. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong with what was written. */
export interface Problem {
  readonly path: Path;
  /** The words that make a sentence after the name of the field: "must be a number, not text". */
  readonly says: string;
}

/** The fields that may be written to a bot, as far as they were given. Teams and documents may still be names. */
export type BotFields = Given<BodyOf<'createBot'>>;

/** The place of a value, as its writer knows it: `bot.yaml:7: ` and the path in there. */
export interface SourceLocation {
  readonly label: string;
  readonly path: Path;
}

/** The fields of a bot as a person wrote them, unchecked, and the place of each value. */
export interface BotInput {
  readonly values: JsonObject;
  place(path: Path): SourceLocation;
  /** True if a field was typed on the command line: only there may a person be asked what a name means. */
  isTyped(field: string): boolean;
  /** Texts that look as if they stood for files. */
  readonly fileWords: readonly (FileWord | undefined)[];
}
