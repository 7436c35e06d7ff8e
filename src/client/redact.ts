import { StringDecoder } from 'node:string_decoder';
import { mask, Secret } from '../secret.ts';

/** Secrets shorter than this are not looked for: they would blank out ordinary words. */
const shortestSecret = 8;

interface Node {
  readonly next: Map<string, Node>;
  /** Whether a form of a secret ends here. */
  ends: boolean;
}

/** Text that goes out in pieces. */
export interface RedactedStream {
  /** Takes a piece and gives what can be shown by now; a tail that may begin a secret is kept. */
  write(chunk: string | Uint8Array): string;
  /** Gives what was kept. The stream can be written to again. */
  flush(): string;
}

/**
 * Keeps secrets out of text by their value: raw, JSON-escaped, URL-encoded in both hex cases, base64 and
 * base64url at every alignment. Secrets may be learnt at any time.
 */
export class Redactor {
  readonly #root: Node = { next: new Map(), ends: false };
  readonly #known = new Set<string>();

  /** Adds a secret. One of fewer than eight characters is left alone. */
  learn(secret: string | Secret): void {
    const value = secret instanceof Secret ? secret.reveal() : secret;
    if (value.length < shortestSecret || this.#known.has(value)) return;
    this.#known.add(value);
    for (const form of formsOf(value)) this.#add(form);
  }

  /** Masks every secret in a text that is complete. */
  text(text: string): string {
    return this.#mask(text, true).shown;
  }

  /** Masks secrets in text that comes in pieces, those that are split between pieces included. */
  stream(): RedactedStream {
    const decoder = new StringDecoder('utf8');
    let kept = '';
    return {
      write: (chunk) => {
        const text = kept + (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)));
        const { shown, rest } = this.#mask(text, false);
        kept = rest;
        return shown;
      },
      flush: () => {
        const { shown } = this.#mask(kept + decoder.end(), true);
        kept = '';
        return shown;
      },
    };
  }

  #add(form: string): void {
    let node = this.#root;
    for (const unit of form.split('')) {
      const next = node.next.get(unit) ?? { next: new Map(), ends: false };
      node.next.set(unit, next);
      node = next;
    }
    node.ends = true;
  }

  /**
   * Masks a text from its beginning.
   * @param isComplete whether nothing follows; otherwise a tail that may begin a secret comes back as `rest`
   */
  #mask(text: string, isComplete: boolean): { readonly shown: string; readonly rest: string } {
    if (this.#known.size === 0) return { shown: text, rest: '' };
    let shown = '';
    let copied = 0;
    let at = 0;
    while (at < text.length) {
      const end = this.#secretFrom(text, at, isComplete);
      if (end === 'open') return { shown: shown + text.slice(copied, at), rest: text.slice(at) };
      if (end === at) at += 1;
      else {
        shown += text.slice(copied, at) + mask;
        at = end;
        copied = end;
      }
    }
    return { shown: shown + text.slice(copied), rest: '' };
  }

  /**
   * Where the secrets end that begin at `start`, overlapping ones taken as one; `start` itself where none
   * does; `open` where only what follows can tell.
   */
  #secretFrom(text: string, start: number, isComplete: boolean): number | 'open' {
    let end = start;
    for (let at = start; at === start || at < end; at += 1) {
      const reached = this.#longestFrom(text, at);
      if (reached.isOpen && !isComplete) return 'open';
      end = Math.max(end, reached.end);
    }
    return end;
  }

  #longestFrom(text: string, start: number): { readonly end: number; readonly isOpen: boolean } {
    let node: Node | undefined = this.#root;
    let end = start;
    for (let at = start; at < text.length; at += 1) {
      node = node.next.get(text.charAt(at));
      if (!node) return { end, isOpen: false };
      if (node.ends) end = at + 1;
    }
    return { end, isOpen: node.next.size > 0 };
  }
}

/** Every form in which a secret is looked for. */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  return new Set([
    secret,
    jsonEscaped(secret),
    ...urlEncoded(bytes.toString()),
    ...[0, 1, 2].flatMap((before) => base64(bytes, before)),
  ]);
}

function jsonEscaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function urlEncoded(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return [encoded, form].flatMap((upper) => [
    upper,
    upper.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ]);
}

/**
 * The base64 characters that depend on the secret alone when `before` bytes stand in front of it in its
 * group of three. The characters at the edges also carry bits of their neighbours.
 */
function base64(secret: Uint8Array, before: number): readonly string[] {
  const encoded = Buffer.concat([new Uint8Array(before), secret]).toString('base64');
  const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
}
