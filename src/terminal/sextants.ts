import { ownMember } from '../lib/json-object.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** VTE draws sextants by itself since 0.62. */
const minVte = 6200;

/** True inside tmux or screen, which answer questions by themselves, and not for the terminal around them. */
export function isMultiplexed(env: Env): boolean {
  return Boolean(env.TMUX || env.STY) || /^(?:tmux|screen)/.test(env.TERM ?? '');
}

/**
 * Returns true if a terminal draws sextants, by its environment: such terminals draw them regardless of
 * the font. Undefined if the environment doesn't say.
 */
export function drawsSextants(env: Env): boolean | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  // A multiplexer inherits the variables of the terminal that it was started in, which may not be the one that shows it.
  if (isMultiplexed(env)) return undefined;
  if (term === 'linux' || program === 'Apple_Terminal' || program === 'iTerm.app') return false;
  if (/^(?:xterm-kitty|xterm-ghostty|wezterm|foot|alacritty)/.test(term)) return true;
  if (/^(?:WezTerm|ghostty)$/.test(program)) return true;
  const markers = [
    'WT_SESSION',
    'KITTY_WINDOW_ID',
    'WEZTERM_PANE',
    'WEZTERM_EXECUTABLE',
    'GHOSTTY_RESOURCES_DIR',
    'ALACRITTY_WINDOW_ID',
  ];
  if (markers.some((name) => ownMember(env, name))) return true;
  if (env.VTE_VERSION) return Number(env.VTE_VERSION) >= minVte;
  return undefined;
}
