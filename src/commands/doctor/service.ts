import { randomUUID } from 'node:crypto';
import { accepts, requestedFilters } from '../../cli/list/filters.ts';
import type { Page, PagedEndpoint, PagesInput } from '../../client/api.ts';
import { learnCommand } from '../../client/words/list-failure.ts';
import { Failure } from '../../lib/errors.ts';
import { groupBy } from '../../lib/iterables.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { isLoopback } from '../../lib/listen.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import { durationInWords, isoTime, parseTime } from '../../lib/time.ts';
import { type Answer, type Check, ok, orFailure, type Subject, skipped, soonMs, warning } from './check.ts';

/** The tolerated difference between two clocks, in milliseconds. */
const clockToleranceMs = 30_000;

/** The checks of the service with the key in use. */
export const serviceChecks: readonly Check[] = [
  { name: 'token', needs: ['credentials', 'connection', 'tls'], run: tokenAnswer },
  { name: 'clock', needs: ['token'], run: clockAnswer },
  { name: 'key', needs: ['token'], run: keyAnswer },
  { name: 'reading', needs: ['token'], run: readingAnswer },
  { name: 'paging', needs: ['reading'], run: pagingAnswer },
  { name: 'filters', needs: ['reading'], run: filtersAnswer },
  { name: 'learned', run: learnedAnswer },
];

/** Learned choices older than this may be outdated, in milliseconds. */
const learnedLongAgoMs = 30 * 86_400_000;

function learnedAnswer({ context, identity: { profile, settings } }: Subject): Answer {
  if (profile === undefined) return skipped('No profile is in use.');
  const remedy = remark`${learnCommand({ profile })}`;
  const moment = parseTime(settings?.learnedAt);
  if (moment === undefined) return skipped('The parameters of the service were not detected yet.', remedy);
  const age = context.clock.now() - moment;
  const told = `The parameters of the service were detected ${durationInWords(Math.max(age, 0) / 1000)} ago.`;
  return age > learnedLongAgoMs ? warning(told, remedy) : ok(told);
}

async function tokenAnswer(subject: Subject): Promise<Answer> {
  const { context, identity } = subject;
  // A cached token would hide that the secret was never checked.
  await context.settings.tokens.remove(identity);
  const { issuedAt, expiresAt } = await (await subject.api()).accessToken();
  return ok(
    `The service accepted the key and issued a token for ${durationInWords((expiresAt - issuedAt) / 1000)}.`,
  );
}

async function clockAnswer(subject: Subject): Promise<Answer> {
  const ahead = (await subject.api()).clockAhead();
  if (ahead === undefined) return skipped('The responses of the service have no date.');
  if (Math.abs(ahead) <= clockToleranceMs) return ok('The clocks of this machine and of the service agree.');
  return warning(
    `The service's clock is ${durationInWords(ahead / 1000)} ${ahead > 0 ? 'ahead of' : 'behind'} this machine's.`,
    isLoopback(subject.url.hostname)
      ? remark`This is normal for a sandbox after ${command('sandbox', 'clock', 'advance')}. Otherwise set the clock of this machine.`
      : setClock(),
  );
}

/** Returns the advice to set the clock, with the command of the operating system. */
export function setClock(): string {
  return `Set the clock of this machine${clockCommands[process.platform] ?? '.'}`;
}

const clockCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: ': w32tm /resync',
  darwin: ': sudo sntp -sS time.apple.com',
  linux: ': sudo timedatectl set-ntp true',
};

async function keyAnswer(subject: Subject): Promise<Answer> {
  const { context, identity } = subject;
  const api = await subject.api();
  const { keyId, profile } = identity;
  const key = await orFailure(() => api.call('getKey', { path: { keyId } }));
  if (key instanceof Failure) {
    if (key.kind !== 'notFound' && key.kind !== 'rejected') throw key;
    return skipped('The service does not show when this key expires.');
  }
  const { name, expires_at: expiresAt } = key.data;
  const label = typeof name === 'string' && name !== '' ? `Key "${name}"` : `Key ${keyId}`;
  const moment = parseTime(expiresAt);
  if (moment === undefined) return ok(`${label} does not expire.`);
  const left = moment - (context.clock.now() + (api.clockAhead() ?? 0));
  const words = `${label} ${left > 0 ? `expires in ${durationInWords(left / 1000)}` : 'has expired'} (${isoTime(moment)}).`;
  if (left > soonMs) return ok(words);
  const place = profile === undefined ? ['--secret-file', placeholder('FILE')] : ['--profile', profile];
  return warning(words, remark`${command('keys', 'rotate', '--expires', '90d', ...place)}`);
}

