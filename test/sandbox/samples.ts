import type { BodyOf, DataOf } from '../../src/contract/endpoints.ts';
import type { TestApi } from './api.ts';

let counter = 0;

/** Returns the body of a team that no other test uses. */
export function teamBody(team: Partial<BodyOf<'createTeam'>['team']> = {}): BodyOf<'createTeam'> {
  counter += 1;
  return {
    user: { name: 'Ana Souza', email: `ana${counter}@acme.example`, phone: '+5511999990000' },
    team: { name: `Acme ${counter}`, plan_name: 'pro', ...team },
  };
}

export async function createTeam(
  api: TestApi,
  team: Partial<BodyOf<'createTeam'>['team']> = {},
): Promise<DataOf<'createTeam'>['team']> {
  return (await api.ok('createTeam', { body: teamBody(team) })).data.team;
}

/** Returns an upload form for a document. */
export function documentForm(
  teamId: string,
  file: { name?: string; bytes?: string | Uint8Array<ArrayBuffer>; chars?: number } = {},
): FormData {
  const form = new FormData();
  form.append('file', new Blob([file.bytes ?? 'Opening hours: 9 to 17.']), file.name ?? 'hours.txt');
  form.append('team_id', teamId);
  form.append('chars', String(file.chars ?? 23));
  return form;
}

export async function createDocument(
  api: TestApi,
  teamId: string,
  file: Parameters<typeof documentForm>[1] = {},
): Promise<DataOf<'createDocument'>> {
  return (await api.ok('createDocument', { form: documentForm(teamId, file) })).data;
}

export async function createBot(
  api: TestApi,
  teamId: string,
  bot: Partial<BodyOf<'createBot'>> = {},
): Promise<DataOf<'createBot'>> {
  return (await api.ok('createBot', { body: { team_id: teamId, name: 'Front desk', ...bot } })).data;
}

export async function createDevice(
  api: TestApi,
  teamId: string,
  botId: string,
): Promise<DataOf<'createDevice'>> {
  return (await api.ok('createDevice', { body: { team_id: teamId, bot_id: botId, name: 'Counter' } })).data;
}
