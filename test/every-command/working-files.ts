import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const devices = JSON.stringify([
  { id: '7d1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d01', name: 'Terrace', seen_at: '2026-01-01T00:00:00.000Z' },
]);

const tenants = `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: starter
    documents:
      menu: { existing: menu.txt }
    bots:
      front: { name: Front desk, documents: [menu] }
      brunch: { name: Brunch desk }
`;

const lock = `{
  "version": 1,
  "origin": "https://staging.example",
  "objects": {
    "aurora": {"id":"7d1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d01","applied":{"name":"Aurora Coffee"}},
    "aurora/devices/reception": {"unknown_since":"2026-01-01T00:00:00.000Z","applied":{}},
    "~": "end"
  }
}
`;

const oldLock = (team: string) =>
  `{"version": 1, "origin": "https://old.example", "objects": {"aurora": {"id": "${team}"}}}`;

/** Creates a working directory with the files that first examples read (see `place.ts`). */
export function makeWorkingDirectory(
  directory: string,
  {
    keySecret,
    picture,
    team = crypto.randomUUID(),
  }: { readonly keySecret: string; readonly picture: Uint8Array; readonly team?: string },
): void {
  for (const folder of ['handbook', 'tenants']) mkdirSync(join(directory, folder), { recursive: true });
  const bot = 'name: Weekend desk\nrole: sales\ninstructions: Offer the menu.\ntemperature: 0.5\n';
  const files = {
    'menu.txt': 'soup\n',
    'handbook/hours.txt': 'From nine to five.\n',
    'prompt.txt': 'Answer in one sentence.\n',
    'bot.yaml': bot,
    'devices.json': devices,
    'people.csv': 'name,phone\nAna,+55 11 98888-7777\nBia,+55 11 96666-5555\n',
    'optouts.csv': 'number\n+55 11 95555-4444\n',
    'staging.lock.json': lock,
    'old.lock.json': oldLock(team),
    'tenants/aurora.yaml': tenants,
    'draft.yaml': 'version: 1\ntenants:\n  aurora: { nam: Aurora Coffee }\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, 'key.secret'), `${keySecret}\n`, { mode: 0o600 });
  writeFileSync(join(directory, 'pair.png'), picture);
  writeFileSync(join(directory, 'check.sh'), '#!/bin/sh\ntest -n "$BOTCTL_KEY_SECRET"\n', { mode: 0o700 });
}
