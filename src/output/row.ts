import type { JsonObject } from '../lib/json-object.ts';

/** A thing of the API or of botctl, as the runner prints it. */
export type Row = JsonObject;
