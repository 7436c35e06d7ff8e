import type { HelpPage } from './text.ts';

/** Variables that say one thing. */
export interface Variables {
  readonly names: readonly string[];
  readonly meaning: string;
  /** It is a library that reads them. */
  readonly readByLibrary?: boolean;
}

/** The variables of botctl's own. The README lists them too. */
export const ownVariables: readonly Variables[] = [
  { names: ['BOTCTL_PROFILE'], meaning: 'the profile to use' },
  { names: ['BOTCTL_BASE_URL'], meaning: 'address of the service' },
  { names: ['BOTCTL_KEY_ID', 'BOTCTL_KEY_SECRET'], meaning: 'an API key; both or neither' },
  {
    names: ['BOTCTL_KEY_SECRET_FILE'],
    meaning: 'a file that holds the secret, in place of BOTCTL_KEY_SECRET',
  },
  { names: ['BOTCTL_CONFIG_DIR'], meaning: 'keep everything of botctl below this directory' },
  { names: ['BOTCTL_NO_INPUT'], meaning: 'never ask; fail instead' },
];

/** Variables that other programs have too. */
export const sharedVariables: readonly Variables[] = [
  { names: ['CI'], meaning: 'set by most CI systems: never ask; fail instead' },
  {
    names: ['NO_COLOR', 'FORCE_COLOR'],
    meaning: 'without, or with colour; where both are set, FORCE_COLOR wins',
  },
  { names: ['ACCESSIBLE'], meaning: 'plain lines to be read aloud: no screen, no drawing, no spinner' },
  { names: ['TERM'], meaning: 'the kind of terminal: its colours, and whether its cursor moves' },
  { names: ['COLORTERM'], meaning: 'truecolor or 24bit: every colour can be shown' },
  {
    names: ['TERM_PROGRAM', 'WT_SESSION'],
    meaning: 'terminals that are known to take colour and UTF-8',
  },
  {
    names: ['VTE_VERSION', 'TMUX', 'STY'],
    meaning: 'which finer drawings of a QR code a terminal shows',
  },
  {
    names: ['SSH_CONNECTION', 'USER', 'LOGNAME'],
    meaning: 'for the ssh line that leads to the page of --qr-web',
  },
  { names: ['LC_ALL', 'LC_CTYPE', 'LANG'], meaning: 'the locale: whether the terminal takes UTF-8' },
  { names: ['VISUAL', 'EDITOR'], meaning: 'the editor that bots edit opens' },
  { names: ['PATH'], meaning: 'where it looks for an editor if neither is set' },
  {
    names: ['HTTPS_PROXY', 'HTTP_PROXY'],
    meaning: 'a proxy on the way to the service; in lower case too',
  },
  { names: ['NO_PROXY'], meaning: 'hosts to reach without the proxy; in lower case too' },
  { names: ['ALL_PROXY'], meaning: 'not used; doctor says so where it is set' },
  { names: ['NODE_EXTRA_CA_CERTS'], meaning: 'a PEM file of certificates to trust, as --ca-file' },
  { names: ['NODE_OPTIONS'], meaning: "Node's own; compiled code is kept apart for each" },
  {
    names: ['NODE_DISABLE_COMPILE_CACHE'],
    meaning: 'where set, no compiled code is kept for the next start',
  },
  {
    names: ['NODE_TLS_REJECT_UNAUTHORIZED'],
    meaning: 'with 0 Node trusts any certificate; doctor warns of it',
  },
  {
    names: ['XDG_CONFIG_HOME', 'APPDATA'],
    meaning: 'where profiles are kept: on Linux, on Windows',
    readByLibrary: true,
  },
  {
    names: ['XDG_CACHE_HOME', 'XDG_DATA_HOME'],
    meaning: 'where tokens, the device book and the sandbox are kept on Linux',
    readByLibrary: true,
  },
  {
    names: ['LOCALAPPDATA'],
    meaning: 'the same on Windows; see botctl help files',
    readByLibrary: true,
  },
];

/** `botctl help environment`. */
export const environmentPage: HelpPage = {
  title: 'Environment',
  parts: [
    'Who calls is decided as a whole: --profile, then the pair of BOTCTL_KEY_ID and its secret, then ' +
      'BOTCTL_PROFILE, then the profile chosen with botctl profiles use. botctl whoami shows which one won.',
    { heading: 'Of botctl', rows: ownVariables.map(rowOf) },
    { heading: 'Of other programs too', rows: sharedVariables.map(rowOf) },
  ],
};

function rowOf({ names, meaning }: Variables): readonly [string, string] {
  return [names.join(', '), meaning];
}
