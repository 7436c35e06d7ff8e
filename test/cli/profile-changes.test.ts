import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeProfile, renameProfile } from '../../src/cli/profile-changes.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { failureOf, profileNamed, settingsIn, temporaryDirectory } from '../settings/support.ts';

const profile = profileNamed('default');
const owner = {
  profile: 'default',
  baseUrl: profile.baseUrl,
  keyId: profile.keyId,
  keySecret: profile.keySecret,
};

async function signedIn() {
  const directory = temporaryDirectory();
  const settings = settingsIn(directory);
  await settings.profiles.save(profile);
  await settings.tokens.write(owner, {
    token: new Secret('token-of-default'),
    issuedAt: 1_000,
    expiresAt: Number.MAX_SAFE_INTEGER,
  });
  const tokenFiles = () => readdirSync(join(directory, 'cache', 'tokens'));
  return { settings, tokenFiles };
}

test('removing a profile removes its token', async () => {
  const { settings, tokenFiles } = await signedIn();
  await removeProfile(settings, profile);
  expect(settings.profiles.list()).toEqual([]);
  expect(tokenFiles()).toEqual([]);
});

test('renaming a profile moves its token', async () => {
  const { settings, tokenFiles } = await signedIn();
  await renameProfile(settings, profile, 'prod');
  expect(settings.tokens.read({ ...owner, profile: 'prod' })?.token.reveal()).toBe('token-of-default');
  expect(settings.tokens.read(owner)).toBeUndefined();
  expect(tokenFiles()).toHaveLength(1);
});

test('a name that is taken leaves profile and token unchanged', async () => {
  const { settings } = await signedIn();
  await settings.profiles.save(profileNamed('prod'));
  expect((await failureOf(() => renameProfile(settings, profile, 'prod'))).kind).toBe('invalidInput');
  expect(settings.tokens.read(owner)?.token.reveal()).toBe('token-of-default');
  expect(settings.profiles.get('default')?.keyId).toBe(profile.keyId);
});
