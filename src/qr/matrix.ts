import QRCode from 'qrcode-terminal/vendor/QRCode/index.js';

/** The modules of a QR code without its quiet zone, row by row: true for dark. Always a square. */
export type Matrix = readonly (readonly boolean[])[];

/** Maximum bytes in a code of error correction level L (ISO/IEC 18004, table 7: version 40). */
export const maxBytes = 2953;

const smallestVersion = -1;
const levelL = 1;

/**
 * Returns the QR code of a text at error correction level L: a screen gets no scratches, and every other level needs
 * more space.
 * @throws RangeError if the text is too long for any code
 */
export function makeMatrix(text: string): Matrix {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > maxBytes)
    throw new RangeError(`A QR code holds ${maxBytes} bytes; these are ${bytes.length}.`);
  const code = new QRCode(smallestVersion, levelL);
  // The encoder treats each character as one byte, so it gets bytes.
  code.addData(bytes.toString('latin1'));
  code.make();
  const positions = Array.from({ length: code.getModuleCount() }, (_, position) => position);
  return positions.map((row) => positions.map((column) => code.isDark(row, column)));
}
