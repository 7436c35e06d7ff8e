/** The names of devices, which Windows takes for the device with any extension and in any case. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/** Returns a name under which a file can be on every system: Windows reserves some, and drops a dot or blank at the end. */
export function portableName(name: string): string {
  return name.replace(reserved, '$&_').replace(/[. ]$/, '$&_');
}
