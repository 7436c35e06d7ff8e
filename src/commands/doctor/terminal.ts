import { isInteractive } from '../../lib/io.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { styleFor, usualModules, windowForModules } from '../../qr/draw.ts';
import { halfBlocks, plainHalfBlocks, plainSextants, type Style, sextants, spaces } from '../../qr/styles.ts';
import { explainColor, takesUnicode } from '../../terminal/colour.ts';
import { drawsSextants } from '../../terminal/sextants.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** Checks of what the terminal can show. Questions, notes and pairing codes are shown on stderr. */
export const terminalChecks: readonly Check[] = [
  { name: 'terminal', run: terminalAnswer },
  {
    name: 'colour',
    run({ context: { io, options } }) {
      const { level, because } = explainColor(io.stderr, io.env, options.color);
      return ok(`${['None', '16 colours', '256 colours', 'True colour'][level]} (${because}).`);
    },
  },
  { name: 'characters', run: charactersAnswer },
  { name: 'pairing codes', run: codesAnswer },
];

function terminalAnswer({ context: { io, terminal } }: Subject): Answer {
  if (!isInteractive(io)) return skipped('stdin or stderr is no terminal: nothing is asked.');
  const { TERM: term = '' } = io.env;
  const words = `${terminal.columns} x ${terminal.rows}, TERM=${term}`;
  return term === 'dumb'
    ? warning(
        `${words}: it can't move the cursor, so no pairing screen is shown.`,
        'If it is a real terminal: export TERM=xterm-256color',
      )
    : ok(`${words}.`);
}

function charactersAnswer({ context }: Subject): Answer {
  const { env } = context.io;
  const name = (['LC_ALL', 'LC_CTYPE', 'LANG'] as const).find((variable) => env[variable]);
  const by = name ? `${name}=${env[name]}` : 'no locale is set';
  if (takesUnicode(env)) return ok(`UTF-8 (${by}).`);
  return warning(`Not UTF-8 (${by}): marks and codes are drawn without Unicode.`, 'export LANG=C.UTF-8');
}

const styleNames: ReadonlyMap<Style, string> = new Map([
  [halfBlocks, 'Half blocks in black and white'],
  [plainHalfBlocks, "Half blocks in the terminal's own colours"],
  [sextants, 'Sextants'],
  [plainSextants, "Sextants in the terminal's own colours"],
  [spaces, 'Coloured spaces'],
]);

function codesAnswer({ context: { io, terminal } }: Subject): Answer {
  if (!isInteractive(io)) return skipped('Codes are drawn on a terminal only; elsewhere use --qr-file FILE.');
  const picture = command('device', 'connect', placeholder('DEVICE'), '--qr-file', placeholder('FILE'));
  const style = styleFor(terminal);
  if (!style) {
    return warning(
      'No code can be drawn: there is neither colour nor UTF-8.',
      remark`Scan the picture: ${picture}. To have codes drawn: export LANG=C.UTF-8`,
    );
  }
  const isPlain = style === plainHalfBlocks;
  const finer = isPlain ? plainSextants : sextants;
  const windowFor = (one: Style) => windowForModules(usualModules(), one, terminal);
  const fits = (one: Style): boolean => {
    const { columns, rows } = windowFor(one);
    return columns <= terminal.columns && rows <= terminal.rows;
  };
  const needsFiner = terminal.unicode && !fits(style) && fits(finer);
  const isKnown = drawsSextants(io.env);
  // The screen draws sextants at once where nobody knows, and says there what helps who sees boxes.
  const drawn = needsFiner && isKnown !== false ? finer : style;
  const { columns, rows } = windowFor(drawn);
  const words = `${styleNames.get(drawn)}; a usual code needs ${columns} x ${rows}, and this terminal has ${terminal.columns} x ${terminal.rows}.`;
  if (fits(drawn) && isPlain)
    return warning(`${words} Without colour it is readable on a dark background only.`, 'unset NO_COLOR');
  if (fits(drawn)) {
    const doubt = needsFiner && isKnown === undefined;
    return ok(doubt ? `${words} Where older terminals show boxes, the screen has keys that help.` : words);
  }
  return needsFiner
    ? warning(
        `${words} Sextants would fit: newer terminals draw them.`,
        remark`Enlarge the window, or have the code drawn smaller: ${command('device', 'connect', placeholder('DEVICE'), '--qr', 'sextant')}`,
      )
    : warning(words, remark`Enlarge the window, or scan the picture: ${picture}`);
}
