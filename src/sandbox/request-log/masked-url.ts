import { isSecretName, mask } from '../../secrets/secret.ts';

/**
 * Matches addresses that may contain a secret: a query, percent-encoding, or the form of one of the service's secrets.
 */
const suspicious = /[?%]|botsecret_|eyJ/;

/** The service's secrets by their form: key secrets, and tokens (RFC 7519, 3). */
const forms = /botsecret_[\w-]*|eyJ[\w-]*\.[\w-]*(?:\.[\w-]*)?/g;

/** Returns path and query of a request for the log: secrets in it by mistake are masked. */
export function maskedUrl(url: string): string {
  if (!suspicious.test(url)) return url;
  const start = url.indexOf('?');
  const path = start < 0 ? url : url.slice(0, start);
  const shown = path.split('/').map(maskedPart).join('/');
  if (start < 0) return shown;
  const query = url
    .slice(start + 1)
    .split('&')
    .map(maskedParameter)
    .join('&');
  return `${shown}?${query}`;
}

function maskedParameter(parameter: string): string {
  const at = parameter.indexOf('=');
  if (at < 0) return maskedPart(parameter);
  const name = parameter.slice(0, at);
  const value = parameter.slice(at + 1);
  if (value !== '' && isSecretName(decoded(name))) return `${maskedPart(name)}=${mask}`;
  return `${maskedPart(name)}=${maskedPart(value)}`;
}

/** Masks a part; if it only contains a secret once decoded, it is masked as a whole. */
function maskedPart(part: string): string {
  const plain = part.replace(forms, mask);
  const inside = decoded(plain);
  return inside === plain || inside.replace(forms, mask) === inside ? plain : mask;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Decodes as much as possible.
    return text.replace(/%[2-7][\da-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
}
