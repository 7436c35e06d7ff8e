import { own } from '../../lib/json-object.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import style from './page.css?raw';
import script from './page.js?raw';
import type { PageState } from './state.ts';

/** The names on the page. */
export interface PageNames {
  readonly device: string;
  readonly team: string | undefined;
  readonly bot: string | undefined;
  readonly expected?: string | undefined;
}

/** Seconds between two loads of the page in a browser that runs no scripts. */
const reloadSeconds = 3;

/**
 * The page as it is at this moment. It is readable without scripts; the script keeps it current.
 * @param nonce lets this page's own style and script run, under the policy that it is served with
 */
export function renderPage(state: PageState, names: PageNames, nonce: string): string {
  const { tone, headline, detail, code } = state;
  const device = displayName(names.device);
  return `<!doctype html>
<html lang="en" data-tone="${tone}"${state.ended ? ' data-ended' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(headline)} · ${device}</title>
${state.ended ? '' : `<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`}
<style nonce="${nonce}">${style}</style>
</head>
<body data-device="${device}">
<main>
<div class="side">
<header>
<h1>Pair <bdi>${device}</bdi></h1>
${ownerList([
  ['Team', names.team],
  ['Bot', names.bot],
  ['For', names.expected],
])}
</header>
<section class="words">
<div id="state" role="status" aria-live="polite" aria-atomic="true">
<h2 id="headline">${escapeHtml(headline)}</h2>
<p id="detail">${escapeHtml(detail)}</p>
</div>
<div id="age"${code ? '' : ' hidden'}>
<p><strong id="number">${escapeHtml(code?.title ?? '')}</strong> <span id="countdown" role="timer" aria-live="off"></span></p>
<div id="bar" aria-hidden="true" hidden><div id="left"></div></div>
</div>
<p id="spoken" class="unseen" aria-live="polite" aria-atomic="true"></p>
<ol id="steps"${code ? '' : ' hidden'}>
<li>Open the messaging app on the phone.</li>
<li>Tap <strong>Linked devices</strong>.</li>
<li>Tap <strong>Link a device</strong>.</li>
<li>Point the camera at the code.</li>
</ol>
<noscript><p>Scripts are turned off, so this page loads itself again every ${reloadSeconds} seconds. When it can't be loaded any more, the pairing has ended: look at the terminal.</p></noscript>
</section>
</div>
<section class="card" aria-label="The code">
<svg id="code" role="img" aria-label="QR code to scan with the phone" viewBox="0 0 ${code?.picture.side ?? 1} ${code?.picture.side ?? 1}" shape-rendering="crispEdges"${code ? '' : ' hidden'}><rect width="100%" height="100%" fill="#fff"/><path id="modules" fill="#000" d="${code?.picture.path ?? ''}"/></svg>
<svg class="sign busy" viewBox="0 0 96 96" aria-hidden="true"><circle cx="48" cy="48" r="38"/><path d="M48 10a38 38 0 0 1 38 38"/></svg>
<svg class="sign done" viewBox="0 0 96 96" aria-hidden="true"><circle cx="48" cy="48" r="44"/><path d="M27 50l14 14 28-31"/></svg>
<svg class="sign failed" viewBox="0 0 96 96" aria-hidden="true"><circle cx="48" cy="48" r="44"/><path d="M33 33l30 30M63 33L33 63"/></svg>
</section>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

/** Names are not botctl's own text: they are cleaned, cut and escaped. */
function displayName(name: string): string {
  return escapeHtml(truncated(sanitise(name)));
}

/** Characters of a name that are shown. */
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

/** Text as it may stand between tags, and in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => own(entities, character) ?? character);
}
