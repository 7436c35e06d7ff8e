import { SandboxProblem } from '../problem.ts';
import { read, readNegative } from './camera.ts';
import { photograph } from './photograph.ts';
import { readScreen } from './screen-text.ts';

/**
 * Reads the text of the only QR code on a terminal, given the text sent to it. A negative counts as unreadable, as for
 * strict phones: botctl has to draw for all phones.
 * @throws SandboxProblem if no code is recognised
 */
export function readDrawing(text: string): string {
  // The bytes of a PNG, interpreted as text, may look like a code by chance.
  if (text.startsWith('\ufffdPNG'))
    throw new SandboxProblem('The input is a picture, not a screen.', { code: 'screenIsPicture' });
  const pixels = photograph(readScreen(text));
  const found = read(pixels);
  if (found !== undefined) return found;
  if (readNegative(pixels) !== undefined) {
    const message = "The code is inverted, light on dark. Many phones can't read that.";
    throw new SandboxProblem(message, { code: 'codeIsNegative' });
  }
  throw nothingDrawn(text);
}

/** Matches characters that codes are drawn with: block characters, or a background. */
const drawing = /[\u2580-\u259f\u{1fb00}-\u{1fb3b}]|\x1b\[[\d;:]*(?:4[0-8]|10[0-7]|\b7)[\d;:]*m/u;

function nothingDrawn(text: string): SandboxProblem {
  if (text.trim() === '') return new SandboxProblem('The screen is empty.', { code: 'screenHasNoCode' });
  if (!drawing.test(text)) {
    const message = 'The phone sees no QR code: the screen has neither block characters nor colours.';
    return new SandboxProblem(message, { code: 'screenHasNoCode' });
  }
  const message = 'The phone sees no readable QR code on the screen.';
  return new SandboxProblem(message, { code: 'screenHasNoCode' });
}
