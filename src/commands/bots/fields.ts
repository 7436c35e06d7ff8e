import type { Fields } from '../../output/fields.ts';

/** A bot in a list. */
export const botFields: Fields = [
  { name: 'id', kind: 'id', importance: 9, namedBy: 'name' },
  { name: 'name', importance: 8 },
  { name: 'role', usualWidth: 7, importance: 2 },
  {
    name: 'published',
    kind: 'flag',
    importance: 7,
    tone: (published) => (published === true ? 'good' : published === false ? 'warning' : undefined),
  },
  { name: 'team_id', heading: 'team', kind: 'id', shownAs: 'team_name', importance: 4 },
  { name: 'updated_at', heading: 'updated', kind: 'time', importance: 3 },
  { name: 'description', detail: true },
  { name: 'instructions', detail: true },
  { name: 'temperature', kind: 'number', detail: true },
  { name: 'allow_human', kind: 'flag', detail: true },
  { name: 'provider_id', detail: true },
  { name: 'vector_id', detail: true },
  { name: 'created_at', heading: 'created', kind: 'time', detail: true },
];

/** A single bot. */
export const botDetailFields: Fields = [
  ...botFields,
  { name: 'identification_name', heading: 'introduces as', detail: true },
  { name: 'use_audio_responses', heading: 'audio answers', kind: 'flag', detail: true },
  { name: 'allow_user_audio_requests', heading: 'audio from users', kind: 'flag', detail: true },
  { name: 'capture_payments', kind: 'flag', detail: true },
  { name: 'break_lines', kind: 'flag', detail: true },
  { name: 'questions', detail: true },
  { name: 'actions', detail: true },
  { name: 'documents', detail: true },
];
