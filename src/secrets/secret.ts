import { inspect } from 'node:util';

/** The text shown instead of a secret. */
export const mask = '••••••••';

/** Called with the value of a secret. */
type Watcher = (value: string) => void;

const watchers = new Set<Watcher>();

/**
 * Calls a watcher for every secret that is created from now on, so that no caller can forget to register one for
 * masking. Returns a function that stops it.
 */
export function watchSecrets(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/**
 * A value that can't be printed by accident: every conversion to text returns the mask. Only `reveal` returns the
 * value, so each call of it can be reviewed. Output masks the revealed value again; a command whose result is a secret
 * passes it to `Context.reveal` instead.
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

/** Returns whether the name of a parameter suggests that its value is a secret. */
export function isSecretName(name: string): boolean {
  return words.test(name);
}
