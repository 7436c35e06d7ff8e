import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../lib/package-root.ts';
import { doubledQuotes, escapedQuotes, posixQuotes } from './quotes.ts';
import { completionTree, type OptionAt, type Place, type Takes, type Tree, type Word } from './tree.ts';

/**
 * The scripts of all shells, by the names of their files. Each is a table of what may stand where, made here
 * from the command tree, and the walk over the line that looks things up in it: `walk.bash` and its like.
 */
export async function completionScripts(): Promise<Readonly<Record<string, string>>> {
  const tree = await completionTree();
  return {
    'botctl.bash': bash(tree),
    _botctl: zsh(tree),
    'botctl.fish': fish(tree),
    'botctl.ps1': powershell(tree),
  };
}

function walk(extension: string): string {
  return readFileSync(join(packageRoot(), 'src', 'build', 'completions', `walk.${extension}`), 'utf8');
}

/** Every way to write a place. */
function pathsOf({ path, aliases }: Place): readonly string[] {
  return [path, ...aliases];
}

/** The patterns of a slot at a place, or of one of every place. */
function patternsOf(at: Place | undefined, keys: readonly string[]): readonly string[] {
  return at ? pathsOf(at).flatMap((path) => keys.map((key) => `${path}|${key}`)) : keys;
}

/** The values of some options, or of an argument by its number; the last argument may be `more`. */
interface Slot {
  readonly keys: readonly string[];
  readonly takes: Takes;
}

function slotsOf(place: Place): readonly Slot[] {
  const given = place.arguments.map((takes, index) => ({ keys: [String(index + 1)], takes }));
  const last = place.arguments.at(-1);
  const more = place.variadic && last ? [{ keys: ['more'], takes: last }] : [];
  return [...optionSlots(place.options), ...given, ...more];
}

function optionSlots(options: readonly OptionAt[]): readonly Slot[] {
  return options.map(({ names, takes }) => ({ keys: names, takes }));
}

const help: Word = { text: '--help', summary: 'show help' };

/** The options that are offered, by their long names. */
function flagsOf(options: readonly OptionAt[]): readonly Word[] {
  const visible = options.filter(({ hidden }) => !hidden);
  return visible.map(({ names: [text = ''], summary }) => ({ text, summary }));
}

/** The options of every command. */
function globalFlags({ global }: Tree): readonly Word[] {
  return [...flagsOf(global), help];
}

/** The kind, then the words or the noun. */
function partsOf(takes: Takes): { readonly kind: string; readonly words: readonly Word[] } {
  if (takes.kind === 'names') return { kind: 'names', words: [{ text: takes.noun, summary: '' }] };
  return { kind: takes.kind, words: 'words' in takes ? takes.words : [] };
}

function textsOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

function bash(tree: Tree): string {
  const quoted = posixQuotes;
  const place = (at: Place): string =>
    `    ${pathsOf(at).map(quoted).join(' | ')}) verbs=${quoted(textsOf(at.commands))} flags=${quoted(textsOf(flagsOf(at.options)))} ;;`;
  const slot = (at: Place | undefined, { keys, takes }: Slot): string => {
    const { kind, words } = partsOf(takes);
    const patterns = patternsOf(at, keys).map(quoted).join(' | ');
    return `    ${patterns}) takes=${quoted([kind, textsOf(words)].join(' ').trim())} ;;`;
  };
  return `# Completion of botctl for bash, generated from its commands. In ~/.bashrc: eval "$(botctl completion bash)"

# Sets verbs and flags: the commands and options that may follow the command $1.
__botctl_place() {
  verbs='' flags=''
  case $1 in
${lines(tree.places.map(place))}
  esac
  flags="$flags ${textsOf(globalFlags(tree))}"
}

# Sets takes: what stands at $2, an option or the number of an argument, of the command $1.
__botctl_takes() {
  takes=''
  case "$1|$2" in
${lines(tree.places.flatMap((at) => slotsOf(at).map((one) => slot(at, one))))}
  esac
  [[ -z $takes ]] || return 0
  case $2 in
${lines(optionSlots(tree.global).map((one) => slot(undefined, one)))}
  esac
}

${walk('bash')}`;
}

