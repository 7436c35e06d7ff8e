import { isLong } from '../support/long.ts';
import { walkFailures } from './fails.ts';

await walkFailures('others', isLong);
