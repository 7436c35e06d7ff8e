import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { ValueError } from '../../src/lib/parse.ts';
import { phoneNumbers } from '../../src/phone-numbers/national-number.ts';
import { anyCharacter } from '../support/any-character.ts';

function refusal(text: string, region?: string): ValueError | undefined {
  try {
    phoneNumbers(region)(text);
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** Returns the numbers that a refusal suggests, without the two possible readings of an ambiguous number. */
function proposals({ message, cure }: ValueError): readonly string[] {
  const said = message.replace(/can be read as \S+ or as \S+: /, '').replace(/"[^"]*"/g, '');
  return `${said} ${cure?.('--to') ?? ''}`.match(/\+\d[\d ()-]{5,}\d/g) ?? [];
}

describe('a phone number', () => {
  it.each([
    ['+55 (11) 98888-7777', '5511988887777'],
    ['(+55) 11 98888.7777', '5511988887777'],
    ["'+5511988887777", '5511988887777'],
    ['\u202a+55 11\u00a098888-7777\u202c', '5511988887777'],
    ['+55 11 9\u200b8888\u20117777\ufeff', '5511988887777'],
    ['＋５５（１１）９８８８８－７７７７', '5511988887777'],
    ['+٥٥11988887777', '5511988887777'],
    ['005511988887777', '5511988887777'],
    ['tel:+55-11-98888-7777', '5511988887777'],
    ['TEL: +5511988887777;isdn=1', '5511988887777'],
    ['+49 30/1234567', '49301234567'],
    ['+39 06 12345678', '390612345678'],
    ['+225 07 01 23 45 67', '2250701234567'],
    ['+52 1 55 1234 5678', '5215512345678'],
    ['+54 9 11 1234-5678', '5491112345678'],
    ['+800 1234 5678', '80012345678'],
  ])('is parsed, and exists: %s', (text, digits) => {
    expect(phoneNumbers(undefined)(text)).toEqual({ digits, isKnown: true });
  });

  it.each(['+55 11 8888-7777', '+1 555 123 4567', '+39 6 12345678'])(
    'is parsed although no such number exists: %s',
    (text) => {
      expect(phoneNumbers(undefined)(text)).toEqual({ digits: text.replace(/\D/g, ''), isKnown: false });
    },
  );

  it.each([
    ['+55 (011) 98888-7777', '+55011988887777 or as +5511988887777', ['+5511988887777']],
    ['+4402079460018', '+4402079460018 or as +442079460018', ['+442079460018']],
    ['+44 (0)20 7946 0018', '+4402079460018 or as +442079460018', ['+442079460018']],
    ['00 44 (0)20 7946 0018', '+4402079460018 or as +442079460018', ['+442079460018']],
    ['+62 0812 345 67890', '+62081234567890 or as +6281234567890', ['+6281234567890']],
    ['+39 (0)6 12345678', '+390612345678 or as +39612345678', ['+390612345678']],
    ['+39 0347 1234567', '+3903471234567 or as +393471234567', ['+393471234567']],
    ['+54 11 15-1234-5678', '+54111512345678 or as +5491112345678', ['+5491112345678']],
    ['+7 8 912 345 67 89', '+789123456789 or as +79123456789', ['+79123456789']],
    ['+1 1 212 555 0123', '+112125550123 or as +12125550123', ['+12125550123']],
  ])(
    'with two interpretations is refused with both, and with the one to type: %s',
    (text, readings, give) => {
      const refused = refusal(text);
      expect(refused?.message).toContain(`can be read as ${readings}: "${text}"`);
      expect(refused && proposals(refused)).toEqual(give);
    },
  );

  it.each([
    ['', 'is missing'],
    ['nobody', 'must be an international phone number'],
    ['5.51199E+12', 'its last digits are gone'],
    ['5,51199e+12', 'its last digits are gone'],
    ['5511988887777.0', 'with decimals'],
    ['+5511988887777.00', 'with decimals'],
    ['#REF!', 'an error of a spreadsheet'],
    ['#######', 'an error of a spreadsheet'],
    ['=A1', 'a formula'],
    ['11988887777', 'needs a + and its country code'],
    ['tel:98888-7777;phone-context=+55', 'needs a + and its country code'],
    ['tel:+5511988887777;ext=5', 'has an extension'],
    ['+55 98888-7777', 'has 9 digits after +55, where numbers have 10 or 11'],
    ['+49 1', 'has 1 digit after +49, where numbers have 5 to 13'],
    ['+55 11 98888-77777', 'has 12 digits after +55'],
    ['00 55 98888-7777', 'has 9 digits after +55'],
    ['+999 123 456 789', 'begins with no country code'],
    ['+00 55 11 98888-7777', 'begins with no country code'],
    ['+5511988887777 / +5511966665555', 'must be an international phone number'],
    ['+49 30 1234567/68', 'may be two numbers'],
    ['+49 30 12345/67890', 'may be two numbers'],
    ['+49 30 12345\n67890', 'may be two numbers'],
  ])('is refused with its reason: %j', (text, says) => {
    expect(refusal(text)?.message).toContain(says);
  });

  it('is refused if the number data is missing', () => {
    expect(() => phoneNumbers(undefined, '/nowhere/phone-numbers.br')).toThrow(Failure);
  });
});

describe('a phone number of a region', () => {
  it.each([
    ['BR', '(11) 98888-7777', '5511988887777'],
    ['BR', '011 98888-7777', '5511988887777'],
    ['BR', '5511988887777', '5511988887777'],
    ['BR', '0021 1 212 555 0123', '12125550123'],
    ['BR', '00 41 22 730 5111', '41227305111'],
    ['US', '011 44 20 7946 0018', '442079460018'],
    ['US', '00 55 11 98888-7777', '5511988887777'],
    ['GB', '(0)20 7946 0018', '442079460018'],
    ['DE', '030/1234567', '49301234567'],
    ['DE', '0491 71234567', '4949171234567'],
    ['IT', '06 12345678', '390612345678'],
    ['AR', '11 15-1234-5678', '5491112345678'],
  ])('%s is parsed as it is dialled there: %s', (region, text, digits) => {
    expect(phoneNumbers(region)(text)).toEqual({ digits, isKnown: true });
  });

  it.each([
    ['BR', '(75) 8825-1234', 'lacks the ninth digit', ['+5575988251234', '+557588251234']],
    ['BR', '98888-7777', 'must be a whole phone number, with its area code', []],
    ['BR', '55 011 98888-7777', 'can be read as +55011988887777 or as +5511988887777', ['+5511988887777']],
    ['BR', '00 55 011 98888-7777', 'can be read as +55011988887777 or as +5511988887777', ['+5511988887777']],
    ['US', '011 44 020 7946 0018', 'can be read as', ['+442079460018']],
    ['DE', '030 1234567/68', 'may be two numbers', []],
    ['DE', '44000000000000', 'has 14 digits after +49, where numbers have 5 to 13', []],
    ['DE', '491711234567', 'can be read as', ['+491711234567', '+49491711234567']],
    ['MX', '1 55 1234 5678', 'must be a whole phone number', ['+5215512345678']],
  ])('%s is refused with its reason: %s', (region, text, says, give) => {
    const refused = refusal(text, region);
    expect(refused?.message).toContain(says);
    expect(refused && proposals(refused)).toEqual(give);
  });
});

const regions = fc.constantFrom(undefined, 'BR', 'AR', 'MX', 'US', 'DE', 'IT', 'GB', 'JP', 'RU', 'HU');
const known = [
  ...['5511988887777', '551133334444', '390612345678', '393471234567', '442079460018', '447400123456'],
  ...['5215512345678', '525512345678', '5491112345678', '541112345678', '12125550123', '49301234567'],
  ...['628121234567', '2250701234567', '79123456789', '36301234567', '819012345678', '22997123456'],
] as const;

describe('any input', () => {
  it('for a number is that number in any notation, or is refused', () => {
    const marks = fc.constantFrom('', '', '', ' ', '-', '.', '\u200b', '\u00a0', '\u2011', '\u202a');
    const prefix = fc.constantFrom('+', '+', '\uff0b', '00', 'tel:+', "'+", '(+');
    const zero = fc.constantFrom('', '', '0', '(0)', '(0');
    const between = fc.array(marks, { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        prefix,
        zero,
        fc.integer({ min: 1, max: 3 }),
        between,
        fc.boolean(),
        regions,
        (digits, first, trunk, at, gaps, isWide, region) => {
          const written = [...digits].map((digit, place) => {
            const one = isWide ? String.fromCharCode(digit.charCodeAt(0) + 0xfee0) : digit;
            return `${gaps[place]}${place === at ? trunk : ''}${one}`;
          });
          const text = first + written.join('');
          const refused = refusal(text, region);
          // A single point before the last digits is how a spreadsheet exports another number.
          const hasDecimals = /^'?\+?\d{7,}\.\d{1,3}$/.test(
            text.normalize('NFKC').replace(/[\u200b\u202a]/g, ''),
          );
          if (hasDecimals) expect(refused?.message, text).toContain('with decimals');
          const isPlain = trunk === '' && digits !== '22997123456' && !hasDecimals;
          if (isPlain) expect(refused?.message, text).toBeUndefined();
          if (refused) return;
          const { digits: read } = phoneNumbers(region)(text);
          // An inserted zero that is not a trunk zero produces another number.
          const typed = written.join('').normalize('NFKC').replace(/\D/g, '');
          expect([digits, typed]).toContain(read);
          if (isPlain) expect(read).toBe(digits);
        },
      ),
      { numRuns: 400 },
    );
  });

  const likeNumbers = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.stringMatching(/^[+\d\s()/.,'=#\u001b-]{0,24}$/),
    fc.stringMatching(/^(\+|00|0)?(55|54|52|1|39|44|49|7)?0?\d{6,11}$/),
    fc
      .tuple(fc.constantFrom(...known), fc.nat({ max: 12 }), fc.stringMatching(/^[\d()/]{0,3}$/))
      .map(([digits, at, more]) => `+${digits.slice(0, at)}${more}${digits.slice(at)}`),
  );

  it('gives digits that parse as themselves, or a reason on one line without control sequences', () => {
    fc.assert(
      fc.property(likeNumbers, regions, (text, region) => {
        const refused = refusal(text, region);
        expect(refused?.message ?? '').not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
        if (refused) return;
        const number = phoneNumbers(region)(text);
        expect(number.digits).toMatch(/^[1-9]\d{6,14}$/);
        expect(phoneNumbers(undefined)(`+${number.digits}`)).toEqual(number);
      }),
      { numRuns: 1000 },
    );
  });

  it('gets only suggestions that are accepted', () => {
    fc.assert(
      fc.property(likeNumbers, regions, (text, region) => {
        const refused = refusal(text.replaceAll('"', ''), region);
        for (const number of refused ? proposals(refused) : [])
          for (const other of [undefined, region]) expect(refusal(number, other), number).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });
});
