import { walkSuccesses } from './succeeds.ts';

// Nothing here takes long, so that it is done as a whole.
await walkSuccesses('bots', true);
