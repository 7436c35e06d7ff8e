import { StringDecoder } from 'node:string_decoder';
import { ownMember } from '../lib/json-object.ts';
import { escapeTsv } from '../lib/text/quote.ts';
import { mask, Secret } from './secret.ts';

/** Shorter secrets are not masked: they would blank out ordinary words. */
const minSecretLength = 8;

/** Characters of the lookup key of a form. The shortest form has eight. */
const keyLength = 4;

/**
 * The distance between two inspected positions. A form of eight characters has seven overlapping pairs of characters,
 * so one of them is inspected at any position.
 */
const stride = minSecretLength - 1;

/**
 * The maximum length of a form. A longer secret is searched in parts of this length, which bounds the work per position
 * and the text that a stream holds back, even for a repetitive secret of megabytes.
 */
const longestForm = 256;

/** The size of the table of character pairs. Different pairs may share an entry; ASCII has 9,025 pairs. */
const pairs = 1 << 14;

/** Marks pairs at the start of a form. */
const beginsForm = 1;

/** Marks pairs at the first `stride` positions of a form. */
const earlyInForm = 2;

/** Maximum number of nested encodings that are decoded. */
const maxLayers = 3;

/** The maximum number of characters of a quoted text. Only a part of them is ever shown. */
const longestQuoted = 16_384;

/** Replaces a text that contains a secret which can't be masked separately. */
const hidden = '(not shown: it holds a secret)';

/** A form of a secret, or a part of a long one. */
interface Form {
  readonly text: string;
  /** The secret itself. */
  readonly secret: string;
}

/** Options of a stream that is redacted. */
export interface StreamOptions {
  /** True for a stream of results, which shows revealed secrets. */
  readonly isResult?: boolean;
}

/** The state at the start of a text that continues a text that was held back. */
interface MaskStart {
  /** Characters that were already shown. */
  readonly shownCount?: number;
  /** Characters of a secret whose mask was already shown; the secret may continue after them. */
  readonly maskedCount?: number;
}

/** The state at the end of a text. */
interface PendingText {
  /** A tail that may start a secret. */
  readonly rest: string;
  /** As in `MaskStart`, for `rest`. */
  readonly maskedCount: number;
}

/** Masks a text that is written in chunks. */
export interface RedactedStream {
  /** Accepts a chunk and returns the text that can be shown. Holds back a tail that may start a secret. */
  write(chunk: string | Uint8Array): string;
  /**
   * Returns the held-back text if it is shorter than any secret, such as the last character of a prompt that the user
   * must read. If it does start a secret, the rest of the secret is masked when it arrives.
   */
  show(): string;
  /** Returns the held-back text. The stream can be written to again. */
  flush(): string;
}

/**
 * Masks secrets in text by value: raw, JSON-escaped, as CSV and TSV cells, in YAML quotes, URL-encoded in both hex
 * cases, base64 and base64url at every alignment. Secrets can be added at any time.
 */
export class Redactor {
  readonly #known = new Set<string>();
  readonly #revealed = new Set<string>();
  /**
   * Secrets that were learned but are not searched for yet: most commands never print anything that resembles a secret.
   */
  readonly #unprepared: string[] = [];
  readonly #forms = new Map<string, Form[]>();
  readonly #everyForm: Form[] = [];
  #isResultRevealed = false;
  /**
   * The marks of character pairs, indexed by `pairOf`. Empty until a secret is searched for: printing help needs none.
   */
  #marks = new Uint8Array(0);

  /** True if no secret is known, so that every text may be written unchanged. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** True if streams of results show all text unmasked. */
  get isResultRevealed(): boolean {
    return this.#isResultRevealed;
  }

  /** From now on, streams of results show all text unmasked. */
  revealResult(): void {
    this.#isResultRevealed = true;
  }

