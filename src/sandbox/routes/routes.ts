import type { EndpointName } from '../../contract/endpoints.ts';
import { tokenLifetimeSeconds } from '../../contract/token.ts';
import { checkCredentials } from '../credentials.ts';
import { issueToken } from '../issued-tokens.ts';
import type { Handlers } from '../service.ts';
import { botHandlers } from './bots.ts';
import { deviceHandlers } from './devices.ts';
import { documentHandlers } from './documents.ts';
import { keyHandlers } from './keys.ts';
import { messageHandlers } from './messages.ts';
import { teamHandlers } from './teams.ts';

/** The handlers of all endpoints of the contract. */
export const handlers: Handlers<EndpointName> = {
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
  ...keyHandlers,
  ...teamHandlers,
  ...botHandlers,
  ...documentHandlers,
  ...deviceHandlers,
  ...messageHandlers,
};
