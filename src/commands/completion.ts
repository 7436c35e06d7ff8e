import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../cli/command.ts';
import { argument, choice } from '../cli/options.ts';
import { Failure } from '../lib/errors.ts';
import { packageRoot } from '../lib/package-root.ts';

/** The scripts in `completions/`. They call `botctl __complete`. */
const files = { bash: 'botctl.bash', zsh: '_botctl', fish: 'botctl.fish', powershell: 'botctl.ps1' } as const;

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'The script completes commands, options, their values, and the names of teams, bots, documents, devices, keys, ' +
    'campaigns and profiles. At each Tab it calls botctl, which offers the names that this machine has seen in ' +
    'terminal sessions, and never asks the service.',
  arguments: { shell: argument('the shell', choice('bash', 'zsh', 'fish', 'powershell')) },
  examples: [
    { line: 'botctl completion bash', does: 'Print it; in ~/.bashrc: eval "$(botctl completion bash)"' },
    { line: 'botctl completion zsh', does: 'For ~/.zshrc, after compinit: eval "$(botctl completion zsh)"' },
    {
      line: 'botctl completion fish',
      does: 'For ~/.config/fish/config.fish: botctl completion fish | source',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'text' },
  async run(_context, { shell }) {
    const file = join(packageRoot(), 'completions', files[shell]);
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new Failure('invalidInput', `The completion script ${file} can't be read.`, {
        hint: 'Install botctl again.',
        cause: error,
      });
    }
  },
});
