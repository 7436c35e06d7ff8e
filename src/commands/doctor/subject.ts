import type { Context } from '../../cli/context.ts';
import type { Api } from '../../client/api.ts';
import { proxyFor } from '../../client/proxy.ts';
import { nobodyAt } from '../../resources/reach.ts';
import { givenBaseUrl } from '../../settings/identity.ts';
import type { Identity } from '../../settings/settings.ts';

/** The machine, the caller and the service that checks look at; each part is found on first use. */
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

  /**
   * The caller or, if that can't be told, nobody at the address that was given: enough to look at the way there.
   * @throws Failure as `identity`, where no address was given
   */
  get caller(): Identity {
    try {
      return this.identity;
    } catch (thrown) {
      const { io, options } = this.context;
      const given = givenBaseUrl(io.env, options);
      if (!given) throw thrown;
      return nobodyAt(given.baseUrl);
    }
  }

  /** True if the address of the service is known, with or without an identity. */
  get hasAddress(): boolean {
    try {
      return this.caller.baseUrl !== '';
    } catch {
      return false;
    }
  }

  /** The base address of the service. */
  get url(): URL {
    return new URL(this.caller.baseUrl);
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
    return this.context.options.caFile ?? this.caller.settings?.caFile;
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