  /** Adds a secret. Ignores one with fewer than eight characters. */
  learn(secret: string | Secret): void {
    const value = secret instanceof Secret ? secret.reveal() : secret;
    if (value.length < minSecretLength || this.#known.has(value)) return;
    this.#known.add(value);
    this.#unprepared.push(value);
  }

  /** Returns a secret that is the result. From now on streams of results show it, and all other streams mask it. */
  reveal(secret: Secret): string {
    this.learn(secret);
    this.#revealed.add(secret.reveal());
    return secret.reveal();
  }

  /** Masks every secret in a complete text. */
  text(text: string): string {
    return this.#mask(text, false).shown;
  }

  /**
   * Masks every secret in a quoted text from outside, such as the echo of a request, and shortens longer texts. If a
   * secret occurs in another encoding, hides the whole text: nested encodings vary too much to mask them in place.
   */
  foreign(text: string): string {
    const masked = this.text(text).slice(0, longestQuoted);
    if (this.isEmpty) return masked;
    let layer: ReadonlySet<string> = new Set([masked]);
    for (let depth = 0; depth < maxLayers; depth += 1) {
      layer = new Set([...layer].flatMap((one) => decoders.map((decode) => decode(one))));
      if ([...layer].some((one) => this.#holdsSecret(one))) return hidden;
    }
    return masked;
  }

  #holdsSecret(text: string): boolean {
    return this.text(text) !== text;
  }

  /** Masks every secret except revealed ones in a complete part of a result. */
  result(text: string): string {
    return this.#mask(text, true).shown;
  }

  /** Returns a stream that masks secrets in chunks of text, including secrets split between chunks. */
  stream({ isResult = false }: StreamOptions = {}): RedactedStream {
    // Created for the first bytes: most streams only get strings, and Node loads the module only for this decoder.
    let decoder: StringDecoder | undefined;
    const decoded = (bytes: Uint8Array): string => {
      decoder ??= new StringDecoder('utf8');
      return decoder.write(Buffer.from(bytes));
    };
    let kept = '';
    let maskedCount = 0;
    /** Characters of `kept` that were already shown, or are covered by a mask that was. */
    let shownCount = 0;
    return {
      write: (chunk) => {
        const text = kept + (typeof chunk === 'string' ? chunk : decoded(chunk));
        const { shown, ...next } = this.#mask(text, isResult, { shownCount, maskedCount, keepsOpen: true });
        kept = next.rest;
        maskedCount = next.maskedCount;
        shownCount = Math.max(maskedCount, shownCount - (text.length - kept.length));
        return shown;
      },
      show: () => {
        if (kept.length >= minSecretLength) return '';
        const shown = kept.slice(shownCount);
        shownCount = kept.length;
        return shown;
      },
      flush: () => {
        const { shown } = this.#mask(kept + (decoder?.end() ?? ''), isResult, { shownCount, maskedCount });
        kept = '';
        maskedCount = 0;
        shownCount = 0;
        return shown;
      },
    };
  }

  #prepare(): void {
    if (this.#marks.length === 0) this.#marks = new Uint8Array(pairs);
    for (const secret of this.#unprepared.splice(0)) {
      for (const text of new Set([...formsOf(secret)].flatMap(partsOf))) {
        const form = { text, secret };
        this.#everyForm.push(form);
        const key = text.slice(0, keyLength);
        const there = this.#forms.get(key);
        if (there) there.push(form);
        else this.#forms.set(key, [form]);
        for (let at = 0; at < stride; at += 1) {
          const pair = pairOf(text, at);
          this.#marks[pair] = (this.#marks[pair] ?? 0) | (at === 0 ? beginsForm | earlyInForm : earlyInForm);
        }
      }
    }
  }

  #isMarked(pair: number, mark: number): boolean {
    // Without marks, every position is inspected.
    return ((this.#marks[pair] ?? mark) & mark) !== 0;
  }

  /**
   * Masks a text from its start.
   * @param keepsOpen whether a tail that may start a secret is returned as `rest`
   */
  #mask(
    text: string,
    isResult: boolean,
    { shownCount = 0, maskedCount = 0, keepsOpen = false }: MaskStart & { readonly keepsOpen?: boolean } = {},
  ): PendingText & { readonly shown: string } {
    if (this.isEmpty) return { shown: text.slice(shownCount), rest: '', maskedCount: 0 };
    this.#prepare();
    let shown = '';
    let copied = shownCount;
    let at = 0;
    if (maskedCount > 0) {
      const { end, open } = this.#secretFrom(text, 0, maskedCount, isResult, keepsOpen);
      if (open !== undefined) return { shown, rest: text.slice(open), maskedCount: end - open };
      at = end;
      copied = Math.max(shownCount, end);
    }
    while (at < text.length) {
      // Skips most text in large steps. A form may start at any position of a step.
      while (at + 2 * stride < text.length && !this.#isMarked(pairOf(text, at + stride - 1), earlyInForm)) {
        at += stride;
      }
      // Skips most of the remaining characters. The last one has no pair.
      if (at < text.length - 1 && !this.#isMarked(pairOf(text, at), beginsForm)) {
        at += 1;
        continue;
      }
      const { end, open } = this.#secretFrom(text, at, at, isResult, keepsOpen);
      if (end > at) {
        shown += text.slice(copied, at) + mask;
        copied = Math.max(shownCount, end);
      }
      if (open !== undefined)
        return { shown: shown + text.slice(copied, open), rest: text.slice(open), maskedCount: end - open };
      at = Math.max(end, at + 1);
    }
    return { shown: shown + text.slice(copied), rest: '', maskedCount: 0 };
  }

  /**
   * Finds the secrets that start at `start`, and merges overlapping ones. The text up to `end` already belongs to a
   * secret. Returns where they end, or `start` if there is none. If that depends on the text that follows, `open` is
   * the first position for which it does.
   */
  #secretFrom(
    text: string,
    start: number,
    end: number,
    isResult: boolean,
    keepsOpen: boolean,
  ): { readonly end: number; readonly open?: number } {
    let last = end;
    for (let at = start; at === start || at < last; at += 1) {
      for (const form of this.#formsAt(text, at)) {
        if (isResult && this.#revealed.has(form.secret)) continue;
        if (text.startsWith(form.text, at)) last = Math.max(last, at + form.text.length);
        else if (keepsOpen && mayBegin(form.text, text, at)) return { end: last, open: at };
      }
    }
    return { end: last };
  }

  /** Returns the forms that may start at a position: by lookup key or, if fewer characters remain, all forms. */
  #formsAt(text: string, at: number): Iterable<Form> {
    if (at + keyLength <= text.length) return this.#forms.get(text.slice(at, at + keyLength)) ?? [];
    return this.#everyForm;
  }
}

/** Splits a form into parts of limited length. */
function partsOf(form: string): readonly string[] {
  if (form.length <= longestForm) return [form];
  const parts: string[] = [];
  // The parts overlap, so that a secret is masked as a whole.
  for (let at = 0; at + longestForm < form.length; at += longestForm - 1)
    parts.push(form.slice(at, at + longestForm));
  return [...parts, form.slice(-longestForm)];
}

/** Returns whether the text from a position to its end is a prefix of a form. */
function mayBegin(form: string, text: string, at: number): boolean {
  return text.length - at < form.length && form.startsWith(text.slice(at));
}

function pairOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) & (pairs - 1);
}

