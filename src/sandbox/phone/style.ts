/** The colours of text written next. */
export interface Style {
  readonly foreground: number;
  readonly background: number;
  readonly reversed: boolean;
}

/** The sixteen basic colours of xterm. */
const basic = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
  0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
] as const;

/** Returns one of the sixteen basic colours; 0 is black, 7 and 15 are white. */
export function basicColour(index: number): number {
  return basic[index] ?? 0;
}

/** Light on dark. */
export const defaultStyle: Style = {
  foreground: basicColour(7),
  background: basicColour(0),
  reversed: false,
};

/**
 * Applies the parameters of an SGR sequence (ECMA-48, 8.3.117; colours as in ITU T.416 and xterm). Ignores attributes
 * that change no colour.
 */
export function restyle(style: Style, parameters: string): Style {
  let result = style;
  const codes = parameters.split(';');
  for (let index = 0; index < codes.length; index += 1) {
    const [code = 0, ...within] = (codes[index] ?? '').split(':').map(Number);
    if (code === 38 || code === 48) {
      const arguments_ = within.length > 0 ? within : codes.slice(index + 1, index + 5).map(Number);
      const colour = extendedColour(arguments_, within.length > 4);
      if (within.length === 0) index += arguments_[0] === 2 ? 4 : 2;
      if (colour !== undefined) result = { ...result, [code === 38 ? 'foreground' : 'background']: colour };
    } else {
      result = applied(result, code);
    }
  }
  return result;
}

function applied(style: Style, code: number): Style {
  if (code === 0) return defaultStyle;
  if (code === 7) return { ...style, reversed: true };
  if (code === 27) return { ...style, reversed: false };
  if (code === 39) return { ...style, foreground: defaultStyle.foreground };
  if (code === 49) return { ...style, background: defaultStyle.background };
  if (code >= 30 && code <= 37) return { ...style, foreground: basicColour(code - 30) };
  if (code >= 40 && code <= 47) return { ...style, background: basicColour(code - 40) };
  if (code >= 90 && code <= 97) return { ...style, foreground: basicColour(code - 82) };
  if (code >= 100 && code <= 107) return { ...style, background: basicColour(code - 92) };
  return style;
}

/** Parses `5;n` or `2;r;g;b`; T.416 puts a colour space before the red. */
function extendedColour([kind, ...values]: readonly number[], withColourSpace: boolean): number | undefined {
  if (kind === 5) return indexedColour(values[0] ?? 0);
  if (kind !== 2) return undefined;
  const [red = 0, green = 0, blue = 0] = withColourSpace ? values.slice(1) : values;
  return rgb(red, green, blue);
}

const cubeLevels = [0, 95, 135, 175, 215, 255] as const;

/** Returns one of xterm's 256 colours: 16 basic ones, a cube with 6 levels per side, 24 greys. */
function indexedColour(index: number): number {
  if (index < 16) return basicColour(index);
  if (index >= 232) return rgb(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232));
  const level = (place: number): number => cubeLevels[Math.floor((index - 16) / place) % 6] ?? 0;
  return rgb(level(36), level(6), level(1));
}

function rgb(red: number, green: number, blue: number): number {
  const byte = (value: number): number => Math.min(255, Math.max(0, value || 0));
  return (byte(red) << 16) | (byte(green) << 8) | byte(blue);
}
