import type { CampaignRow } from '../../src/campaigns/campaign.ts';
import type { StoredCampaign } from './stored-campaign.ts';

/** Returns a campaign called "spring" with two rows, one of which is skipped. */
export function springCampaign(origin: string, name = 'spring'): StoredCampaign {
  const row = (number: number, cells: readonly string[]): CampaignRow => ({
    row: number,
    line: number + 1,
    cells,
    state: 'planned',
    to: '5511966665555',
    device: 0,
    text: `Hello ${cells[0]}!`,
  });
  const { device: _, ...second } = row(2, ['Bia', '+55 11 96666-5555']);
  return {
    campaign: {
      name,
      origin,
      created_at: '2026-01-01T00:00:00.000Z',
      made_on: { host: 'desk' },
      devices: [{ id: '7d1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d01', name: 'Reception', number: '+5511912345678' }],
      message: 'Hello {{ name }}!',
      options: {},
      gap: { shortest: 6_000, longest: 15_000 },
      columns: ['name', 'phone'],
      to_column: 'phone',
      sources: [{ file: 'people.csv', sha256: '0'.repeat(64) }],
    },
    rows: [
      row(1, ['Ana', '+55 11 96666-5555']),
      { ...second, state: 'skipped', reason: 'duplicate', because: 'line 2 has the same number' },
    ],
  };
}

/**
 * Returns the command that creates a campaign with this many rows, by default without a pause, and its list for stdin.
 */
export function createLine(
  { rows, name = 'spring', device }: { rows: number; name?: string; device: string },
  more: readonly string[] = [],
): { readonly args: readonly string[]; readonly stdin: string } {
  const people = Array.from({ length: rows }, (_, at) => `P${at},+55119888800${String(at).padStart(2, '0')}`);
  const gap = more.includes('--gap') ? [] : ['--gap', '0s'];
  const line = ['campaigns', 'create', name, '--recipients', '-', '--device', device];
  const args = [...line, '--message', 'Hi {{ name }}', ...gap, ...more];
  return { args, stdin: `name,phone\n${people.join('\n')}\n` };
}
