import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type CountryCode, type MetadataJson, parsePhoneNumberFromString } from 'libphonenumber-js/core';
import { isObject, parseJson } from './json-object.ts';
import { packageRoot } from './package-root.ts';
import { type Parse, ValueError } from './parse.ts';

/** What is known of the numbers of each country. It is data, and as large as a tenth of the program: see build/phone-numbers.ts. */
const dataFile = 'phone-numbers.br';

/**
 * Returns a parser of numbers as people of a region dial them: it gives `+` and digits. Numbers of other countries are read
 * too, if they are written as they are dialled there.
 * @param region one that `isRegion` knows, in capitals
 */
export function nationalNumber(region: string): Parse<string> {
  const metadata = numbers();
  return (raw) => {
    if (!isCountry(region, metadata)) throw new ValueError(`can't be read: no region is "${region}"`);
    const number = parsePhoneNumberFromString(raw, { defaultCountry: region, extract: false }, metadata);
    if (!number?.isValid() || number.ext !== undefined)
      throw new ValueError(
        `must be a whole phone number, with its area code, as it is dialled in ${region}, not "${raw}"`,
      );
    return number.number;
  };
}

/**
 * Returns a test of E.164 digits without the plus: whether such a number is known to be in use. What is known ages, and
 * messaging apps show forms of numbers that can't be dialled, so that a number which fails it need not be wrong.
 */
export function knownNumbers(): (digits: string) => boolean {
  const metadata = numbers();
  return (digits) =>
    parsePhoneNumberFromString(`+${digits}`, { extract: false }, metadata)?.isValid() === true;
}

let read: MetadataJson | undefined;

function numbers(): MetadataJson {
  read ??= parsed(brotliDecompressSync(readFileSync(join(packageRoot(), 'dist', dataFile))).toString('utf8'));
  return read;
}

function parsed(text: string): MetadataJson {
  const value = parseJson(text);
  if (!isMetadata(value)) throw new Error(`${dataFile} does not hold what is known of phone numbers`);
  return value;
}

function isMetadata(value: unknown): value is MetadataJson {
  return isObject(value) && isObject(value.countries) && isObject(value.country_calling_codes);
}

function isCountry(text: string, { countries }: MetadataJson): text is CountryCode {
  return Object.hasOwn(countries, text);
}
