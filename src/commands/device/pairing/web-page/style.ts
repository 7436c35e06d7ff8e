/**
 * How the page looks: on a telephone and on a wall, by day and by night. The code itself is black on white
 * everywhere, forced colours included, since that is what cameras read.
 */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f7; --card: #ffffff; --ink: #14181f; --faint: #4d5664; --line: #d5dae1;
  --scan: #1257c2; --busy: #8a5300; --done: #13713b; --failed: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101419; --card: #1a2027; --ink: #f0f3f6; --faint: #a9b3c0; --line: #333c47;
    --scan: #86b6ff; --busy: #f0b35a; --done: #6fd896; --failed: #ff9a90;
  }
}
[data-tone=scan] { --tone: var(--scan); }
[data-tone=busy] { --tone: var(--busy); }
[data-tone=done] { --tone: var(--done); }
[data-tone=failed] { --tone: var(--failed); }
[data-tone=scan][data-stale] { --tone: var(--busy); }

/* Everything grows with the window, for a screen on a wall. */
html { font-size: clamp(100%, 50% + 1.1vmin, 225%); }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

body {
  margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 78rem; padding: clamp(.75rem, 3vw, 3rem);
  display: grid; gap: clamp(.75rem, 2vw, 1.25rem) clamp(1.5rem, 4vw, 4rem);
}
h1, h2, p, ol, dl, dd { margin: 0; }
h1, h2, dd, p { overflow-wrap: anywhere; }
h1 { font-size: clamp(1.25rem, 2.2vw, 1.75rem); line-height: 1.25; font-weight: 650; }
dl { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin-top: .25rem; color: var(--faint); }
dl div { display: flex; gap: .4rem; min-width: 0; }
dt::after { content: ":"; }
dd { color: var(--ink); min-width: 0; }

.side { display: contents; }
.words { order: 1; }

.card {
  width: min(100%, max(58vh, 18rem)); aspect-ratio: 1; justify-self: center;
  display: grid; place-items: center; overflow: hidden;
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
}
[data-tone=scan] .card { background: #fff; border-color: transparent; }
[data-stale] .card { outline: .3rem solid var(--busy); }
#code { display: block; width: 100%; height: 100%; forced-color-adjust: none; }
.sign { display: none; width: 38%; fill: none; stroke: var(--tone); stroke-width: 6; stroke-linecap: round; stroke-linejoin: round; }
[data-tone=busy] .sign.busy, [data-tone=done] .sign.done, [data-tone=failed] .sign.failed { display: block; }
.sign.busy { width: 24%; }
.sign.busy circle { stroke: var(--line); }

.words { display: grid; gap: 1.25rem; align-content: center; min-width: 0; }
#state { border-left: .3rem solid var(--tone); padding-left: 1rem; }
h2 { font-size: clamp(1.5rem, 3vw, 2.25rem); line-height: 1.2; font-weight: 700; color: var(--tone); }
#detail { color: var(--faint); margin-top: .25rem; }
#age p { font-variant-numeric: tabular-nums; }
#bar { height: .5rem; margin-top: .5rem; border-radius: .25rem; background: var(--line); overflow: hidden; }
#left { height: 100%; border-radius: inherit; background: var(--tone); transition: width .25s linear; }
ol { padding: 0; list-style: none; counter-reset: step; display: grid; gap: .75rem; }
li { counter-increment: step; position: relative; padding: .25rem 0 .25rem 2.75rem; }
li::before {
  content: counter(step); position: absolute; left: 0; top: 0; width: 2rem; height: 2rem;
  display: grid; place-items: center; border: 2px solid var(--tone); border-radius: 50%;
  color: var(--tone); font-weight: 650; line-height: 1;
}

@media (min-width: 36rem) and (min-aspect-ratio: 1/1) {
  .card { width: min(100%, 82vh); }
  main { grid-template-columns: minmax(0, 1.35fr) minmax(17rem, 1fr); align-items: center; }
  .side { display: grid; gap: 1.25rem; order: 2; }
}
@media (prefers-reduced-motion: no-preference) {
  .sign.busy path { animation: turn 1.4s linear infinite; transform-origin: center; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
@media (prefers-reduced-motion: reduce) { #left { transition: none; } }
@media (forced-colors: active) { #left { background: CanvasText; } #bar { border: 1px solid; } }
/* The code is a secret while it lives: it isn't put on paper. */
@media print { .card { display: none; } }
`;
