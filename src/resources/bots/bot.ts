import type { ResourceRow } from '../../client/api.ts';
import { asText } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import { type Named, namedBy } from '../named.ts';

/** A bot in its detail form. Members that the service doesn't show, or shows as another type, are absent. */
export interface Bot extends Named {
  readonly teamId?: string | undefined;
  /** Undefined if the service does not show it: then the bot may be published, and is treated as if it were. */
  readonly published: boolean | undefined;
  /** The row from the service; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a bot. */
export function toBot(raw: ResourceRow): Bot {
  return {
    ...namedBy(raw.id, raw),
    teamId: asText(raw.team_id),
    published: flagOf(raw.published),
    raw,
  };
}
