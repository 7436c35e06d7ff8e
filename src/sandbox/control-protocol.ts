import * as z from 'zod/mini';
import { count, timestamp, uuid } from '../contract/schema.ts';

/** What the control channel takes and answers. Bodies of a scan are the picture itself, a PNG or text. */

/** Bytes of the largest picture or screen that is taken. */
export const largestBody = 8 * 1024 * 1024;

/** Media types that tell a picture from a drawn screen. */
export const pictureType = 'image/png';
export const screenType = 'text/plain; charset=utf-8';

/** A device that the simulated phone was paired with. */
export const pairing = z.strictObject({ device_id: uuid, name: z.string(), phone_number: z.string() });

export const publishRequest = z.strictObject({ bot: z.string() });
export const publication = z.strictObject({ bot_id: uuid, name: z.string(), published: z.boolean() });

/** Up to a hundred years, in milliseconds. */
export const advanceRequest = z.strictObject({
  milliseconds: z.int().check(z.minimum(1), z.maximum(100 * 366 * 86_400_000)),
});
export const advanced = z.strictObject({ now: timestamp });

const seedCount = count.check(z.maximum(1_000_000));
export const seedRequest = z.strictObject({ teams: seedCount, bots: seedCount, documents: seedCount });
export const seeded = z.strictObject({ teams: count, bots: count, documents: count });

export const controlError = z.strictObject({ error: z.string() });

/** The control calls, and what each answers. All are POST. */
export interface ControlCalls {
  '/scan': Pairing;
  '/publish': Publication;
  '/clock': Advanced;
  '/seed': Seeded;
}

export type ControlPath = keyof ControlCalls;
export type Pairing = z.infer<typeof pairing>;
export type Publication = z.infer<typeof publication>;
export type Advanced = z.infer<typeof advanced>;
export type Seeded = z.infer<typeof seeded>;
export type SeedRequest = z.infer<typeof seedRequest>;
