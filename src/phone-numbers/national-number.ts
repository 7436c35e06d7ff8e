import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import {
  type CountryCode,
  Metadata,
  type MetadataJson,
  type NumberingPlan,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
import { Failure } from '../lib/errors.ts';
import { isObject, ownMember, parseJson } from '../lib/json-object.ts';
import { packageRoot } from '../lib/package-root.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { numberText, withNinthDigit, withoutOptionalDigit } from './number-forms.ts';

/**
 * The numbering plans of all countries. The data is a tenth of the program's size, so it is a file: see
 * build/data-files.ts.
 */
const dataFile = join('dist', 'phone-numbers.br');

/** A parsed phone number. */
export interface PhoneNumber {
  /** E.164 without the plus: the form that is shown, compared, opted out and sent. */
  readonly digits: string;
  /**
   * True if the numbering plan contains such a number. Plans become outdated, and messaging apps show forms of numbers
   * that can't be dialled, so an unknown number need not be wrong.
   */
  readonly isKnown: boolean;
}

/**
 * Returns the parser of phone numbers as people write them, with a country code or as dialled in a region. An ambiguous
 * number is refused with all its readings.
 * @param region a region accepted by `isRegion`, in capitals; undefined if none is set
 * @param file the data of `build/data-files.ts`
 * @throws Failure `invalidInput` if that file is missing: without it no number can be checked
 */
export function phoneNumbers(
  region: string | undefined,
  file: string = join(packageRoot(), dataFile),
): Parse<PhoneNumber> {
  const reader = new NumberReader(metadataIn(file), region);
  return (raw) => reader.read(raw);
}

/** Matches separators that people put between the digits of a number. */
const separators = /[\s().\p{Pd}\u2212/]/gu;

/** Maximum characters of a number in a message. */
const maxShownLength = 40;

class NumberReader {
  readonly #metadata: MetadataJson;
  readonly #region: CountryCode | undefined;

  constructor(metadata: MetadataJson, region: string | undefined) {
    this.#metadata = metadata;
    if (region === undefined) return;
    if (!isCountry(region, metadata)) throw new ValueError(`can't be read: no region is "${region}"`);
    this.#region = region;
  }

  /**
   * Parses a number.
   * @throws ValueError that completes "--to …" and "its number …"
   */
  read(raw: string): PhoneNumber {
    const text = numberText(raw);
    if (text === '') throw new ValueError('is missing');
    const shown = `"${oneLine(text, maxShownLength)}"`;
    const damage = damageOf(text);
    if (damage !== undefined) throw new ValueError(`is ${shown}, ${damage}`);
    const written = withoutScheme(text, shown);
    const digits = written.replace(separators, '');
    if (!/^\+?\d+$/.test(digits)) throw this.#unreadable(shown);
    if (/[\n\v\f\r\u2028\u2029]/.test(written))
      throw new ValueError(`has a line break in it, and may be two numbers: ${shown}`);
    const number = this.#number(digits, optionalZero(written), shown);
    this.#checkSlash(written, number, shown);
    return number;
  }

  #number(digits: string, zero: number | undefined, shown: string): PhoneNumber {
    if (digits.startsWith('+')) return this.#international(digits.slice(1), zero, shown);
    const abroad = this.#behindPrefixes(digits);
    const readings = abroad.map((rest) => {
      const at = zero === undefined ? -1 : zero - (digits.length - rest.length);
      return attempt(() => this.#international(rest, at < 0 ? undefined : at, shown));
    });
    const numbers = readings.filter(isNumber);
    const [first, second] = numbers.filter(({ isKnown }) => isKnown);
    if (first && second) throw this.#twoReadings([first.digits, second.digits], shown);
    if (first) return first;
    const national = this.#national(digits);
    const isOther = abroad.every((rest) => this.#parse(`+${rest}`)?.number !== national?.number);
    if (national?.isValid() && isOther) return this.#asDialledAtHome(national, digits, shown);
    const refusal = readings.find((reading) => !isNumber(reading));
    if (refusal) throw refusal;
    if (numbers[0])
      throw new ValueError(
        `begins with 00, and is not known to be in use: ${shown}. If it is right, give +${numbers[0].digits}`,
      );
    throw this.#region === undefined
      ? this.#withoutCountry(digits, shown)
      : this.#notNational(national, shown);
  }

  /**
   * Parses a number with its country code.
   * @param digits the digits after the plus
   * @param zero index of a digit that is written as "(0)"
   */
  #international(digits: string, zero: number | undefined, shown: string): PhoneNumber {
    if (zero !== undefined)
      throw this.#twoReadings([digits, digits.slice(0, zero) + digits.slice(zero + 1)], shown);
    const code = this.#callingCode(digits);
    if (code === undefined) throw new ValueError(`begins with no country code: ${shown}`);
    const parsed = this.#parse(`+${digits}`);
    const dialled = parsed?.number.slice(1) ?? digits;
    // The library drops digits that are dialled only within the country, and only the user knows if that is right.
    if (dialled !== digits) throw this.#twoReadings([digits, dialled], shown, [dialled]);
    const other = withoutOptionalDigit(digits);
    const isKnown = parsed?.isValid() || (other !== digits && this.#parse(`+${other}`)?.isValid());
    if (isKnown && isE164(digits)) return { digits, isKnown };
    const national = digits.slice(code.length);
    if (national.startsWith('0')) {
      const without = code + national.replace(/^0+/, '');
      throw this.#twoReadings([digits, without], shown, [without]);
    }
    const lengths = this.#lengths(code);
    if (lengths.includes(national.length) && isE164(digits)) return { digits, isKnown: false };
    const have =
      lengths.length > 0 ? `, where numbers have ${lengthsInWords(lengths)}` : ', which no number has';
    throw new ValueError(`has ${pluralize(national.length, 'digit')} after +${code}${have}: ${shown}`);
  }

  /**
   * Returns the error for a number with two readings.
   * @param offered the plausible ones among them
   */
  #twoReadings(readings: readonly [string, string], shown: string, offered: readonly string[] = readings) {
    const numbers = offered
      .map((digits) => attempt(() => this.#international(digits, undefined, shown)))
      .filter(isNumber);
    const known = numbers.filter(({ isKnown }) => isKnown);
    const give = (known.length > 0 ? known : numbers).map(({ digits }) => `+${digits}`).join(' or ');
    const both = `can be read as +${readings[0]} or as +${readings[1]}: ${shown}`;
    return new ValueError(give === '' ? `${both}. Neither is a number there` : `${both}. Give ${give}`);
  }

  /** Returns the digits after each international dialling prefix: 00, and the prefix of the region. */
  #behindPrefixes(digits: string): readonly string[] {
    const prefixes = ['00'];
    if (this.#region !== undefined) prefixes.push(this.#plan(this.#region).IDDPrefix());
    const rests = prefixes.flatMap((prefix) => {
      const found = new RegExp(`^(?:${prefix})`).exec(digits);
      return found ? [digits.slice(found[0].length)] : [];
    });
    return [...new Set(rests)];
  }

  #national(digits: string): ParsedNumber | undefined {
    if (this.#region === undefined) return undefined;
    const options = { defaultCountry: this.#region, extract: false };
    return parsePhoneNumberFromString(digits, options, this.#metadata);
  }

  /**
   * Returns a number dialled as within its region.
   * @throws ValueError if it may also be a number with the region's country code, written without a plus
   */
  #asDialledAtHome({ number, countryCallingCode }: ParsedNumber, digits: string, shown: string): PhoneNumber {
    const whole = this.#parse(`+${digits}`);
    const hasCode = whole?.number === number;
    if (!hasCode && whole?.countryCallingCode === countryCallingCode && whole.isValid())
      throw this.#twoReadings([digits, number.slice(1)], shown);
    return this.#international(hasCode ? digits : number.slice(1), undefined, shown);
  }

  #notNational(national: ParsedNumber | undefined, shown: string): ValueError {
    const digits = national?.number.slice(1) ?? '';
    const longer = withNinthDigit(digits);
    if (longer !== undefined && this.#parse(`+${longer}`)?.isValid())
      return new ValueError(
        `lacks the ninth digit that mobile numbers of Brazil have: ${shown}. Give +${longer}, or +${digits} if an app shows it so`,
      );
    const isPossible = isNumber(attempt(() => this.#international(digits, undefined, shown)));
    const { message } = this.#unreadable(shown);
    return new ValueError(isPossible ? `${message}. If it is right, give +${digits}` : message);
  }

  #unreadable(shown: string): ValueError {
    const what =
      this.#region === undefined
        ? 'an international phone number such as +55 11 99999-0000'
        : `a whole phone number, with its area code, as it is dialled in ${this.#region}`;
    return new ValueError(`must be ${what}, not ${shown}`);
  }

  #withoutCountry(digits: string, shown: string): ValueError {
    if (!/^\d{7,16}$/.test(digits)) return this.#unreadable(shown);
    const whole = this.#parse(`+${digits}`);
    const isWhole = whole?.isValid() === true && whole.number === `+${digits}`;
    const options = { defaultCountry: 'BR', extract: false } as const;
    const brazilian = parsePhoneNumberFromString(digits, options, this.#metadata);
    const isBrazilian = brazilian?.isValid() === true && brazilian.number !== `+${digits}`;
    return new ValueError(`needs a + and its country code: ${shown} has no +`, (label) => {
      const ways = [
        isWhole && `${label} +${digits} if it begins with its country code, as the API writes numbers`,
        isBrazilian && `${label} ${brazilian.number} if it is one of Brazil`,
        !(isWhole || isBrazilian) &&
          `it with the code of its country in front, as in ${label} "+55 11 99999-0000"`,
        'add the region of such numbers, such as --region BR',
      ].filter((way) => way !== false);
      return `Give ${ways.join('; or ')}.`;
    });
  }

  /** Checks a slash, which may follow an area code or separate two numbers. */
  #checkSlash(written: string, { digits }: PhoneNumber, shown: string): void {
    const [before, behind, ...more] = written.split('/').map((part) => part.replace(/\D/g, ''));
    if (before === undefined || behind === undefined) return;
    const area = digits.length - (this.#callingCode(digits)?.length ?? 0) - behind.length;
    if (more.length === 0 && behind.length >= 5 && area <= 5 && digits.endsWith(behind)) return;
    throw new ValueError(`may be two numbers: ${shown}. Give one of them, without the slash`);
  }

  #parse(number: string): ParsedNumber | undefined {
    return parsePhoneNumberFromString(number, { extract: false }, this.#metadata);
  }

  #callingCode(digits: string): string | undefined {
    const { country_calling_codes: countries, nonGeographic } = this.#metadata;
    return [1, 2, 3]
      .map((length) => digits.slice(0, length))
      .find((code) => Object.hasOwn(countries, code) || Object.hasOwn(nonGeographic, code));
  }

  /** Returns the possible lengths of landline and mobile numbers after a country code. */
  #lengths(code: string): readonly number[] {
    const countries = ownMember(this.#metadata.country_calling_codes, code) ?? [];
    const plans = countries
      .filter((country) => isCountry(country, this.#metadata))
      .map((one) => this.#plan(one));
    const lengths = plans.flatMap((plan) =>
      hasTypes(plan)
        ? ['FIXED_LINE', 'MOBILE'].flatMap((type) => plan.type(type)?.possibleLengths() ?? [])
        : plan.possibleLengths(),
    );
    const usual = lengths.filter((length) => isE164('0'.repeat(code.length + length)));
    return [...new Set(usual)].sort((one, other) => one - other);
  }

  #plan(country: CountryCode): NumberingPlan {
    const metadata = new Metadata(this.#metadata);
    metadata.selectNumberingPlan(country);
    if (!metadata.numberingPlan) throw new TypeError(`${country} has no numbering plan`);
    return metadata.numberingPlan;
  }
}

type ParsedNumber = NonNullable<ReturnType<typeof parsePhoneNumberFromString>>;

function attempt(read: () => PhoneNumber): PhoneNumber | ValueError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** Returns true if the number of digits is valid for an international number. */
function isE164(digits: string): boolean {
  return /^\d{7,15}$/.test(digits);
}

function isNumber(reading: PhoneNumber | ValueError): reading is PhoneNumber {
  return !(reading instanceof ValueError);
}

/** Describes irreversible damage to a number by a spreadsheet, or returns undefined if there is none. */
function damageOf(text: string): string | undefined {
  if (/^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(text))
    return 'as a spreadsheet shortens it: its last digits are gone. Format that column as text and export it again';
  if (/^\+?\d{7,}[.,](?:0+|\d{1,3})$/.test(text))
    return 'with decimals. Format that column as text, or leave them out';
  if (/^#+$|^#[\w/]+[!?]?$/.test(text)) return 'an error of a spreadsheet';
  if (text.startsWith('=')) return 'a formula: export values';
  return undefined;
}

/** Removes `tel:` and parameters without effect (RFC 3966). */
function withoutScheme(text: string, shown: string): string {
  if (!/^tel:/i.test(text)) return text;
  const [number = '', ...parameters] = text.slice('tel:'.length).split(';');
  const name = parameters.map((one) => one.split('=')[0]?.trim().toLowerCase());
  if (name.some((one) => one === 'ext' || one === 'isub'))
    throw new ValueError(`has an extension, which no message reaches: ${shown}`);
  if (parameters.length > 0 && !number.trim().startsWith('+'))
    throw new ValueError(`needs a + and its country code in the number itself: ${shown}`);
  return number.trim();
}

/** Returns the index of the digit written as "(0)": callers abroad may have to omit it. */
function optionalZero(written: string): number | undefined {
  const at = /\(\s*0\s*\)/.exec(written)?.index;
  return at === undefined ? undefined : written.slice(0, at).replace(/\D/g, '').length;
}

/** Formats lengths in words: "10 or 11", "5 to 15". */
function lengthsInWords(lengths: readonly number[]): string {
  const [first = 0, last = first] = [lengths[0], lengths.at(-1)];
  if (lengths.length > 2 && last - first === lengths.length - 1) return `${first} to ${last}`;
  return lengths.length > 1 ? `${lengths.slice(0, -1).join(', ')} or ${last}` : String(first);
}

let read: { readonly file: string; readonly metadata: MetadataJson } | undefined;

function metadataIn(file: string): MetadataJson {
  if (read?.file !== file) read = { file, metadata: parseMetadata(dataOf(file), file) };
  return read.metadata;
}

function dataOf(file: string): Buffer {
  try {
    return brotliDecompressSync(readFileSync(file));
  } catch (cause) {
    throw new Failure(
      'invalidInput',
      `What botctl knows of phone numbers can't be read in ${file}, so no number is taken.`,
      {
        hint: 'Install botctl again.',
        cause,
      },
    );
  }
}

function parseMetadata(data: Buffer, file: string): MetadataJson {
  const value = parseJson(data.toString('utf8'));
  if (!isMetadata(value)) throw new Error(`${file} does not hold what is known of phone numbers`);
  return value;
}

function isMetadata(value: unknown): value is MetadataJson {
  return (
    isObject(value) && [value.countries, value.country_calling_codes, value.nonGeographic].every(isObject)
  );
}

function isCountry(text: string, { countries }: MetadataJson): text is CountryCode {
  return Object.hasOwn(countries, text);
}

/** The declarations of the library omit the types of numbers in a plan. */
function hasTypes(
  plan: object,
): plan is { type(name: string): Pick<NumberingPlan, 'possibleLengths'> | undefined } {
  return 'type' in plan && typeof plan.type === 'function';
}
