import type { HelpPage } from './text.ts';

/** `botctl help identity`. */
export const identityPage: HelpPage = {
  title: 'Who calls: profiles, protection, another key',
  parts: [
    'Who calls is decided as a whole, never mixed: --profile, then the pair of BOTCTL_KEY_ID and its secret, then ' +
      'BOTCTL_PROFILE, then the profile chosen with botctl profiles use. botctl whoami shows which one won. There is ' +
      "no default address, and a profile's key goes to that profile's address only.",
    'Several services stand side by side as profiles. profiles set tells botctl how one of them is to be called, such ' +
      'as what it calls its parameters. A protected profile asks for its name before anything is changed, destroyed ' +
      'or sent; off a terminal --confirm-profile NAME answers.',
    {
      shell: `
$ botctl profiles set default --query-name page=page --page-size 100 --fields page_size
✓ Changed profile default.
Page size  100
$ botctl profiles set default --protect --fields name,protected
✓ Changed profile default.
Name       default
Protected  yes
$ botctl profiles list --fields name,current,protected
NAME     CURRENT  PROTECTED
sandbox  no       no
default  yes      yes
`,
    },
    'keys rotate puts a new key in the place of the one in use and deletes the old one; killed at any step, the next ' +
      'run finishes or cleans up. botctl logout forgets a key on this machine; the key itself lives on until botctl ' +
      'keys delete.',
    {
      shell: `
$ botctl keys rotate --expires 90d --yes --fields key_id,expires_at
? Profile default (https://api.example.com) is protected. Type default to
  confirm: default
✓ Key First key (rotated 2026-11-22-5bea2f892998)
  (key_3608b3e5654e652a5dd2e2f2), which expires 2027-02-20T07:26:31.308Z, is
  in the place of key_5f0c8a1e7b3d46d2a9c41e60, which is deleted.
key_5f0c8a1e7b3d46d2a9c41e60 was last used at 2026-11-22T07:26:21.758Z; the
rotation itself used it too.
The new secret is in profile sandbox and profile default.
Key ID   key_3608b3e5654e652a5dd2e2f2
Expires  in 89 days (2027-02-20T07:26:31Z)
`,
    },
  ],
};
