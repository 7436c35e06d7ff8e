import { ownMember } from '../../lib/json-object.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import style from './page.css?raw';
import script from './page.js?raw';
import type { PageContent } from './state.ts';

/** The names on the page. */
export interface PageNames {
  /** The name of the device, or its id. */
  readonly device: string;
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** The expected number, as the user typed it. */
  readonly expected?: string | undefined;
}

/** Seconds between two loads of the page in a browser without scripts. */
export const reloadSeconds = 3;

/**
 * Returns the current page. It is readable without scripts; the script keeps it up to date.
 * @param nonce permits this page's own style and script under its content security policy
 * @param page identifies the page in the requests of its script
 */
export function renderPage(shown: PageContent, names: PageNames, nonce: string, page: string): string {
  const { tone, headline, detail, age, code, ended } = shown;
  const device = displayName(names.device);
  const side = code?.side ?? 1;
  return `<!doctype html>
<html lang="en" data-tone="${tone}" data-page="${page}"${ended ? ' data-ended' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(headline)} · ${device}</title>
${ended ? '' : `<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`}
<style nonce="${nonce}">${style}</style>
</head>
<body data-device="${device}">
<main>
<header>
<h1>Pair <bdi>${device}</bdi></h1>
${ownerList([
  ['Team', names.team],
  ['Bot', names.bot],
  ['For', names.expected],
])}
</header>
<section class="card" aria-label="The code">
<svg id="code" role="img" aria-label="QR code to scan with the phone" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"${code ? '' : ' hidden'}><rect width="100%" height="100%" fill="#fff"/><path id="modules" fill="#000" d="${code?.path ?? ''}"/></svg>
<div id="sign" aria-hidden="true"></div>
</section>
<section class="words">
<div id="state" role="status" aria-live="polite" aria-atomic="true">
<h2 id="headline">${escapeHtml(headline)}</h2>
<p id="detail">${escapeHtml(detail)}</p>
</div>
<p id="age" role="timer" aria-live="off">${escapeHtml(age)}</p>
<ol id="steps"${code ? '' : ' hidden'}>
<li>Open the messaging app on the phone.</li>
<li>Tap <strong>Linked devices</strong>.</li>
<li>Tap <strong>Link a device</strong>.</li>
<li>Point the camera at the code.</li>
</ol>
<noscript><p>Scripts are turned off, so this page loads itself again every ${reloadSeconds} seconds. When it can't be loaded any more, the pairing has ended: look at the terminal.</p></noscript>
</section>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

/** Names come from users: they are sanitised, cut and escaped. */
function displayName(name: string): string {
  return escapeHtml(truncated(sanitise(name)));
}

/** The maximum length of a displayed name. */
const maxNameLength = 120;

function truncated(name: string): string {
  const characters = [...name];
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : name;
}

function ownerList(pairs: readonly (readonly [string, string | undefined])[]): string {
  const known = pairs.flatMap(([word, name]) =>
    name === undefined ? [] : [`<div><dt>${word}</dt><dd><bdi>${displayName(name)}</bdi></dd></div>`],
  );
  return known.length === 0 ? '' : `<dl>${known.join('')}</dl>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ownMember(entities, character) ?? character);
}
