import type { CallerInput } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import type { SuspiciousText } from '../../lib/files/suspicious-text.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';

/** The fields that may be written to a bot, as far as they were given. Teams and documents may still be names. */
export type BotFields = CallerInput<BodyOf<'createBot'>>;

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
  /** Texts that look as if they stood for something else. */
  readonly fileWords: readonly (SuspiciousText | undefined)[];
}
