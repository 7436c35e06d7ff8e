import { walkFailures } from './fails.ts';

await walkFailures('service');
