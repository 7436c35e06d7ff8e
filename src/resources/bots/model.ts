import type { CallerInput } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import type { SuspiciousText } from '../../lib/files/suspicious-text.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';

/** The given fields of a bot. Teams and documents may still be names. */
export type BotFields = CallerInput<BodyOf<'createBot'>>;

/** The place of a value for messages: `bot.yaml:7: ` and the path in it. */
export interface SourceLocation {
  readonly label: string;
  readonly path: Path;
}

/** The fields of a bot as a person wrote them, unchecked, with the place of each value. */
export interface BotInput {
  readonly values: JsonObject;
  place(path: Path): SourceLocation;
  /** Returns whether a field was typed on the command line: only then may botctl ask which document a name means. */
  isTyped(field: string): boolean;
  /** Texts that look like a file name or a placeholder. */
  readonly fileWords: readonly (SuspiciousText | undefined)[];
}
