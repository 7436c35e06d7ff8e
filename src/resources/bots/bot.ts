import type { ResourceRow } from '../../client/api.ts';
import { textOf } from '../../lib/json-object.ts';
import { type Named, namedBy } from '../named.ts';

/** A bot in its detail form. What the service doesn't show, or shows as something else, is absent. */
export interface Bot extends Named {
  readonly teamId?: string | undefined;
  readonly published?: boolean | undefined;
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a bot. */
export function toBot(raw: ResourceRow): Bot {
  const { published } = raw;
  return {
    ...namedBy(raw.id, raw),
    teamId: textOf(raw.team_id),
    published: typeof published === 'boolean' ? published : undefined,
    raw,
  };
}
