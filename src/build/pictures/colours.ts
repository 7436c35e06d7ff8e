/** The dark theme that pictures are drawn in: `#rrggbb`. */
export const theme = {
  foreground: '#d4d7dd',
  background: '#15181e',
  frame: '#2a2f38',
  title: '#9aa1ad',
} as const;

/** The first sixteen of a terminal's 256 colours, which every theme chooses for itself. */
const named = [
  ...['#2a2f38', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#d4d7dd'],
  ...['#8b929e', '#ffa198', '#a5f0ac', '#f2cc60', '#a5d6ff', '#e2c5ff', '#b3f0f5', '#ffffff'],
];

/** The colour cube is the same in every theme: six levels of red, green and blue. */
const levels = [0, 95, 135, 175, 215, 255];

/** A colour of the 256, as xterm numbers them. */
export function paletteColour(number: number): string {
  const own = named[number];
  if (own !== undefined) return own;
  if (number >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (number - 232)));
  const inCube = number - 16;
  return hex([36, 6, 1].map((step) => levels[Math.floor(inCube / step) % 6] ?? 0));
}

/** A colour of 24 bits: 0xRRGGBB. */
export function trueColour(value: number): string {
  return hex([value >> 16, (value >> 8) & 255, value & 255]);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
