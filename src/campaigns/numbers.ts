import { fold } from '../lib/text/compare.ts';

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
