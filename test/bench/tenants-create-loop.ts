/**
 * What somebody would write by hand to make many tenants: some at once with undici, of each the team, its document and its
 * bot, and a line of JSON for each. The yardstick of an apply.
 *
 *     tenants-create-loop.cjs ORIGIN TOKEN RUN TENANTS CONCURRENCY
 */
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';

async function main([
  origin = '',
  token = '',
  run = '',
  tenants = '',
  concurrency = '',
]: readonly string[]): Promise<void> {
  const agent = new Agent();
  const authorization = `Bearer ${token}`;
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const headers = { accept: 'application/json', authorization, 'content-type': 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await request.call(agent, {
      origin,
      path: `/api/openapi/v1/${path}`,
      method,
      headers,
      body: text,
    });
    return answered(path, answer.statusCode, await answer.body.text());
  };
  const upload = async (team: string) => {
    const form = new FormData();
    form.set('team_id', team);
    form.set('chars', '4');
    form.set('file', new Blob(['soup\n']), 'menu.txt');
    const sent = await fetch(`${origin}/api/openapi/v1/documents`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    });
    return answered('documents', sent.status, await sent.text());
  };
  for (let page = 1, pages = 1; page <= pages; page += 1)
    pages = (await call('GET', `teams?page=${page}&limit=100`)).meta.totalPages;
  const numbers = Array.from({ length: Number(tenants) }, (_, at) => at).values();
  const worker = async (): Promise<void> => {
    for (const at of numbers) {
      const user = { name: 'Ana', email: `tenant-${at}@${run}.example`, phone: '+5511999990000' };
      const { team } = (
        await call('POST', 'teams', { user, team: { name: `Tenant ${at} ${run}`, plan_name: 'pro' } })
      ).data;
      const document = (await upload(team.id)).data;
      const bot = (
        await call('POST', 'bots', { team_id: team.id, name: 'Front desk', document_ids: [document.id] })
      ).data;
      for (const made of [team, document, bot]) process.stdout.write(`${JSON.stringify(made)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  await agent.destroy();
}

function answered(path: string, status: number, text: string) {
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  return JSON.parse(text);
}

void main(process.argv.slice(2));
