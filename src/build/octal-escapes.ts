import type { Plugin } from 'rolldown';

/** qrcode-terminal writes ESC as an octal escape, which a strict parser refuses. */
export const octalEscapes: Plugin = {
  name: 'octal-escapes',
  transform: {
    filter: { id: /qrcode-terminal/ },
    handler: (code) => code.replaceAll('\\033', '\\x1b'),
  },
};
