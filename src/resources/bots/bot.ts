import type { Reply } from '../../client/api.ts';

/** A bot in its detail form, as the service shows it. */
export type RawBot = Reply<'getBot'>['data'];

/** A bot in its detail form. What the service doesn't show, or shows as something else, is absent. */
export interface Bot {
  readonly id: string;
  readonly name?: string | undefined;
  readonly teamId?: string | undefined;
  readonly published?: boolean | undefined;
  /** What it is called in a sentence: its name or, if the service doesn't show one, its id. */
  readonly label: string;
  /** As the service shows it; JSON prints this. */
  readonly raw: RawBot;
}

/** Returns the typed members of a bot. */
export function toBot(raw: RawBot): Bot {
  const { id, name, team_id: teamId, published } = raw;
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name : undefined,
    teamId: typeof teamId === 'string' ? teamId : undefined,
    published: typeof published === 'boolean' ? published : undefined,
    label: typeof name === 'string' && name !== '' ? name : id,
    raw,
  };
}
