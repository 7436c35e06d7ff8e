import { StringDecoder } from 'node:string_decoder';
import { ownMember } from '../lib/json-object.ts';
import { escapeTsv } from '../lib/text/quote.ts';
import { mask, Secret } from './secret.ts';

/** Secrets shorter than this are not looked for: they would blank out ordinary words. */
const minSecretLength = 8;

/** Characters by which the forms are found. The shortest form has eight. */
const keyLength = 4;

/**
 * The distance between two places that are looked at. A form of eight characters has seven pairs of
 * neighbours, one after the other, so that one of them is met wherever it stands.
 */
const stride = minSecretLength - 1;

/**
 * The longest form that is looked for. A longer text is looked for by parts of this length, so that the work at a
 * place of a text, and what a stream keeps, is bounded even where a secret of megabytes repeats itself.
 */
const longestForm = 256;

/** The number of marks for pairs of characters. Different pairs may share one; those of ASCII are 9,025. */
const pairs = 1 << 14;

/** Marks pairs that forms begin with. */
const beginsForm = 1;

/** Marks pairs at the first `stride` places of forms. */
const earlyInForm = 2;

/** Encodings around encodings that are looked through. */
const maxLayers = 3;

/** Characters of a text that is quoted; no more than a part of them is ever shown. */
const longestQuoted = 16_384;

/** Stands in the place of a text with a secret in it that can't be masked by itself. */
const hidden = '(not shown: it holds a secret)';

/** A form of a secret, or a part of a long one. */
interface Form {
  readonly text: string;
  /** The secret itself. */
  readonly secret: string;
}

/** Options of a stream that is redacted. */
export interface StreamOptions {
  /** True if it carries the result, in which a secret may be shown that was revealed. */
  readonly isResult?: boolean;
}

/** What is known at the beginning of a text that goes on with what was kept. */
interface MaskStart {
  /** Characters that were shown already. */
  readonly shownCount?: number;
  /** Characters of a secret whose mask was shown already; it may go on behind them. */
  readonly maskedCount?: number;
}

/** What the end of a text leaves open. */
interface PendingText {
  /** A tail that may begin a secret. */
  readonly rest: string;
  /** See `MaskStart`, of the rest. */
  readonly maskedCount: number;
}

/** Text that goes out in pieces. */
export interface RedactedStream {
  /** Takes a piece and gives what can be shown by now; a tail that may begin a secret is kept. */
  write(chunk: string | Uint8Array): string;
  /**
   * Returns what is kept where it is shorter than any secret, such as the last letter of a question that a
   * person reads by now. Should it begin a secret after all, the rest of that is masked when it comes.
   */
  show(): string;
  /** Returns what was kept. The stream can be written to again. */
  flush(): string;
}

/**
 * Keeps secrets out of text by their value: raw, JSON-escaped, as cells of CSV and TSV, in YAML's quotes,
 * URL-encoded in both hex cases, base64 and base64url at every alignment. Secrets may be learnt at any time.
 */
export class Redactor {
  readonly #known = new Set<string>();
  readonly #revealed = new Set<string>();
  /** Learnt, and in no text looked for yet: most command lines never print anything like a secret. */
  readonly #unprepared: string[] = [];
  readonly #forms = new Map<string, Form[]>();
  readonly #everyForm: Form[] = [];
  #isResultRevealed = false;
  /** Marks pairs of characters by `pairOf`. Empty until a secret is looked for, which a help text never needs. */
  #marks = new Uint8Array(0);

  /** True if no secret is known, so that every text may go out as it is. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** True if streams of results show whatever is written to them. */
  get isResultRevealed(): boolean {
    return this.#isResultRevealed;
  }

  /** From now on streams of results show whatever is written to them. */
  revealResult(): void {
    this.#isResultRevealed = true;
  }

