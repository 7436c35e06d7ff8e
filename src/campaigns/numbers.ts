import { isInternational, type Parse, phoneNumber, ValueError } from '../lib/parse.ts';
import { fold } from '../lib/text/fold.ts';
import { oneLine } from '../lib/text/one-line.ts';

/** More characters than any way of writing a phone number has. */
const maxShown = 40;

/**
 * Returns the number of a cell as E.164 digits, without the plus.
 * @param national reads numbers as they are dialled in a region; undefined if none is set
 * @throws ValueError that completes "its number …"
 */
export function numberIn(cell: string, national: Parse<string> | undefined): string {
  // The marks that messaging apps put around a number they copy are nothing of it, nor is a spreadsheet's mark of a text.
  const written = oneLine(cell, maxShown).replace(/^'/, '').trim();
  if (written === '') throw new ValueError('is missing');
  const damage = damageOf(written);
  if (damage !== undefined) throw new ValueError(damage);
  if (isInternational(written)) return phoneNumber(written);
  if (national) return phoneNumber(national(written));
  if (/^[\d\s().\-–]+$/.test(written))
    throw new ValueError(`must say of which country it is, not "${written}"`);
  return phoneNumber(written);
}

/** Returns what a spreadsheet has done to a number that can't be undone, in words, or undefined if it has done nothing. */
function damageOf(written: string): string | undefined {
  if (/^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(written))
    return `is "${written}", which is what a spreadsheet leaves of it: its last digits are gone. Format that column as text and export it again`;
  if (/^\d{7,}[.,]\d+$/.test(written)) return `is "${written}", with decimals: format that column as text`;
  if (/^#+$|^#[\w/]+[!?]?$/.test(written)) return `is "${written}", an error of a spreadsheet`;
  if (written.startsWith('=')) return `is "${written}", a formula: export values`;
  return undefined;
}

/** What columns of phone numbers are called, folded; without separators. */
const usualNames: ReadonlySet<string> = new Set(
  'PHONE PHONENUMBER PHONENO TELEPHONE MOBILE MOBILENUMBER MOBILEPHONE CELL CELLPHONE NUMBER TO MSISDN WHATSAPP TELEFONE CELULAR FONE NUMERO TELEFONO MOVIL TEL'.split(
    ' ',
  ),
);

/** Returns the columns that by their names hold phone numbers. */
export function phoneColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => usualNames.has(fold(name).replace(/[\s_.-]/g, '')));
}
