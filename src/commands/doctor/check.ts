import type { Context } from '../../cli/context.ts';
import type { Api } from '../../client/api.ts';
import { proxyFor } from '../../client/proxy.ts';
import { Failure, type FailureKind } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';
import { anonymousIdentity } from '../../resources/check-reach.ts';
import { baseUrlOverride } from '../../settings/identity.ts';
import type { Identity } from '../../settings/settings.ts';

/** The result of a check. `skipped` means that there was nothing to check, or an earlier check failed. */
export type Verdict = 'ok' | 'warning' | 'broken' | 'skipped';

/** The result of a check that did not fail. */
export interface Answer {
  readonly verdict: Exclude<Verdict, 'broken'>;
  /** One sentence. */
  readonly found: string;
  /** The advice about it, with the exact next command. */
  readonly remedy?: RemarkText | undefined;
}

export interface Finding extends Omit<Answer, 'verdict'> {
  readonly check: string;
  readonly verdict: Verdict;
  /** The kind of failure that ends the command if this check failed. */
  readonly kind?: FailureKind;
}

export interface Check {
  /** The name of the check in the output: `config file`. */
  readonly name: string;
  /** The checks that this one depends on: if one of them fails, this one is skipped. */
  readonly needs?: readonly string[];
  /**
   * Runs the check. Returns undefined if there is nothing to check and nothing to report.
   * @throws Failure if it fails: the message has the finding, the hint the remedy
   */
  run(subject: Subject): Answer | undefined | Promise<Answer | undefined>;
}

/** Returns the result of a check that found no problem. */
export function ok(found: string): Answer {
  return { verdict: 'ok', found };
}

/** Returns the result of a check of something that works but needs attention. */
export function warning(found: string, remedy?: RemarkText): Answer {
  return { verdict: 'warning', found, remedy };
}

/** Returns the result if there is nothing to check. */
export function skipped(found: string, remedy?: RemarkText): Answer {
  return { verdict: 'skipped', found, remedy };
}

/** A certificate or key that expires within this time needs attention, in milliseconds. */
export const soonMs = 14 * 86_400_000;

/**
 * Returns the result of a function, or the failure that it throws.
 * @throws the failure of an interruption, and any error that is not a `Failure`
 */
export async function orFailure<T>(work: () => T | Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Failure && !thrown.isInterruption) return thrown;
    throw thrown;
  }
}

function orThrow<T>(value: T | Failure): T {
  if (value instanceof Failure) throw value;
  return value;
}

/** The machine, the caller and the service to check. */
export class Subject {
  #api: Promise<Api> | undefined;

  private constructor(
    readonly context: Context,
    /** The identity in use, or why there is none. */
    readonly known: Identity | Failure,
    private readonly met: Identity | Failure,
  ) {}

  /** @throws as `orFailure` */
  static async open(context: Context): Promise<Subject> {
    const { io, options, settings } = context;
    const known = await orFailure(() => settings.identity());
    if (!(known instanceof Failure)) return new Subject(context, known, known);
    const given = await orFailure(() => baseUrlOverride(io.env, options));
    return new Subject(
      context,
      known,
      given && 'baseUrl' in given ? anonymousIdentity(given.baseUrl) : known,
    );
  }

  /** The identity in use. @throws Failure as `Settings.identity` */
  get identity(): Identity {
    return orThrow(this.known);
  }

  /**
   * The caller. Without credentials it is anonymous with only the given address, which is enough to check the
   * connection.
   * @throws Failure as `identity`, if no valid address was given
   */
  get caller(): Identity {
    return orThrow(this.met);
  }

  /** The base address of the service. */
  get url(): URL {
    return new URL(this.caller.baseUrl);
  }

  /** The proxy for the service, if there is one. @throws Failure as `proxyFor` */
  get proxy(): URL | undefined {
    return proxyFor(this.url, this.context.io.env);
  }

  /** The file with additional trusted certificates. */
  get caFile(): string | undefined {
    return this.context.options.caFile ?? this.caller.settings?.caFile;
  }

  /** Opens the API with that identity. */
  api(): Promise<Api> {
    this.#api ??= this.context.openApi(this.identity);
    return this.#api;
  }

  async close(): Promise<void> {
    const opened = await this.#api?.catch(() => undefined);
    await opened?.close();
  }
}
