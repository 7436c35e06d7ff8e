import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { item, paragraphs, verbatim } from '../../src/build/man-page/roff.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

describe('the man page', () => {
  it('describes every command with its options', async () => {
    const text = readFileSync(join(packageRoot(), 'dist', 'botctl.1'), 'utf8').replaceAll('\\-', '-');
    for (const { path, command } of await allCommands()) {
      const start = text.search(new RegExp(`^\\.SS "botctl ${path}[|a-z]*[ "]`, 'm'));
      expect(start, path).toBeGreaterThan(0);
      const rest = text.slice(start + 1);
      const part = rest.slice(0, rest.search(/^\.S[SH] /m));
      for (const { flags, hidden } of Object.values(command.options))
        if (!hidden) expect(part, path).toContain(flags);
    }
  });

  it('takes no text for a command of roff', () => {
    expect(paragraphs(".so /etc/passwd\n'ig")).toBe('.PP\n\\&.so /etc/passwd\n\\(aqig');
    expect(verbatim('a\\nb\n.sh')).toContain('a\\enb\n\\&.sh');
    expect(item('--a "b"', '')).toBe('.TP\n\\fB\\-\\-a \\(dqb\\(dq\\fR\n\\&');
    expect(paragraphs('– é')).toBe('.PP\n\\[u2013] \\[u00E9]');
  });
});
