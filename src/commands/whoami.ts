import { defineCommand } from '../cli/command.ts';
import { Failure } from '../lib/errors.ts';
import { originOf } from '../settings/base-url.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show the current identity',
  description:
    'Shows the key in use, its source (profile, environment) and its service, and checks the key with the service. ' +
    'If the service rejects the key, the exit code is 4. If the service cannot be reached, whoami prints a warning ' +
    'and shows what is known locally; unknown members are null. To test the whole connection, run "botctl doctor". ' +
    'Never shows a secret or a token.',
  examples: [
    { line: 'botctl whoami', does: 'Show which key and service are used' },
    { line: 'botctl whoami -o json', does: 'Use it in a script; exit code 4 if signed out' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'record',
    fields: [
      { name: 'profile' },
      { name: 'source' },
      { name: 'base_url', heading: 'Base address' },
      { name: 'origin', detail: true, sameAs: 'base_url' },
      { name: 'key_id', heading: 'Key id', kind: 'id' },
      { name: 'key_name', heading: 'Key name' },
      { name: 'key_expires_at', heading: 'Key expires', kind: 'time' },
      { name: 'token_age', heading: 'Token age', kind: 'seconds' },
      { name: 'token_expires_at', heading: 'Token expires', kind: 'time' },
    ],
  },
  async run({ api, clock, identity, terminal }) {
    const { source, profile, baseUrl, keyId } = identity;
    const token = await undefinedIfUnreachable(() => api.accessToken(), terminal);
    const key =
      token && (await undefinedIfUnreachable(() => api.call('getKey', { path: { keyId } }), terminal));
    return {
      profile: profile ?? null,
      source,
      base_url: baseUrl,
      origin: originOf(baseUrl),
      key_id: keyId,
      key_name: key?.data.name ?? null,
      key_expires_at: key?.data.expires_at ?? null,
      token_age: token ? Math.max(0, Math.round((clock.now() - token.issuedAt) / 1000)) : null,
      token_expires_at: token ? new Date(token.expiresAt).toISOString() : null,
    };
  },
});

/**
 * Returns the response of the service, or undefined if there is none. The caller is known without the service, so only
 * a rejected key ends the command.
 */
async function undefinedIfUnreachable<T>(ask: () => Promise<T>, terminal: Terminal): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    const isTolerable =
      thrown instanceof Failure && ['notFound', 'rejected', 'rateLimited', 'network'].includes(thrown.kind);
    if (!isTolerable) throw thrown;
    terminal.warn(`The key can't be checked with the service. ${thrown.message}`);
    return undefined;
  }
}
