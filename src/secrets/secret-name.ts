const words = /token|secret|passw|auth|jwt|credential|signature|api.?key|^(key|sig|pwd|pass)$/i;

/** True of the name of a parameter whose value is a secret, as callers use to call it. */
export function isSecretName(name: string): boolean {
  return words.test(name);
}
