import type { Front } from './front.ts';

/** The contents of the service: only the current key, the objects of the examples, or many more. */
export type Size = 'empty' | 'one' | 'many';

/** The contents of the service that a place uses. */
export interface Contents {
  readonly team?: string;
  readonly devices: readonly { readonly id: string; readonly name: string }[];
  /** The current code of the device that waits for its phone. */
  readonly picture: Buffer;
}

/** The access to the sandbox that filling needs. */
export interface Filling {
  readonly front: Front;
  readonly credentials: { readonly keyId: string; readonly keySecret: string };
  /** Shows a picture to the simulated phone. */
  scan(picture: Buffer): Promise<unknown>;
  publish(botId: string): Promise<unknown>;
}

/** The questions and actions of each bot. */
export const desk = {
  role: 'support',
  description: 'Answers guests',
  instructions: 'Answer in one sentence.',
  questions: [
    { question: 'When do you open?', answer: 'At nine.' },
    { question: 'When do you close?', answer: 'At six.' },
  ],
  actions: [
    {
      name: 'order',
      description: 'Orders a table',
      endpoint: 'https://tables.example.com/order',
      method: 'POST',
      headers: { accept: 'application/json' },
      body: [{ key: 'seats', value: 2, type: 'number' }],
    },
    {
      name: 'cancel',
      description: 'Gives a table back',
      endpoint: 'https://tables.example.com/cancel',
      method: 'POST',
      headers: {},
      body: [],
    },
  ],
};

/** Calls the service directly, without botctl, and returns the data of its response. */
export type Service = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<Readonly<Record<string, unknown>>>;

/** Signs in to the service. */
export async function openService({
  front,
  credentials,
}: Pick<Filling, 'front' | 'credentials'>): Promise<Service> {
  const { access_token: token } = await call(front, 'POST', '/auth/token', undefined, {
    key_id: credentials.keyId,
    key_secret: credentials.keySecret,
  });
  return (method, path, body) => call(front, method, `/v1${path}`, String(token), body);
}

/**
 * Creates the objects that the first examples of all commands name (see `place.ts`), through the API or the sandbox's
 * simulated world.
 */
export async function fill(filling: Filling): Promise<Contents> {
  const { scan, publish } = filling;
  const api = await openService(filling);
  const { team } = await api('POST', '/teams', {
    user: { name: 'Store manager', email: 'manager@aurora.example', phone: '+5511999990000' },
    team: { name: 'Aurora Coffee', plan_name: 'starter' },
  });
  const team_id = idOf(team);
  const upload = async (name: string): Promise<string> => {
    const form = new FormData();
    form.set('team_id', team_id);
    form.set('chars', '5');
    form.set('file', new Blob(['soup\n']), name);
    return idOf(await api('POST', '/documents', form));
  };
  const document_ids = [await upload('menu.txt'), await upload('drinks.txt')];
  const bot_id = idOf(await api('POST', '/bots', { team_id, document_ids, name: 'Front desk', ...desk }));
  await api('POST', '/bots', { team_id, name: 'Night desk', ...desk });
  await publish(bot_id);
  await api('POST', '/api-keys', { name: 'ci' });

  const devices: { readonly id: string; readonly name: string }[] = [];
  for (const name of ['Reception', 'Counter', 'Back office'])
    devices.push({ id: idOf(await api('POST', '/devices', { team_id, bot_id, name })), name });
  const [reception, , backOffice] = devices.map(({ id }) => id);
  const codeOf = async (id: string | undefined): Promise<Buffer> => {
    await api('POST', `/devices/${id}/connect`);
    const { qr_code: code } = await api('GET', `/devices/${id}/status`);
    return Buffer.from(String(code).split(',')[1] ?? '', 'base64');
  };
  await scan(await codeOf(reception));
  const message = { destination_number: '5511988887777', message: 'Your order is ready.' };
  await api('POST', '/send', { device_id: reception, ...message });
  return { team: team_id, devices, picture: await codeOf(backOffice) };
}

async function call(
  front: Front,
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${front.url}/api/openapi${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const envelope: unknown = await answer.json();
  const data = memberOf(envelope, 'data');
  if (!isObject(data)) throw new Error(`${method} ${path} was answered ${JSON.stringify(envelope)}`);
  return data;
}

/** Returns the id of an object that the service returned. */
export function idOf(thing: unknown): string {
  return String(memberOf(thing, 'id'));
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
