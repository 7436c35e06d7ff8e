/**
 * The baseline of the group `sandbox`: a server written by hand on node:http and SQLite, which lists and creates teams
 * with the sandbox's statements. Prints its address as soon as it listens.
 *
 *     bare-service.cjs FILE
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { inTransaction, openBare } from './bare-sqlite.ts';

const path = '/api/openapi/v1/teams';
const authorization = 'Bearer a-token-for-the-bench';
const quotas = ['bots', 'accounts', 'characters', 'documents', 'members', 'credits'];
const columns = quotas.map((name) => `quota_${name}`);

const database = openBare(
  process.argv[2] ?? '',
  'pragma locking_mode = exclusive; pragma journal_mode = wal',
);
database.exec(`
  create table if not exists teams (id text primary key, name text, plan_name text, paying integer, banned integer,
    ${columns.join(' integer, ')} integer, created_at integer, updated_at integer);
  create table if not exists users (id text primary key, team_id text references teams, name text, email text,
    email_key text unique, phone text, created_at integer);
  create index if not exists teams_order on teams (created_at, id);
`);
const count = database.prepare('select count(*) as total from teams');
const ids = database.prepare('select id from teams order by created_at, id limit ? offset ?');
const rows = database.prepare(
  'select * from teams where id in (select value from json_each(?)) order by created_at, id',
);
const insertTeam = database.prepare(
  `insert into teams values (?, ?, ?, 0, 0, ${columns.map(() => '10').join()}, ?, ?)`,
);
const insertUser = database.prepare('insert into users values (?, ?, ?, ?, ?, ?, ?)');

const time = (value: unknown): string => new Date(Number(value)).toISOString();

function list(query: URLSearchParams): unknown {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)];
  const total = Number(count.all()[0]?.total);
  const found = ids.all(limit, (page - 1) * limit).map(({ id }) => id);
  const data = rows.all(JSON.stringify(found)).map((row) => ({
    id: row.id,
    name: row.name,
    plan_name: row.plan_name,
    paying: row.paying !== 0,
    banned: row.banned !== 0,
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
  }));
  return { success: true, data, meta: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}

function create(body: string): unknown {
  const { user, team } = JSON.parse(body);
  const [teamId, userId, now] = [randomUUID(), randomUUID(), Date.now()];
  inTransaction(database, () => {
    insertTeam.run(teamId, team.name, team.plan_name, now, now);
    insertUser.run(userId, teamId, user.name, user.email, user.email.toLowerCase(), user.phone, now);
  });
  const made = { created_at: time(now), updated_at: time(now) };
  return {
    success: true,
    data: { team: { id: teamId, ...team, ...made }, user: { id: userId, ...user, created_at: time(now) } },
  };
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost');
  const known = url.pathname === path && request.headers.authorization === authorization;
  const answer = !known
    ? undefined
    : request.method === 'POST'
      ? create(await text(request))
      : list(url.searchParams);
  const body = Buffer.from(JSON.stringify(answer ?? { success: false }));
  response.writeHead(answer ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
});
// Long enough that no connection closes during a case.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`);
});