  /** Adds a secret. One of fewer than eight characters is left alone. */
  learn(secret: string | Secret): void {
    const value = secret instanceof Secret ? secret.reveal() : secret;
    if (value.length < minSecretLength || this.#known.has(value)) return;
    this.#known.add(value);
    this.#unprepared.push(value);
  }

  /** Returns a secret that is the result: streams of results show it from now on, every other one masks it. */
  reveal(secret: Secret): string {
    this.learn(secret);
    this.#revealed.add(secret.reveal());
    return secret.reveal();
  }

  /** Masks every secret in a text that is complete. */
  text(text: string): string {
    return this.#mask(text, false).shown;
  }

  /**
   * Masks every secret in a text from outside that is to be quoted, such as the echo of a request; cuts longer texts. A
   * text that holds a secret in another encoding is left out as a whole: encodings mix in too many ways to mask them in
   * place.
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

  /** Masks every secret but the revealed ones in a part of a result that is complete. */
  result(text: string): string {
    return this.#mask(text, true).shown;
  }

  /** Masks secrets in text that comes in pieces, those that are split between pieces included. */
  stream({ isResult = false }: StreamOptions = {}): RedactedStream {
    // Made for the first bytes: most streams carry texts, and Node loads its module for this alone.
    let decoder: StringDecoder | undefined;
    const decoded = (bytes: Uint8Array): string => {
      decoder ??= new StringDecoder('utf8');
      return decoder.write(Buffer.from(bytes));
    };
    let kept = '';
    let maskedCount = 0;
    /** Characters of `kept` that were shown already, or stand behind a mask that was. */
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
    // Where there are no marks, everything is looked at.
    return ((this.#marks[pair] ?? mark) & mark) !== 0;
  }

  /**
   * Masks a text from its beginning.
   * @param keepsOpen whether a tail that may begin a secret comes back as `rest`
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
      // Nearly every text is passed over here, by great steps; a form may begin at any place of a step.
      while (at + 2 * stride < text.length && !this.#isMarked(pairOf(text, at + stride - 1), earlyInForm)) {
        at += stride;
      }
      // And nearly every character here. The last one alone makes no pair.
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
   * Returns the end of the secrets that begin at `start`, overlapping ones taken as one, and of which the text up to
   * `end` is known to be; `start` itself where none does. Where only what follows can tell, `open` is the first place
   * of which that is so.
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

  /** The forms that may begin at a place: by their key or, where the text ends before it, all of them. */
  #formsAt(text: string, at: number): Iterable<Form> {
    if (at + keyLength <= text.length) return this.#forms.get(text.slice(at, at + keyLength)) ?? [];
    return this.#everyForm;
  }
}

/** The parts of a form, each of which goes on where the one before ends, or before. */
function partsOf(form: string): readonly string[] {
  if (form.length <= longestForm) return [form];
  const parts: string[] = [];
  // They overlap, so that a secret is masked as one.
  for (let at = 0; at + longestForm < form.length; at += longestForm - 1)
    parts.push(form.slice(at, at + longestForm));
  return [...parts, form.slice(-longestForm)];
}

/** True if a text ends, from a place on, with a part of the beginning of a form. */
function mayBegin(form: string, text: string, at: number): boolean {
  return text.length - at < form.length && form.startsWith(text.slice(at));
}

function pairOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) & (pairs - 1);
}

/** Every form in which a secret is looked for. */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const json = jsonEscaped(secret);
  return new Set([
    secret,
    json,
    // JSON that quotes JSON: a body that --debug shows, an echo in a result.
    jsonEscaped(json),
    // A cell of CSV and of TSV; one that holds an object or a list is JSON.
    ...[secret, json].flatMap((text) => [text.replaceAll('"', '""'), escapeTsv(text)]),
    // YAML in single quotes; in double quotes it is as in JSON.
    secret.replaceAll("'", "''"),
    ...urlEncoded(bytes.toString()),
    ...[0, 1, 2].flatMap((before) => base64(bytes, before)),
  ]);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Each takes one layer of one encoding off a text, wherever there is one: JSON and JavaScript, URL, HTML, hexadecimal. */
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
  // Nothing in it is encoded.
  if (/^[\w*.-]*$/.test(secret)) return [];
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
