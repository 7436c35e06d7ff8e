import type { Api } from '../../client/api.ts';
import { proxyFor } from '../../client/proxy.ts';
import type { Context } from '../../context.ts';
import type { Identity } from '../../settings/settings.ts';

/** What is examined. Each part is found when a check first asks for it. */
export class Subject {
  readonly context: Context;
  #identity: Identity | undefined;
  #api: Promise<Api> | undefined;

  constructor(context: Context) {
    this.context = context;
  }

  /**
   * The identity that wins.
   * @throws Failure as `Settings.identity`
   */
  get identity(): Identity {
    this.#identity ??= this.context.settings.identity();
    return this.#identity;
  }

  /** The base address of the service. */
  get url(): URL {
    return new URL(this.identity.baseUrl);
  }

  /**
   * The proxy on the way to the service.
   * @throws Failure as `proxyFor`
   */
  get proxy(): URL | undefined {
    return proxyFor(this.url, this.context.io.env);
  }

  /** The file with further certificates to trust. */
  get caFile(): string | undefined {
    return this.context.options.caFile ?? this.identity.settings?.caFile;
  }

  /** The API, open with that identity. */
  api(): Promise<Api> {
    this.#api ??= this.context.openApi(this.identity);
    return this.#api;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled([this.#api]);
    for (const api of opened) if (api.status === 'fulfilled') await api.value?.close();
  }
}
