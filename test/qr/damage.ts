import type { Drawn, Rgba } from './write-png.ts';

/** A picture in shades of grey: one byte a pixel, 0 black to 255 white. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8ClampedArray;
}

/** A function that damages a picture. */
export type Damage = (picture: Grey) => Grey;

const white = 255;
const black = 0;
const shades: readonly Rgba[] = Array.from({ length: 256 }, (_, shade) => [shade, shade, shade, 255]);

/** Returns a picture of black, white and greys with some damage. */
export function damaged({ width, height, pixel }: Drawn, damage: Damage): Drawn {
  const luma = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) luma[y * width + x] = pixel(x, y)[0];
  }
  const after = damage({ width, height, luma });
  return {
    width: after.width,
    height: after.height,
    pixel: (x, y) => shades[at(after, x, y)] ?? [0, 0, 0, 255],
  };
}

/** Returns a pixel; outside its edges a picture is white. */
function at({ width, height, luma }: Grey, x: number, y: number): number {
  return x < 0 || y < 0 || x >= width || y >= height ? white : (luma[y * width + x] ?? white);
}

function painted(width: number, height: number, shade: (x: number, y: number) => number): Grey {
  const luma = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) luma[y * width + x] = shade(x, y);
  }
  return { width, height, luma };
}

/** Interpolates between the four pixels around a point. */
function between(picture: Grey, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - left, y - top];
  const upper = at(picture, left, top) * (1 - right) + at(picture, left + 1, top) * right;
  const lower = at(picture, left, top + 1) * (1 - right) + at(picture, left + 1, top + 1) * right;
  return upper * (1 - down) + lower * down;
}

/** Gaussian blur. @param sigma pixels */
export function blurred(sigma: number): Damage {
  const reach = Math.ceil(sigma * 3);
  const offsets = Array.from({ length: 2 * reach + 1 }, (_, index) => index - reach);
  const weights = offsets.map((offset) => Math.exp(-(offset * offset) / (2 * sigma * sigma)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const along = (picture: Grey, dx: number, dy: number): Grey =>
    painted(picture.width, picture.height, (x, y) => {
      let shade = 0;
      offsets.forEach((offset, index) => {
        shade += at(picture, x + offset * dx, y + offset * dy) * (weights[index] ?? 0);
      });
      return shade / sum;
    });
  return (picture) => along(along(picture, 1, 0), 0, 1);
}

/** The luminance quantization table that JPEG encoders start from (ITU-T T.81, table K.1). */
const quantisation = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

const eight = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The cosine of each frequency at each position (ITU-T T.81, A.3.3), with its weight. */
const cosines = eight.map((frequency) =>
  eight.map(
    (place) =>
      (frequency === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * place + 1) * frequency * Math.PI) / 16),
  ),
);

/** Returns the damage of JPEG compression: blocks of eight pixels with rounded frequencies. @param quality 1 to 100 */
export function throughJpeg(quality: number): Damage {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const steps = quantisation.map((step) => Math.max(1, Math.min(255, Math.floor((step * scale + 50) / 100))));
  return (picture) => {
    const after = painted(picture.width, picture.height, () => white);
    for (let top = 0; top < picture.height; top += 8) {
      for (let left = 0; left < picture.width; left += 8) {
        const block = eight.map((y) => eight.map((x) => at(picture, left + x, top + y) - 128));
        const rounded = transformed(block, (frequency, place) => cosines[frequency]?.[place] ?? 0).map(
          (row, v) =>
            row.map((value, u) => {
              const step = steps[v * 8 + u] ?? 1;
              return Math.round(value / step) * step;
            }),
        );
        const back = transformed(rounded, (place, frequency) => cosines[frequency]?.[place] ?? 0);
        for (const [y, row] of back.entries()) {
          for (const [x, value] of row.entries()) {
            if (left + x < picture.width && top + y < picture.height)
              after.luma[(top + y) * picture.width + left + x] = value + 128;
          }
        }
      }
    }
    return after;
  };
}

/** Multiplies the columns, then the rows of a block of eight by a table. */
function transformed(
  block: readonly (readonly number[])[],
  factor: (to: number, from: number) => number,
): readonly (readonly number[])[] {
  const product = (values: readonly number[], to: number): number =>
    values.reduce((sum, value, from) => sum + value * factor(to, from), 0);
  const rows = block.map((row) => eight.map((to) => product(row, to)));
  return eight.map((to) =>
    eight.map((x) =>
      product(
        rows.map((row) => row[x] ?? 0),
        to,
      ),
    ),
  );
}

/** Adds noise of up to this amount in either direction to each pixel, the same for each picture. */
export function noisy(most: number): Damage {
  return ({ width, height, luma }) => {
    let seed = 20_231;
    return painted(width, height, (x, y) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return (luma[y * width + x] ?? white) + ((seed % 2001) / 1000 - 1) * most;
    });
  };
}

/** Resizes by a factor that is not an integer. */
export function resized(factor: number): Damage {
  return (picture) =>
    painted(Math.round(picture.width * factor), Math.round(picture.height * factor), (x, y) =>
      between(picture, (x + 0.5) / factor - 0.5, (y + 0.5) / factor - 0.5),
    );
}

/** Rotates around the middle, on white. */
export function turned(degrees: number): Damage {
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return (picture) => {
    const { width, height } = picture;
    const [newWidth, newHeight] = [
      Math.round(Math.abs(width * cosine) + Math.abs(height * sine)),
      Math.round(Math.abs(width * sine) + Math.abs(height * cosine)),
    ];
    return painted(newWidth, newHeight, (x, y) => {
      const [right, down] = [x + 0.5 - newWidth / 2, y + 0.5 - newHeight / 2];
      const from = [
        right * cosine + down * sine + width / 2,
        down * cosine - right * sine + height / 2,
      ] as const;
      return between(picture, from[0] - 0.5, from[1] - 0.5);
    });
  };
}

/** Places the picture on a page with a headline, lines of text and a dark picture. */
export function embedded(): Damage {
  return (picture) => {
    const [left, top] = [Math.round(picture.width * 0.3), Math.round(picture.height * 0.4)];
    const [width, height] = [Math.round(picture.width * 1.6), Math.round(picture.height * 1.9)];
    return painted(width, height, (x, y) => {
      const isCode = x >= left && y >= top && x < left + picture.width && y < top + picture.height;
      if (isCode) return at(picture, x - left, y - top);
      if (y < top * 0.3) return 40;
      const isText = y > top * 1.1 + picture.height || (y > top * 0.4 && y < top * 0.9);
      // Words of up to a dozen letters, in lines of twelve pixels.
      return isText && y % 12 < 7 && (x * 7 + Math.floor(y / 12) * 31) % 61 > 13 && x % 4 < 3 ? 60 : 250;
    });
  };
}

/**
 * Places the picture on black without a white border.
 * @param width pixels of black around it
 */
export function onBlack(width: number): Damage {
  return (picture) => {
    const inside = (place: number, side: number): boolean => place >= width && place < width + side;
    return painted(picture.width + 2 * width, picture.height + 2 * width, (x, y) =>
      inside(x, picture.width) && inside(y, picture.height) ? at(picture, x - width, y - width) : black,
    );
  };
}
