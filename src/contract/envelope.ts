import * as z from 'zod/mini';

/**
 * Error codes in the specification, with the status it gives or the usual one. The specification has rate limits but no
 * code for them: RATE_LIMITED is the sandbox's.
 */
export const errorStatus = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
} as const;

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errorStatus;

/** The envelope of every error response (specification, Errors). */
export const errorEnvelope = z.strictObject({
  success: z.literal(false),
  error: z.string(),
  code: z.enum(['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL_ERROR']),
  details: z.nullish(z.record(z.string(), z.unknown())),
});
