import * as z from 'zod/mini';
import type { BookedDevice } from '../../desk/device-book.ts';
import { inputFailure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json-object.ts';
import { oneLine } from '../../lib/text/sentence.ts';

/** A device that another machine exported. */
export type ExportedDevice = BookedDevice & {
  /** The origin of its service; the current one if the file has none. */
  readonly service: string | undefined;
};

/** The maximum length of a stored name. */
const maxName = 500;

const word = z.optional(z.nullable(z.string()));
const id = z.string().check(z.refine(isId));
const time = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))));

/** The printed members of an exported device. Others, such as a token, are ignored. */
const exportedSchema = z.object({
  service: word,
  id,
  name: word,
  team_id: z.optional(z.nullable(id)),
  team_name: word,
  bot_id: z.optional(z.nullable(id)),
  bot_name: word,
  seen_at: time,
  noted_at: z.optional(z.nullable(time)),
});

/**
 * Returns the devices in the output of `device export`: a JSON array, or an object on each line.
 * @param file its name in a message
 * @param redact masks secrets in names, which come from other users
 * @throws Failure `invalidInput` for any other content
 */
export function readExport(
  text: string,
  file: string,
  redact: (text: string) => string,
): readonly ExportedDevice[] {
  const whole = parseJson(text);
  const values = Array.isArray(whole)
    ? whole
    : text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(parseJson);
  const parsed = values.map((value) => z.safeParse(exportedSchema, value));
  const wrong = parsed.findIndex(({ success }) => !success);
  if (wrong >= 0) {
    const problem = `${file} is not an export of a device book: entry ${wrong + 1} of ${values.length} is invalid.`;
    throw inputFailure([problem], 'Nothing was imported.');
  }
  const name = (given: string | null | undefined): string | undefined => {
    const clean = given ? redact(oneLine(given, maxName)) : '';
    return clean === '' ? undefined : clean;
  };
  return parsed.flatMap(({ data }) =>
    data === undefined
      ? []
      : [
          {
            service: data.service ?? undefined,
            id: data.id.toLowerCase(),
            name: name(data.name),
            teamId: data.team_id?.toLowerCase(),
            teamName: name(data.team_name),
            botId: data.bot_id?.toLowerCase(),
            botName: name(data.bot_name),
            seenAt: new Date(data.seen_at).toISOString(),
            notedAt: new Date(data.noted_at ?? data.seen_at).toISOString(),
          },
        ],
  );
}
