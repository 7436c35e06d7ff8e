import type { EndpointName } from '../../src/contract/endpoints.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Returns a fault that answers with data that the sandbox itself would not return. */
export function answer(data: unknown, meta?: unknown): FaultEffect {
  return answerText(JSON.stringify({ success: true, data, meta }), { type: 'application/json' });
}

/** Returns a fault that answers with this error, whose message and details the sandbox would not return. */
export function refuse(status: number, code: string, error: string, details: unknown = null): FaultEffect {
  const text = JSON.stringify({ success: false, error, code, details });
  return answerText(text, { status, type: 'application/json' });
}

/** Returns a fault that answers with this text, as a proxy in front of a service does. */
export function answerText(text: string, { status = 200, type = 'text/html' } = {}): FaultEffect {
  return { kind: 'body', bytes: Buffer.from(text).toString('base64'), type, status };
}

/** Makes successive calls end with these effects; the last one repeats. */
export async function answerInTurn(
  { control }: Pick<Sandbox, 'control'>,
  target: EndpointName,
  ...effects: readonly FaultEffect[]
): Promise<void> {
  for (const [index, effect] of effects.entries()) {
    const isLast = index === effects.length - 1;
    await callControl(control, '/fault/add', { target, effect, ...(!isLast && { times: 1 }) });
  }
}
