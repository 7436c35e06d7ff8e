type Env = Readonly<Record<string, string | undefined>>;

/** VTE draws sextants by itself since 0.62. */
const leastVte = 6200;

/**
 * Whether a terminal draws sextants, by its environment: those that do draw them by themselves, whatever
 * the font has. Undefined where the environment doesn't tell, and the terminal may be asked.
 */
export function drawsSextants(env: Env): boolean | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  // What a multiplexer inherited is of the terminal that it was started in, not of the one that shows it.
  if (env.TMUX || env.STY || /^(?:tmux|screen)/.test(term)) return false;
  if (term === 'linux' || program === 'Apple_Terminal' || program === 'iTerm.app') return false;
  if (/^(?:xterm-kitty|xterm-ghostty|wezterm|foot|alacritty)/.test(term)) return true;
  if (/^(?:WezTerm|ghostty)$/.test(program)) return true;
  const own = [
    'WT_SESSION',
    'KITTY_WINDOW_ID',
    'WEZTERM_PANE',
    'WEZTERM_EXECUTABLE',
    'GHOSTTY_RESOURCES_DIR',
  ];
  if ([...own, 'ALACRITTY_WINDOW_ID'].some((name) => env[name])) return true;
  if (env.VTE_VERSION) return Number(env.VTE_VERSION) >= leastVte;
  return undefined;
}

/**
 * Whether a terminal draws sextants, by what it answers when it is asked for its name (XTVERSION).
 * @param name with its version: `kitty(0.35.2)`, `WezTerm 20240203`, `VTE(7600)`
 */
export function drawsSextantsAs(name: string): boolean {
  const [, vte] = /^VTE\((\d+)\)/.exec(name) ?? [];
  if (vte !== undefined) return Number(vte) >= leastVte;
  return /^(?:kitty|foot|WezTerm|ghostty|contour|Windows Terminal)\b/.test(name);
}
