import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Io } from '../../lib/io.ts';
import { shellLiteral } from '../../lib/text/quote.ts';

/**
 * Returns the command that, on another machine, makes a port of this one reachable there under the same
 * number. Within an ssh session it contains the address and port of the session.
 */
export function sshLineFor(port: number, env: Io['env']): string {
  // "client-address client-port server-address server-port", ssh(1).
  const [, , address = '', sshPort = ''] = (env.SSH_CONNECTION ?? '').split(' ');
  const host = isIP(address) > 0 ? address : hostname();
  const user = [env.USER, env.LOGNAME].find(isPlainName);
  const at = /^[1-9]\d{0,4}$/.test(sshPort) && sshPort !== '22' ? ['-p', sshPort] : [];
  const words = ['-L', `${port}:127.0.0.1:${port}`, ...at, user === undefined ? host : `${user}@${host}`];
  return ['ssh', ...words.map(shellLiteral)].join(' ');
}

/** Returns whether a name is safe in the command: no leading hyphen, as in an option, and no space or control character. */
function isPlainName(name: string | undefined): name is string {
  return name !== undefined && /^[^\s\p{C}-][^\s\p{C}]*$/u.test(name);
}
