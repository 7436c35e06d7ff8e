import { walkFailures } from './fails.ts';

await walkFailures('bots');
