import { walk } from './walk.ts';

await walk('others');
