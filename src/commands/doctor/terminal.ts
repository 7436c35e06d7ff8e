import { isInteractive } from '../../lib/io.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { capitalised } from '../../lib/text/sentence.ts';
import { automaticRenderers, type Renderer, sizeInWords } from '../../pairing/code-drawing.ts';
import { chooseLayout, usualModules, windowForModules } from '../../qr/draw.ts';
import { explainColor, takesUnicode } from '../../terminal/colour.ts';
import { drawsSextants } from '../../terminal/sextants.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** The checks of what the terminal can display. Questions, notes and pairing codes are shown on stderr. */
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
  if (!isInteractive(io)) return skipped('stdin or stderr is not a terminal, so there are no prompts.');
  const { TERM: term = '' } = io.env;
  const words = `${terminal.columns} x ${terminal.rows}, TERM=${term}`;
  return term === 'dumb'
    ? warning(
        `${words}: it can't move the cursor, so there is no pairing screen.`,
        'If it is a real terminal, run: export TERM=xterm-256color',
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

function codesAnswer({ context: { io, terminal } }: Subject): Answer {
  if (!isInteractive(io)) return skipped('Codes are drawn only on a terminal. Otherwise use --qr-file FILE.');
  const picture = command('device', 'connect', placeholder('DEVICE'), '--qr-file', placeholder('FILE'));
  const { colorLevel, unicode } = terminal;
  const capabilities = { colorLevel, unicode, sextants: true, background: undefined };
  const [usual, fine] = automaticRenderers(capabilities, 'auto');
  if (!usual)
    return warning(
      "Codes can't be drawn: the terminal has neither colour nor UTF-8.",
      remark`Save a picture and scan it: ${picture}. To draw codes, run: export LANG=C.UTF-8`,
    );
  const modules = usualModules();
  const fits = ({ style }: Renderer): boolean => chooseLayout(modules, terminal, style) !== undefined;
  const finer = !fits(usual) && fine && fits(fine) ? fine : undefined;
  const isKnown = drawsSextants(io.env);
  // If this is unknown, the screen draws sextants, with a hint for users who see boxes instead.
  const drawn = finer && isKnown !== false ? finer : usual;
  const needed = sizeInWords(windowForModules(modules, drawn.style, terminal));
  const words = `${capitalised(drawn.label)}; a usual code needs ${needed}, and this terminal has ${sizeInWords(terminal)}.`;
  if (!fits(drawn))
    return finer
      ? warning(
          `${words} It would fit with sextants, which newer terminals draw.`,
          remark`Enlarge the window, or draw the code smaller: ${command('device', 'connect', placeholder('DEVICE'), '--qr', 'sextant')}`,
        )
      : warning(words, remark`Enlarge the window, or save a picture and scan it: ${picture}`);
  if (colorLevel === 0 && unicode)
    return warning(`${words} Without colour it is readable on a dark background only.`, 'unset NO_COLOR');
  const isDoubtful = drawn === finer && isKnown === undefined;
  return ok(isDoubtful ? `${words} If the terminal shows boxes, use the keys on the pairing screen.` : words);
}
