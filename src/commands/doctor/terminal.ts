import { isInteractive } from '../../lib/io.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { styleFor, usualModules, windowForModules } from '../../qr/draw.ts';
import {
  halfBlocks,
  plainHalfBlocks,
  plainSextants,
  type Room,
  type Style,
  sextants,
} from '../../qr/styles.ts';
import { explainColor, takesUnicode } from '../../terminal/colour.ts';
import { drawsSextants } from '../../terminal/sextants.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** Checks of what the terminal can show. Questions, notes and pairing codes are shown on stderr. */
export const terminalChecks: readonly Check[] = [
  { name: 'terminal', run: terminalAnswer },
  { name: 'colour', run: colourAnswer },
  { name: 'characters', run: charactersAnswer },
  { name: 'pairing codes', run: codesAnswer },
];

function terminalAnswer({ context }: Subject): Answer {
  const { io, terminal } = context;
  if (!isInteractive(io)) {
    const which = [io.stdin.isTTY !== true && 'stdin', io.stderr.isTTY !== true && 'stderr'].filter(Boolean);
    return skipped(
      `${which.join(' and ')} ${which.length > 1 ? 'are' : 'is'} no terminal: nothing is asked.`,
    );
  }
  const { TERM: term } = io.env;
  const words = `${terminal.columns} x ${terminal.rows}, TERM=${term ?? ''}`;
  if (term === 'dumb') {
    return warning(
      `${words}: it can't move the cursor, so no pairing screen is shown.`,
      'If it is a real terminal: export TERM=xterm-256color',
    );
  }
  return ok(`${words}.`);
}

const levels = ['None', '16 colours', '256 colours', 'True colour'] as const;

function colourAnswer({ context }: Subject): Answer {
  const { io, options } = context;
  const { level, because } = explainColor(io.stderr, io.env, options.color);
  return ok(`${levels[level]} (${because}).`);
}

function charactersAnswer({ context }: Subject): Answer {
  const { env } = context.io;
  const name = (['LC_ALL', 'LC_CTYPE', 'LANG'] as const).find((variable) => env[variable]);
  const by = name ? `${name}=${env[name]}` : 'no locale is set';
  if (takesUnicode(env)) return ok(`UTF-8 (${by}).`);
  return warning(`Not UTF-8 (${by}): marks and codes are drawn without Unicode.`, 'export LANG=C.UTF-8');
}

/** Columns and rows of a terminal that nobody has enlarged. */
const usual: Room = { columns: 80, rows: 24 };

function codesAnswer({ context }: Subject): Answer {
  const { io, terminal } = context;
  const style = styleFor(terminal);
  if (!isInteractive(io)) return skipped('Codes are drawn on a terminal only; elsewhere use --qr-file FILE.');
  if (!style) {
    return warning(
      'No code can be drawn: there is neither colour nor UTF-8.',
      remark`Scan the picture: ${command('device', 'connect', placeholder('DEVICE'), '--qr-file', placeholder('FILE'))}. To have codes drawn: export LANG=C.UTF-8`,
    );
  }
  const has = { columns: terminal.columns, rows: terminal.rows };
  const room = roomOf(style, has);
  const drawn = `${styleWords(style)}; a usual code needs ${room.columns} x ${room.rows}`;
  if (fits(room, has)) {
    return style === plainHalfBlocks
      ? warning(`${drawn}. Without colour it is readable on a dark background only.`, 'unset NO_COLOR')
      : ok(`${drawn}, and this terminal has ${has.columns} x ${has.rows}.`);
  }
  const finer = terminal.unicode ? finerAnswer(style, has, drawsSextants(io.env)) : undefined;
  if (finer) return finer;
  const wouldFit = fits(roomOf(style, usual), usual) ? `; ${usual.columns} x ${usual.rows} would do` : '';
  return warning(
    `${drawn}, and this terminal has ${has.columns} x ${has.rows}${wouldFit}.`,
    remark`Enlarge the window, or scan the picture: ${command('device', 'connect', placeholder('DEVICE'), '--qr-file', placeholder('FILE'))}`,
  );
}

/**
 * Returns the answer for a code that is too large in half blocks, or undefined if sextants would not fit either.
 * @param isKnown whether the terminal draws them, or undefined if it has to be asked
 */
function finerAnswer(style: Style, has: Room, isKnown: boolean | undefined): Answer | undefined {
  const isPlain = style === plainHalfBlocks;
  const room = roomOf(isPlain ? plainSextants : sextants, has);
  if (!fits(room, has)) return undefined;
  const size = `${has.columns} x ${has.rows}`;
  // The screen draws them at once where nobody knows, and says there what helps who sees boxes.
  if (isKnown !== false && !isPlain) {
    const doubt = isKnown ? '' : ' Where older terminals show boxes, the screen has keys that help.';
    return ok(
      `Sextants; a usual code needs ${room.columns} x ${room.rows}, and this terminal has ${size}.${doubt}`,
    );
  }
  if (isKnown !== false) {
    const words = `Sextants in the terminal's own colours; a usual code needs ${room.columns} x ${room.rows}`;
    return warning(`${words}. Without colour it is readable on a dark background only.`, 'unset NO_COLOR');
  }
  const least = roomOf(style, has);
  return warning(
    `${styleWords(style)} need ${least.columns} x ${least.rows} for a usual code, and this terminal has ${size}. ` +
      'Sextants would fit: newer terminals draw them.',
    remark`Enlarge the window, or have the code drawn smaller: ${command('device', 'connect', placeholder('DEVICE'), '--qr', 'sextant')}`,
  );
}

/** Returns the least window that a usual code needs, at most as wide as this one if possible. */
function roomOf(style: Style, has: Room): Room {
  return windowForModules(usualModules(), style, has);
}

function styleWords(style: Style): string {
  if (style === halfBlocks) return 'Half blocks in black and white';
  return style === plainHalfBlocks ? "Half blocks in the terminal's own colours" : 'Coloured spaces';
}

function fits(needed: Room, has: Room): boolean {
  return needed.columns <= has.columns && needed.rows <= has.rows;
}
