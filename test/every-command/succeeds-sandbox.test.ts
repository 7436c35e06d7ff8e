import { walkSuccesses } from './succeeds.ts';

await walkSuccesses('sandbox');
