import type { EndpointName } from '../../src/contract/endpoints.ts';
import { addFault } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** A fault that answers with this data, which the service itself would not give. */
export function answer(data: unknown, meta?: unknown): FaultEffect {
  const text = JSON.stringify({ success: true, data, meta });
  return { kind: 'body', bytes: Buffer.from(text).toString('base64'), type: 'application/json', status: 200 };
}

/** Lets a call end in each of these ways in turn; the last one stays. */
export async function answerInTurn(
  { control }: Pick<Sandbox, 'control'>,
  target: EndpointName,
  ...effects: readonly FaultEffect[]
): Promise<void> {
  for (const [index, effect] of effects.entries()) {
    const isLast = index === effects.length - 1;
    await addFault(control, { target, effect, ...(!isLast && { times: 1 }) });
  }
}
