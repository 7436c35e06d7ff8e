import { tokenLifetimeSeconds } from '../../contract/token.ts';
import { checkCredentials } from '../credentials.ts';
import { issueToken } from '../issued-tokens.ts';
import type { Handlers } from '../service.ts';

/** The exchange of an API key for an access token. */
export const tokenHandlers: Handlers<'createToken'> = {
  async createToken(service, { body }) {
    await checkCredentials(service, body.key_id, body.key_secret);
    return {
      data: {
        access_token: await issueToken(service.tokenSecret, body.key_id, service.clock.now()),
        token_type: 'Bearer',
        expires_in: tokenLifetimeSeconds,
      },
    };
  },
};
