/** The kinds of writes. The user allows each by its word: `--allow-writes bots,docs`. */
export const writeKinds = ['teams', 'bots', 'actions', 'docs', 'devices', 'send', 'campaigns'] as const;

/** A kind of writes. */
export type WriteKind = (typeof writeKinds)[number];

/** A command that an assistant may run. */
export interface Tool {
  readonly name: string;
  /** The words that name the command: `teams list`. */
  readonly command: string;
  /** The kind of write; undefined if the command only reads. */
  readonly writes?: WriteKind;
  /** The options that the assistant may set, by their names in the declaration. Never one that is a path. */
  readonly options: readonly string[];
  /** The options whose value is a number. */
  readonly numbers?: readonly string[];
  /** Descriptions of arguments and options, by their names, if the command's own descriptions are about a terminal. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Options that a call must have, although the command also takes them in another form, such as a file. */
  readonly required?: readonly string[];
  /** Words that are added to every call. */
  readonly adds?: readonly string[];
  /** The members of the result that the assistant sees, as paths. All others are dropped. */
  readonly fields: readonly string[];
  /** A note for the assistant, beside the summary of the command. */
  readonly note?: string;
}

const team = ['id', 'name', 'plan_name', 'paying', 'banned', 'created_at', 'updated_at'];
const quotas = ['bots', 'accounts', 'characters', 'documents', 'members', 'credits'].map(
  (name) => `quotas.${name}`,
);
const bot = [
  ...['id', 'team_id', 'name', 'role', 'description', 'instructions', 'temperature', 'published'],
  ...['allow_human', 'created_at', 'updated_at'],
];
const botDetails = [
  ...[...bot, 'identification_name', 'use_audio_responses', 'allow_user_audio_requests', 'capture_payments'],
  ...['break_lines', 'questions.question', 'questions.answer', 'documents.document_id'],
  // Headers and bodies of actions hold credentials.
  ...['actions.id', 'actions.name', 'actions.description', 'actions.endpoint', 'actions.method'],
];
const document = ['id', 'team_id', 'name', 'type', 'size', 'chars', 'created_at', 'updated_at'];
const counts = [
  ...['name', 'state', 'devices', 'rows', 'planned', 'accepted', 'rejected', 'unknown', 'sending'],
  ...['opted_out', 'duplicates', 'invalid', 'cancelled', 'created_at'],
];
const device = { device: 'the device, by name or id' };
const quotaForm = {
  quota: 'NAME=NUMBER, such as bots=10; names: bots, accounts, characters, documents, members, credits',
};
const botOptions = ['team', 'name', 'role', 'description', 'instructions', 'temperature'];

/**
 * Every tool. Credentials, pairing codes, the sandbox, free paths and commands that run programs are missing on
 * purpose: no text of the service can make an assistant use them.
 */
