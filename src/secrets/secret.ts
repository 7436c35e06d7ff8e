import { inspect } from 'node:util';

/** The text in place of a secret. */
export const mask = '••••••••';

/** Called with the value of a secret. */
type Watcher = (value: string) => void;

const watchers = new Set<Watcher>();

/**
 * Tells a watcher of every secret that is made from now on, so that none has to be remembered to be kept
 * out of what is printed. Returns the function that ends it.
 */
export function watchSecrets(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/**
 * A value that can't be printed by accident: every way of turning it into text gives the mask.
 * Only `reveal` gives the value, and each use of it is a place to review. What it gives is masked again
 * wherever it is printed; a command whose result it is hands it to `Context.reveal` instead.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    for (const watcher of watchers) watcher(value);
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

const words = /token|secret|passw|auth|jwt|credential|signature|api.?key|^(key|sig|pwd|pass)$/i;

/** True of the name of a parameter whose value is a secret, as callers use to call it. */
export function isSecretName(name: string): boolean {
  return words.test(name);
}
