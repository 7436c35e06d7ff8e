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
  summary: 'Print a shell completion script',
  description:
    'The script completes commands, options, their values, and the names of teams, bots, documents, devices, keys, ' +
    'campaigns and profiles. It offers the names that earlier commands showed on a terminal of this machine. Tab ' +
    'never calls the service.',
  arguments: {
    shell: argument('your shell: bash, zsh, fish or powershell', choice('bash', 'zsh', 'fish', 'powershell')),
  },
  examples: [
    { line: 'botctl completion bash', does: 'Use bash: add eval "$(botctl completion bash)" to ~/.bashrc' },
    {
      line: 'botctl completion zsh',
      does: 'Use zsh: add eval "$(botctl completion zsh)" to ~/.zshrc, after compinit',
    },
    {
      line: 'botctl completion fish',
      does: 'Use fish: add "botctl completion fish | source" to ~/.config/fish/config.fish',
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