function zsh(tree: Tree): string {
  const quoted = posixQuotes;
  const described = ({ text, summary }: Word): string =>
    quoted(`${text.replaceAll(':', '\\:')}${summary && ':'}${summary}`);
  const list = (words: readonly Word[]): string => `(${words.map(described).join(' ')})`;
  const place = (at: Place): string =>
    `    ${pathsOf(at).map(quoted).join(' | ')}) verbs=${list(at.commands)} flags=${list(flagsOf(at.options))} ;;`;
  const slot = (at: Place | undefined, { keys, takes }: Slot): string => {
    const { kind, words } = partsOf(takes);
    const patterns = patternsOf(at, keys).map(quoted).join(' | ');
    return `    ${patterns}) takes=${kind} choices=${list(words)} ;;`;
  };
  return `#compdef botctl
# Completion of botctl for zsh, generated from its commands. In ~/.zshrc: eval "$(botctl completion zsh)"

# Sets verbs and flags: the commands and options that may follow the command $1.
__botctl_place() {
  verbs=() flags=()
  case $1 in
${lines(tree.places.map(place))}
  esac
  flags+=${list(globalFlags(tree))}
}

# Sets takes and choices: what stands at $2, an option or the number of an argument, of the command $1.
__botctl_takes() {
  takes='' choices=()
  case "$1|$2" in
${lines(tree.places.flatMap((at) => slotsOf(at).map((one) => slot(at, one))))}
  esac
  [[ -z $takes ]] || return 0
  case $2 in
${lines(optionSlots(tree.global).map((one) => slot(undefined, one)))}
  esac
}

${walk('zsh')}`;
}

function fish(tree: Tree): string {
  const quoted = escapedQuotes;
  const described = ({ text, summary }: Word): string => quoted(summary ? `${text}\t${summary}` : text);
  const print = (words: readonly Word[]): string => `printf '%s\\n' ${words.map(described).join(' ')}`;
  const cases = (words: (at: Place) => readonly Word[]): string =>
    lines(
      tree.places
        .filter((at) => words(at).length > 0)
        .map((at) => `        case ${pathsOf(at).map(quoted).join(' ')}\n            ${print(words(at))}`),
    );
  const slot = (at: Place | undefined, { keys, takes }: Slot): string => {
    const { kind, words } = partsOf(takes);
    const patterns = patternsOf(at, keys).map(quoted).join(' ');
    return `        case ${patterns}\n            ${print([{ text: kind, summary: '' }, ...words])}`;
  };
  return `# Completion of botctl for fish, generated from its commands. In config.fish: botctl completion fish | source

# Prints the commands that may follow a command, and what they do.
function __botctl_verbs --argument-names trail
    switch "$trail"
${cases((at) => at.commands)}
    end
end

# Prints the options that may follow a command, and what they mean.
function __botctl_flags --argument-names trail
    switch "$trail"
${cases((at) => flagsOf(at.options))}
    end
    ${print(globalFlags(tree))}
end

# Prints what stands at an option, or at the number of an argument, of a command: its kind, then the words.
function __botctl_takes --argument-names trail slot
    switch "$trail|$slot"
${lines(tree.places.flatMap((at) => slotsOf(at).map((one) => slot(at, one))))}
        case '*'
            switch "$slot"
${lines(optionSlots(tree.global).map((one) => slot(undefined, one).replace(/^/gm, '        ')))}
            end
    end
end

${walk('fish')}`;
}

function powershell(tree: Tree): string {
  const quoted = doubledQuotes;
  const described = ({ text, summary }: Word): string =>
    summary ? `${quoted(text)} + "\`t" + ${quoted(summary)}` : quoted(text);
  const list = (words: readonly Word[]): string => words.map((word) => `(${described(word)})`).join(', ');
  const cases = (words: (at: Place) => readonly Word[]): string =>
    lines(
      tree.places
        .filter((at) => words(at).length > 0)
        .flatMap((at) => pathsOf(at).map((path) => `        ${quoted(path)} { ${list(words(at))} }`)),
    );
  const slot = (at: Place | undefined, { keys, takes }: Slot): string => {
    const { kind, words } = partsOf(takes);
    return lines(
      patternsOf(at, keys).map((pattern) => {
        return `        ${quoted(pattern)} { return @(${list([{ text: kind, summary: '' }, ...words])}) }`;
      }),
    );
  };
  return `# Completion of botctl for PowerShell, generated from its commands; nobody has tried it yet.
# In $PROFILE: botctl completion powershell | Out-String | Invoke-Expression

# The commands that may follow a command: word, tab, what it does.
function __BotctlVerbs([string]$trail) {
    switch -CaseSensitive ($trail) {
${cases((at) => at.commands)}
    }
}

# The options that may follow a command: option, tab, what it means.
function __BotctlFlags([string]$trail) {
    switch -CaseSensitive ($trail) {
${cases((at) => flagsOf(at.options))}
    }
    ${list(globalFlags(tree))}
}

# What stands at an option, or at the number of an argument, of a command: its kind, then the words.
function __BotctlTakes([string]$trail, [string]$slot) {
    switch -CaseSensitive ("$trail|$slot") {
${lines(tree.places.flatMap((at) => slotsOf(at).map((one) => slot(at, one))))}
    }
    switch -CaseSensitive ($slot) {
${lines(optionSlots(tree.global).map((one) => slot(undefined, one)))}
    }
}

${walk('ps1')}`;
}

function lines(all: readonly string[]): string {
  return all.join('\n');
}