async function readingAnswer(subject: Subject): Promise<Answer> {
  const page = await firstPage(subject, 'listTeams');
  const total = page?.total ?? page?.rows.length ?? 0;
  return ok(`Teams can be listed (${total}).`);
}

/** Returns the first page of a list, one row long. */
async function firstPage<N extends PagedEndpoint>(
  subject: Subject,
  name: N,
  query?: PagesInput<N>['query'],
): Promise<Page | undefined> {
  const api = await subject.api();
  for await (const page of api.pages(name, { ...(query && { query }), perPage: 1 })) return page;
  return undefined;
}

async function pagingAnswer(subject: Subject): Promise<Answer> {
  const { queryNames, unsent } = subject.identity.settings ?? {};
  if (unsent !== undefined)
    return warning(
      `Lists are requested without ${unsent.join(' and ')}, because the service refuses the known names. Long lists may be incomplete.`,
      namesRemedy(subject, unsent),
    );
  const api = await subject.api();
  const pages: Page[] = [];
  const failure = await orFailure(async () => {
    for await (const page of api.pages('listTeams', { perPage: 1 })) if (pages.push(page) === 2) return;
  });
  const [first, second] = pages;
  if (failure)
    throw first
      ? new Failure(failure.kind, failure.message, { hint: namesRemedy(subject, ['page', 'limit']) })
      : failure;
  const { page, limit } = { page: 'page', limit: 'limit', ...queryNames };
  if (first && first.rows.length > 1)
    return warning(
      `The service ignores "${limit}": ${limit}=1 gave ${first.rows.length} rows.`,
      namesRemedy(subject, ['limit']),
    );
  return ok(
    second
      ? `"${page}" and "${limit}" work.`
      : `"${page}" and "${limit}" are accepted. To check that they work, the service needs two teams.`,
  );
}

async function filtersAnswer(subject: Subject): Promise<Answer> {
  const team = (await firstPage(subject, 'listTeams'))?.rows[0];
  const treatments = {
    // No object has a name like this, so a correct service returns no rows.
    name: await treatmentOf(subject, 'listTeams', { name: randomUUID() }),
    paying: await treatmentOf(subject, 'listTeams', { paying: true }),
    ...(team && { team: await treatmentOf(subject, 'listBots', { team_id: team.id }) }),
    type: await treatmentOf(subject, 'listDocuments', { type: 'pdf' }),
  };
  const tried = groupBy(Object.entries(treatments), ([, treatment]) => treatment);
  const named = (treatment: Treatment) => (tried.get(treatment) ?? []).map(([member]) => member);
  const wrong = (['refuses', 'ignores'] as const).filter((treatment) => tried.has(treatment));
  if (wrong.length === 0)
    return ok(`All filters are accepted, and none seems to be ignored (${named('heeds').join(', ')}).`);
  const words = wrong.map((treatment) => `${treatment} ${named(treatment).join(', ')}`).join(' and ');
  return warning(
    `The service ${words}. botctl filters such lists itself, which takes longer.`,
    namesRemedy(subject, wrong.flatMap(named)),
  );
}

type Treatment = 'heeds' | 'refuses' | 'ignores';

async function treatmentOf<N extends PagedEndpoint>(
  subject: Subject,
  name: N,
  query: NonNullable<PagesInput<N>['query']>,
): Promise<Treatment> {
  const page = await orFailure(() => firstPage(subject, name, query));
  if (page instanceof Failure && page.kind !== 'rejected') throw page;
  if (page instanceof Failure) return 'refuses';
  const asked = requestedFilters(query);
  const isRight = (row: JsonObject): boolean => asked.every((filter) => accepts(filter, row));
  return page?.rows.every(isRight) === false ? 'ignores' : 'heeds';
}

function namesRemedy({ identity }: Subject, members: readonly string[]): Remark {
  const names = members.flatMap((member) => ['--query-name', placeholder(`${member}=NAME`)]);
  return identity.profile === undefined
    ? remark`Names are saved in a profile. Create one with ${command('login')}, then run: ${command('profiles', 'set', 'default', ...names)}`
    : remark`${learnCommand(identity)}\nOr, if you know the names: ${command('profiles', 'set', identity.profile, ...names)}`;
}
