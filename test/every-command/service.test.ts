import { walk } from './walk.ts';

await walk('service');
