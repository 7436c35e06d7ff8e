import type { Fields } from '../../output/fields.ts';

/** Fields of a running sandbox. */
export const stateFields: Fields = [
  { name: 'data' },
  { name: 'database' },
  { name: 'base_url', heading: 'Base address' },
  { name: 'pid', heading: 'Process', kind: 'id' },
  { name: 'version' },
  { name: 'started_at', heading: 'Started', kind: 'time' },
  // Shown as an absolute time, because this machine's clock may differ.
  { name: 'now', heading: 'Clock' },
  { name: 'phone' },
  { name: 'log' },
  { name: 'key_id', kind: 'id' },
  { name: 'teams', kind: 'number' },
  { name: 'bots', kind: 'number' },
  { name: 'documents', kind: 'number' },
  { name: 'devices', kind: 'number' },
  { name: 'messages', kind: 'number' },
];

/** Fields of a fault. */
export const faultFields: Fields = [
  { name: 'id', kind: 'id' },
  { name: 'target' },
  { name: 'effect', importance: 6 },
  { name: 'when', importance: 3 },
  // The list is mainly used to see whether a fault was triggered.
  { name: 'seen', kind: 'number', importance: 8 },
  { name: 'met', kind: 'number', importance: 9 },
];
