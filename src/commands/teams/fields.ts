import type { Fields } from '../../output/fields.ts';
import { quotaNames } from '../../resources/teams/quotas.ts';

/** A team in a list. */
export const teamFields: Fields = [
  { name: 'id', kind: 'id', importance: 9, namedBy: 'name' },
  { name: 'name', importance: 8 },
  { name: 'plan_name', heading: 'plan', usualWidth: 10, importance: 6 },
  {
    name: 'paying',
    kind: 'flag',
    importance: 7,
    tone: (paying) => (paying === false ? 'warning' : undefined),
  },
  { name: 'banned', kind: 'flag', importance: 7, tone: (banned) => (banned === true ? 'bad' : undefined) },
  { name: 'created_at', heading: 'created', kind: 'time', importance: 3 },
  { name: 'updated_at', heading: 'updated', kind: 'time', detail: true },
];

/** A single team. */
export const teamDetailFields: Fields = [
  ...teamFields,
  ...quotaNames.map((name) => ({ name: `quotas.${name}`, kind: 'number', detail: true }) as const),
  { name: 'settings', detail: true },
];

/** A team with the administrator that was created with it. */
export const createdTeamFields: Fields = [
  ...teamFields,
  { name: 'user.id', heading: 'admin id', kind: 'id', detail: true },
  { name: 'user.name', heading: 'admin name', detail: true },
  { name: 'user.email', heading: 'admin email', detail: true },
  { name: 'user.phone', heading: 'admin phone', kind: 'phone', detail: true },
  { name: 'user.created_at', heading: 'admin created', kind: 'time', detail: true },
];

/** A team, and the changes of an update. */
export const updatedTeamFields: Fields = [...teamDetailFields, { name: 'changes', detail: true }];
