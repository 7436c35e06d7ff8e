import type { Fields, Row } from '../../output/fields.ts';
import type { Profile } from '../../settings/profile.ts';

/** Fields of a profile: everything except its secret. */
export const profileFields: Fields = [
  { name: 'name', importance: 9 },
  {
    name: 'current',
    kind: 'flag',
    importance: 8,
    tone: (current) => (current === true ? 'good' : undefined),
  },
  { name: 'base_url', heading: 'Base address', importance: 7 },
  { name: 'key_id', heading: 'Key id', kind: 'id', importance: 4 },
  { name: 'protected', kind: 'flag', importance: 6 },
  { name: 'page_size', kind: 'number', detail: true },
  { name: 'ca_file', heading: 'CA file', detail: true },
  { name: 'region', detail: true },
  { name: 'qr', heading: 'QR style', detail: true },
  { name: 'database', detail: true },
  { name: 'desk_database', heading: 'Desk database', detail: true },
  { name: 'operator', detail: true },
  { name: 'query_names', detail: true },
  { name: 'unsent', heading: 'Not sent', detail: true },
  { name: 'first_page', kind: 'number', detail: true },
  { name: 'learned_at', heading: 'Learned', kind: 'time', detail: true },
];

/**
 * Returns a profile as a row. Members that aren't set are null.
 * @param current name of the current profile
 */
export function profileRow({ name, baseUrl, keyId, settings }: Profile, current: string | undefined): Row {
  return {
    name,
    current: current === name,
    base_url: baseUrl,
    key_id: keyId,
    protected: settings?.protected ?? false,
    page_size: settings?.pageSize ?? null,
    ca_file: settings?.caFile ?? null,
    region: settings?.region ?? null,
    qr: settings?.qr ?? null,
    database: settings?.database ?? null,
    desk_database: settings?.deskDatabase ?? null,
    operator: settings?.operator ?? null,
    query_names: settings?.queryNames ?? null,
    unsent: settings?.unsent ?? null,
    first_page: settings?.firstPage ?? null,
    learned_at: settings?.learnedAt ?? null,
  };
}
