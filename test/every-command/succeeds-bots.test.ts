import { isLong } from '../support/long.ts';
import { walkSuccesses } from './succeeds.ts';

await walkSuccesses('bots', isLong);