export const tools: readonly Tool[] = [
  {
    name: 'whoami',
    command: 'whoami',
    options: [],
    fields: ['profile', 'base_url', 'origin', 'key_id', 'key_name', 'key_expires_at'],
  },
  { name: 'doctor', command: 'doctor', options: [], fields: ['check', 'verdict', 'remedy'] },
  { name: 'teams_list', command: 'teams list', options: ['name', 'paying'], fields: team },
  {
    name: 'teams_overview',
    command: 'teams overview',
    options: [],
    fields: [
      ...[...team, ...quotas, 'used.bots', 'used.documents', 'used.characters', 'bots.id', 'bots.name'],
      ...['bots.role', 'bots.published', 'documents.id', 'documents.name', 'documents.type'],
      ...['documents.chars', 'devices.id', 'devices.name', 'devices.bot_name'],
    ],
  },
  { name: 'bots_list', command: 'bots list', options: ['team', 'name'], fields: bot },
  { name: 'bots_get', command: 'bots get', options: ['team'], fields: botDetails },
  { name: 'docs_list', command: 'docs list', options: ['team', 'name', 'type'], fields: document },
  {
    name: 'device_list',
    command: 'device list',
    options: ['name'],
    fields: ['id', 'name', 'team_name', 'bot_name', 'team_id', 'bot_id', 'seen_at'],
    note: 'The service cannot list devices: these are the ones that this machine or desk knows.',
  },
  {
    name: 'device_status',
    command: 'device status',
    options: [],
    inputs: device,
    fields: [
      ...['name', 'device_id', 'team_name', 'state', 'verdict', 'next', 'status', 'connected', 'logged_in'],
      ...['phone_number', 'message', 'last_disconnect_reason', 'last_disconnect_at', 'refused_at'],
      'refused_because',
    ],
  },
  {
    name: 'device_history',
    command: 'device history',
    options: ['team', 'since'],
    fields: [
      ...['at', 'event', 'by', 'reason', 'phone_number', 'lost_at', 'device_id', 'name', 'team_name'],
      'seen_by',
    ],
  },
  {
    name: 'keys_list',
    command: 'keys list',
    options: ['name'],
    fields: ['key_id', 'name', 'scope', 'is_active', 'expires_at', 'last_used', 'created_at'],
  },
  { name: 'campaigns_list', command: 'campaigns list', options: ['name'], fields: counts },
  {
    name: 'campaigns_get',
    command: 'campaigns get',
    options: [],
    fields: [...counts, 'service', 'pace', 'takes', 'message', 'longest_chars'],
  },
  {
    name: 'device_wait',
    command: 'device watch',
    options: ['until'],
    inputs: device,
    adds: ['--timeout=50s', '--no-qr'],
    fields: ['event', 'state', 'device_id', 'name', 'phone_number', 'because', 'reason', 'at', 'next'],
    note:
      'Waits up to 50 seconds until the device is ready; call it again if it is not. The user pairs it meanwhile by ' +
      '"botctl device connect NAME" in a terminal.',
  },
  {
    name: 'teams_create',
    command: 'teams create',
    writes: 'teams',
    inputs: quotaForm,
    options: ['name', 'plan', 'adminName', 'adminEmail', 'adminPhone', 'quota'],
    fields: [...team, 'user.id', 'user.name'],
  },
  {
    name: 'teams_update',
    command: 'teams update',
    writes: 'teams',
    inputs: quotaForm,
    options: ['name', 'plan', 'paying', 'ban', 'quota'],
    fields: [...team, ...quotas, 'changes'],
  },
  {
    name: 'bots_create',
    command: 'bots create',
    writes: 'bots',
    inputs: { team: 'team of the bot, by name or id', name: 'name of the bot' },
    required: ['team', 'name'],
    options: botOptions,
    numbers: ['temperature'],
    fields: bot,
    note: 'The new bot is not published, and only the owner of the service can publish it.',
  },
  {
    name: 'bots_update',
    command: 'bots update',
    writes: 'bots',
    options: botOptions,
    numbers: ['temperature'],
    fields: [...bot, 'changes'],
    note: 'A change unpublishes a published bot, and the API cannot publish it again.',
  },
  {
    name: 'bots_delete',
    command: 'bots delete',
    writes: 'bots',
    options: ['team'],
    fields: ['id', 'name', 'deleted'],
  },
  {
    name: 'bots_actions_add',
    command: 'bots actions add',
    writes: 'actions',
    inputs: {
      actions:
        'JSON objects with name, endpoint, method (GET, POST, PUT or DELETE) and, if needed, description, headers (an object) and ' +
        'body (a list of objects with key, value, and type string, number or boolean)',
    },
    required: ['actions'],
    options: ['team', 'actions', 'replace'],
    fields: ['number', 'id', 'name', 'method', 'endpoint', 'description'],
    note: 'The host of the endpoint must be one that the user allowed, and the user is asked each time.',
  },
  {
    name: 'docs_rename',
    command: 'docs rename',
    writes: 'docs',
    options: ['team'],
    fields: [...document, 'changes'],
  },
  {
    name: 'docs_upload',
    command: 'docs upload',
    writes: 'docs',
    inputs: {
      path: 'files, each as a path relative to the folder that the user allowed',
      chars: 'number of characters of a single file, if it can not be counted',
    },
    options: ['team', 'chars'],
    numbers: ['chars'],
    fields: [...document, 'outcome', 'code', 'reason'],
    note: 'A document cannot be replaced or deleted, and the user is asked each time.',
  },
  {
    name: 'device_create',
    command: 'device create',
    writes: 'devices',
    options: ['team', 'bot', 'name'],
    adds: ['--discard-token'],
    fields: ['id', 'name', 'team_id', 'bot_id', 'status', 'type', 'connected', 'created_at'],
    note: 'A device cannot be deleted.',
  },
  {
    name: 'device_disconnect',
    command: 'device disconnect',
    writes: 'devices',
    inputs: device,
    options: [],
    fields: ['device_id', 'name', 'status', 'message'],
  },
  {
    name: 'send_message',
    command: 'send',
    writes: 'send',
    inputs: { to: 'phone number with + and country code' },
    required: ['message'],
    options: ['device', 'to', 'message', 'imageUrl', 'imageMimeType'],
    fields: ['device_id', 'name', 'destinationNumber'],
    note: 'Sends one message to one phone number. The user is asked each time.',
  },
  {
    name: 'campaigns_pause',
    command: 'campaigns pause',
    writes: 'campaigns',
    options: [],
    fields: ['name', 'state', 'at', 'left'],
    note: 'The user is asked each time.',
  },
];