/** Returns every form of a secret that is searched for. */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const json = jsonEscaped(secret);
  return new Set([
    secret,
    json,
    // JSON inside JSON: a body logged by --debug, or an echo in a result.
    jsonEscaped(json),
    // A CSV or TSV cell; a cell with an object or a list contains JSON.
    ...[secret, json].flatMap((text) => [text.replaceAll('"', '""'), escapeTsv(text)]),
    // YAML in single quotes; double quotes escape as JSON does.
    secret.replaceAll("'", "''"),
    ...urlEncoded(bytes.toString()),
    ...[0, 1, 2].flatMap((before) => base64(bytes, before)),
  ]);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Each function decodes one level of one encoding in a text: JSON and JavaScript, URL, HTML, hexadecimal. */
const decoders: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(
      /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'\\/]))/gi,
      (_, unit?: string, byte?: string, char?: string) =>
        char ?? String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16)),
    ),
  (text) =>
    text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()),
  (text) =>
    text.replace(
      /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
      (_, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return ownMember(entities, name.toLowerCase()) ?? '';
        const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : '';
      },
    ),
  (text) => text.replace(/(?:[0-9a-f]{2}){8,}/gi, (bytes) => Buffer.from(bytes, 'hex').toString()),
];

function jsonEscaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function urlEncoded(secret: string): readonly string[] {
  // No character of the secret is changed by URL encoding.
  if (/^[\w*.-]*$/.test(secret)) return [];
  const encoded = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return [encoded, form].flatMap((upper) => [
    upper,
    upper.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ]);
}

/**
 * Returns the base64 characters that depend only on the secret if `before` bytes precede it in its group of three. The
 * characters at the edges also contain bits of adjacent bytes.
 */
function base64(secret: Uint8Array, before: number): readonly string[] {
  const encoded = Buffer.concat([new Uint8Array(before), secret]).toString('base64');
  const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
}
