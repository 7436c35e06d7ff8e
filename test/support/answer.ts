import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';

/** A fault that answers with this data, which the service itself would not give. */
export function answer(data: unknown, meta?: unknown): FaultEffect {
  const text = JSON.stringify({ success: true, data, meta });
  return { kind: 'body', bytes: Buffer.from(text).toString('base64'), type: 'application/json', status: 200 };
}
