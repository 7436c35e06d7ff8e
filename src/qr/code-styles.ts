/** The words for how codes are drawn on a terminal; `auto` goes by what it shows. */
export const codeStyles = ['auto', 'half', 'sextant', 'spaces', 'plain'] as const;

/** One of them. */
export type CodeStyle = (typeof codeStyles)[number];
