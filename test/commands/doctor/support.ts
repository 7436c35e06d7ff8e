import { expect } from 'vitest';
import { botctl, type Ran, type RunOptions } from '../../support/botctl.ts';
import { type ScriptedServer, startScriptedServer, success } from '../../support/scripted-server.ts';

// A scripted server uses TLS, returns no time, and refuses one filter and ignores another.

/** A finding as `doctor -o json` prints it. */
export interface Found {
  readonly check: string;
  readonly verdict: string;
  readonly found: string;
  readonly remedy: string | null;
}

/** The findings and the exit code of `doctor`. */
export interface Examined extends Ran {
  readonly findings: readonly Found[];
  /** Returns a finding by the name of its check. */
  at(check: string): Found;
  /** Returns the names of the checks with a verdict. */
  named(verdict: string): readonly string[];
}

export async function doctor(
  env: Readonly<Record<string, string>>,
  more: readonly string[] = [],
  options: Omit<RunOptions, 'env'> = {},
): Promise<Examined> {
  const ran = await botctl(['doctor', '-o', 'json', '--retries', '0', ...more], { ...options, env });
  const findings: readonly Found[] = ran.stdout === '' ? [] : JSON.parse(ran.stdout);
  return {
    ...ran,
    findings,
    at(check) {
      const found = findings.find((finding) => finding.check === check);
      if (!found) throw new Error(`nothing is said of ${check}: ${ran.stderr}`);
      return found;
    },
    named: (verdict) => findings.filter((finding) => finding.verdict === verdict).map(({ check }) => check),
  };
}

/** Returns the failure that `-o json` writes to the last line of stderr. */
export function failureIn({ stderr }: Ran): Readonly<Record<string, unknown>> {
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}');
  expect(error).toBeDefined();
  return error;
}

export const keySecret = 'the-secret-of-key-1';

/** Returns the environment of a user of this server. */
export function environment(baseUrl: string): Record<string, string> {
  return { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: 'key-1', BOTCTL_KEY_SECRET: keySecret };
}

/** Returns the query of a request. */
export function queryOf(path: string): URLSearchParams {
  return new URL(path, 'http://service.test').searchParams;
}

const uuid = (number: number): string => `${number}1111111-1111-4111-8111-111111111111`;

/** Two teams; the second one is not paying. */
export const teams = [
  { id: uuid(1), name: 'Acme', paying: true },
  { id: uuid(2), name: 'Birch', paying: false },
] as const;

/** Starts a service without problems; a test scripts the exceptions. */
export async function startSoundService(options: { readonly tls?: boolean } = {}): Promise<ScriptedServer> {
  const server = await startScriptedServer(options);
  const meta = (total: number) => ({ page: 1, limit: 1, total, totalPages: Math.max(total, 1) });
  server.on('GET /api/openapi/v1/teams', ({ path }) => {
    const query = queryOf(path);
    const rows = teams.filter(
      ({ name, paying }) =>
        name.includes(query.get('name') ?? '') &&
        (!query.has('paying') || String(paying) === query.get('paying')),
    );
    const page = Number(query.get('page'));
    return success(rows.slice(page - 1, page), { ...meta(rows.length), page });
  });
  server.on('GET /api/openapi/v1/bots', success({ bots: [], pagination: meta(0) }));
  server.on('GET /api/openapi/v1/documents', success([], meta(0)));
  server.on('GET /api/openapi/v1/api-keys/key-1', success({ key_id: 'key-1', name: 'ci' }));
  return server;
}
