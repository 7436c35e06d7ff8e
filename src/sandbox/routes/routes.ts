import type { EndpointName } from '../../contract/endpoints.ts';
import type { Handlers } from '../service.ts';
import { botHandlers } from './bots.ts';
import { deviceHandlers } from './devices.ts';
import { documentHandlers } from './documents.ts';
import { keyHandlers } from './keys.ts';
import { messageHandlers } from './messages.ts';
import { teamHandlers } from './teams.ts';
import { tokenHandlers } from './token.ts';

/** The handler of every endpoint of the contract. */
export const handlers: Handlers<EndpointName> = {
  ...tokenHandlers,
  ...keyHandlers,
  ...teamHandlers,
  ...botHandlers,
  ...documentHandlers,
  ...deviceHandlers,
  ...messageHandlers,
};
