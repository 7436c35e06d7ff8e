/** How many rows of each kind. */
export interface Numbers {
  readonly teams: number;
  readonly bots: number;
  readonly documents: number;
}

/** Returns the statements that write so many rows without anything around them, in the order of their times. */
export function bareRows({ teams, bots, documents }: Numbers): readonly string[] {
  const id = (kind: string, place: string): string => `md5('${kind} ' || ${place})::uuid`;
  const time = `timestamptz '2026-01-01' + g * interval '1 second'`;
  return [
    `insert into teams select ${id('team', 'g')}, 'Team ' || g, 'pro', g % 5 <> 0, false, 10, 5, 10000000, 100, 10, 10000,
      ${time}, ${time} from generate_series(1, ${teams}) g`,
    `insert into users select ${id('user', 'g')}, ${id('team', 'g')}, 'Ana ' || g, 'ana' || g || '@bare.example',
      '+5511999990000', ${time} from generate_series(1, ${teams}) g`,
    `insert into documents select ${id('document', 'g')}, ${id('team', `(1 + g % ${teams})`)}, 'Opening hours ' || g || '.txt',
      (array['txt', 'pdf', 'docx'])[1 + g % 3], 10, 'file-' || g, 'txt', 10, ${time}, ${time}
      from generate_series(1, ${documents}) g`,
    `insert into bots (id, team_id, name, role, description, provider_id, instructions, temperature, allow_human,
      use_audio_responses, allow_user_audio_requests, capture_payments, break_lines, questions, actions, created_at,
      updated_at) select ${id('bot', 'g')}, ${id('team', `(1 + g % ${teams})`)}, 'Front desk ' || g, 'support', 'A desk',
      'asst-' || g, repeat('Answer kindly. ', 20), 1, false, false, false, false, false, '[]', '[]', ${time}, ${time}
      from generate_series(1, ${bots}) g`,
  ];
}
