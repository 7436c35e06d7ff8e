import { ownMember } from '../lib/json-object.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** VTE draws sextants itself since 0.62. */
const minVte = 6200;

/** Returns whether botctl runs in tmux or screen, which answer queries for themselves, not for the outer terminal. */
export function isMultiplexed(env: Env): boolean {
  return Boolean(env.TMUX || env.STY) || /^(?:tmux|screen)/.test(env.TERM ?? '');
}

/**
 * Returns whether a terminal draws sextants itself, by its environment, and so regardless of
 * the font. Undefined if the environment doesn't show it.
 */
export function drawsSextants(env: Env): boolean | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  // A multiplexer inherits the variables of the terminal in which it was started, which may be another one now.
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
