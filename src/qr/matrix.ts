// The default import only: its functions use `this`.
import qrcodeTerminal from 'qrcode-terminal';

/** The modules of a QR code without its quiet zone, row by row: true where dark. Always a square. */
export type Matrix = readonly (readonly boolean[])[];

/** Most bytes in a code of error correction level L (ISO/IEC 18004, table 7: version 40). */
const mostBytes = 2953;

/**
 * Makes the QR code of a text, at error correction level L: a screen gets no scratches, and every other
 * level needs more room.
 * @throws RangeError where the text is too long for any code
 */
export function makeMatrix(text: string): Matrix {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > mostBytes)
    throw new RangeError(`A QR code holds ${mostBytes} bytes; these are ${bytes.length}.`);
  let drawn = '';
  // It takes each character as one byte, so it is given bytes. Level L is its default.
  qrcodeTerminal.generate(bytes.toString('latin1'), { small: true }, (output) => {
    drawn = output;
  });
  return parse(drawn);
}

/** Whether the upper and the lower module of a glyph are light. */
const halves: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
  ' ': [false, false],
};

/** Reads the library's own drawing, which has a border of one module. */
function parse(drawn: string): Matrix {
  const lines = drawn.split('\n').filter((line) => line !== '');
  const light = lines.flatMap((line) =>
    [0, 1].map((half) => [...line].map((glyph) => halves[glyph]?.[half] === true)),
  );
  const side = (light[0]?.length ?? 2) - 2;
  // Above the border there is the empty half of its line.
  return light.slice(2, 2 + side).map((row) => row.slice(1, 1 + side).map((isLight) => !isLight));
}
