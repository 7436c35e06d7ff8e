import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxClock } from '../clock.ts';
import { CallerGone } from '../http/answer.ts';
import type { Interference, Outgoing } from '../http/exchange.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Behaviour } from './behaviour.ts';
import { codeOf, effectText, type RetryAfter, retryAfterOf } from './fault.ts';
import type { Faults, MetFault } from './faults.ts';

/** What the layer does. */
interface Layer {
  readonly faults: Faults;
  readonly behaviour: Behaviour;
  readonly clock: Pick<SandboxClock, 'now'>;
}

/** Makes the one layer between requests and the service where things go wrong on purpose. */
export function createInterference({ faults, behaviour, clock }: Layer): Interference {
  return {
    get isOn() {
      return faults.areSet || behaviour.isChanged;
    },
    async pass(exchange, inner, ended) {
      const serve = behaviour.isChanged ? () => behaviour.serve(exchange, inner) : inner;
      const fault = faults.meet(exchange);
      if (!fault) return { reply: await serve() };
      exchange.fault = `${fault.id}: ${effectText(fault)}`;
      if (fault.delay !== undefined) await pause(fault.delay, ended());
      return happen(fault, serve, clock.now());
    },
  };
}

/** @throws CallerGone when the request ends before the time */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? new CallerGone() : error;
  });
}

async function happen({ id, effect }: MetFault, serve: () => Promise<Reply>, now: Date): Promise<Outgoing> {
  switch (effect?.kind) {
    case undefined:
      return { reply: await serve() };
    case 'status': {
      const { status, code = codeOf(status) } = effect;
      const error = `This answer is a fault of the sandbox (fault ${id}).`;
      const { headers, ...reply } = jsonReply(status, { success: false, error, code });
      return { reply: { ...reply, headers: { ...headers, ...retryHeader(retryAfterOf(effect), now) } } };
    }
    case 'body': {
      const { status, type, bytes } = effect;
      const headers = { 'content-type': type, ...retryHeader(retryAfterOf(effect), now) };
      return { reply: { status, headers, body: Buffer.from(bytes, 'base64') } };
    }
    case 'reset':
      if (effect.when === 'before') return { cut: 'before' };
      return { reply: await serve(), cut: 'before' };
    case 'truncate':
      return { reply: await serve(), cut: 'midway' };
  }
}

function retryHeader(asked: RetryAfter, now: Date): Readonly<Record<string, string>> {
  if (asked === 'none') return {};
  if (asked !== 'date') return { 'retry-after': String(asked) };
  // Dates of HTTP count whole seconds (RFC 9110, 5.6.7); a whole one has to pass.
  const soon = new Date(Math.ceil(now.getTime() / 1000 + 1) * 1000);
  return { 'retry-after': soon.toUTCString() };
}
