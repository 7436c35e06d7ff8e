/** The parts of undici that only yardsticks use; the rest is declared in src/client/undici.d.ts. */
declare module 'undici/lib/dispatcher/agent.js' {
  /** The connections to any origins. */
  class Agent {
    destroy(): Promise<void>;
  }

  export default Agent;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Readable } from 'node:stream';
  import type Agent from 'undici/lib/dispatcher/agent.js';

  interface RequestOptions {
    origin: string;
    path: string;
    method: string;
    headers: Readonly<Record<string, string>>;
    body?: Readable | string;
  }

  /** The method `request` of dispatchers. */
  export default function request(
    this: Agent,
    options: RequestOptions,
  ): Promise<{ statusCode: number; body: { text(): Promise<string> } }>;
}
