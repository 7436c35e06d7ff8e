import type { HelpPage } from './text.ts';

/** `botctl help install`. */
export const installPage: HelpPage = {
  title: 'Install',
  parts: [
    'In a checkout, npm start builds botctl and installs nothing; there node bin/botctl.js is botctl. npm pack and ' +
      'npm install -g ./botctl-0.1.0.tgz put it on your path: this needs Node.js 20.19 or newer, no compiler, and ' +
      'runs no install script.',
    'With npm install --omit=optional the database of the sandbox is left out; sandbox and tour then say what is ' +
      'missing, and all else works. A checkout needs its optional packages, the tarball none: the bundler for your ' +
      'machine is one of them. man botctl shows the manual page.',
    {
      heading: 'Completions of commands, options and names; add the line to the file of your shell',
      rows: [
        ['bash, ~/.bashrc', 'eval "$(botctl completion bash)"'],
        [
          'zsh, ~/.zshrc',
          'eval "$(botctl completion zsh)", after the line: autoload -Uz compinit && compinit',
        ],
        ['fish, ~/.config/fish/config.fish', 'botctl completion fish | source'],
        ['PowerShell (untested), $PROFILE', 'botctl completion powershell | Out-String | Invoke-Expression'],
      ],
    },
    'Or use the files in the folder completions of the package as they are: source botctl.bash, put _botctl into a ' +
      "directory of zsh's fpath before compinit, put botctl.fish into ~/.config/fish/completions.",
    'Names and ids that are completed come from this machine, never from the service: the teams, bots, documents and ' +
      'keys that your commands have seen in a terminal, the device book, your profiles. An id is offered from its ' +
      'third character on.',
  ],
};
