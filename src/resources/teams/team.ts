import type { ResourceRow } from '../../client/api.ts';
import { isObject } from '../../lib/json-object.ts';
import { type Named, namedBy } from '../named.ts';
import { type Quotas, quotaNames } from './quotas.ts';

/** A team. What the service doesn't show, or shows as something else, is absent. */
export interface Team extends Named {
  readonly quotas: Quotas;
  /** As the service shows it; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a team. */
export function toTeam(raw: ResourceRow): Team {
  return { ...namedBy(raw.id, raw), quotas: quotasIn(raw.quotas), raw };
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
