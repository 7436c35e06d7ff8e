import type { Api, CallArguments, ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { asText, isObject, ownMember } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import { type Named, namedBy } from '../named.ts';
import { type Quotas, quotaNames } from './quotas.ts';

/** A team. Members that the service doesn't show, or shows as another type, are absent. */
export interface Team extends Named {
  readonly paying: boolean | undefined;
  readonly banned: boolean | undefined;
  readonly quotas: Quotas;
  /** The row from the service; JSON prints this. */
  readonly raw: ResourceRow;
}

/** Returns the typed members of a team. */
export function toTeam(raw: ResourceRow): Team {
  const { paying, banned } = raw;
  return {
    ...namedBy(raw.id, raw),
    paying: flagOf(paying),
    banned: flagOf(banned),
    quotas: quotasIn(raw.quotas),
    raw,
  };
}

/**
 * Creates a team and its administrator. Returns the team, with the administrator as `user`.
 * @throws Failure as `Api.call`; `outcomeUnknown` if the response does not show the team, as for other creates
 */
export async function createTeam(
  api: Pick<Api, 'call'>,
  ...input: CallArguments<'createTeam'>
): Promise<ResourceRow> {
  const { team, user } = (await api.call('createTeam', ...input)).data;
  const id = isObject(team) ? asText(team.id) : undefined;
  if (id === undefined) throw new Failure('outcomeUnknown', 'The response does not contain the new team.');
  return { ...(isObject(team) && team), id, user };
}

/** Returns a writable member of a team in the type for writing, if the service shows it. */
export function teamValue({ raw, quotas, paying, banned }: Team, field: string): unknown {
  if (field.startsWith('quotas.')) return ownMember(quotas, field.slice('quotas.'.length));
  return (field === 'paying' ? paying : field === 'banned' ? banned : undefined) ?? ownMember(raw, field);
}

/** Returns the quotas that a team shows, as numbers or as texts. */
function quotasIn(shown: unknown): Quotas {
  if (!isObject(shown)) return {};
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const value = String(shown[name]);
      return /^\d+$/.test(value) ? [[name, Number(value)]] : [];
    }),
  );
}
