import type { Reply } from '../../client/api.ts';
import { isObject } from '../../lib/json-object.ts';
import { type Quotas, quotaNames } from './quotas.ts';

/** A team, as the single read shows it. */
export type RawTeam = Reply<'getTeam'>['data'];

/** A team. What the service doesn't show, or shows as something else, is absent. */
export interface Team {
  readonly id: string;
  readonly name?: string | undefined;
  /** What it is called in a sentence: its name or, if the service doesn't show one, its id. */
  readonly label: string;
  readonly quotas: Quotas;
  /** As the service shows it; JSON prints this. */
  readonly raw: RawTeam;
}

/** Returns the typed members of a team. */
export function toTeam(raw: RawTeam): Team {
  const name = typeof raw.name === 'string' && raw.name !== '' ? raw.name : undefined;
  return { id: raw.id, name, label: name ?? raw.id, quotas: quotasIn(raw.quotas), raw };
}

/** The quotas that a team shows, be it as numbers or as their text. */
function quotasIn(shown: unknown): Quotas {
  if (!isObject(shown)) return {};
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const value = String(shown[name]);
      return /^\d+$/.test(value) ? [[name, Number(value)]] : [];
    }),
  );
}
