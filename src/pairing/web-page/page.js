/** What keeps the page current. It runs in the browser as it stands here, without a build. */
// biome-ignore lint/suspicious/noRedundantUseStrict: it runs as a script, not as a module
'use strict';
(() => {
  const pollMs = 1000;
  /** A code that is not kept current any more must not stay on the page. */
  const goneAfterMs = 5000;

  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  let ended = root.hasAttribute('data-ended');
  let answeredAt = performance.now();
  let isAway = false;

  const say = (id, text) => {
    const element = find(id);
    // What is said again would be read out again.
    if (element.textContent !== text) element.textContent = text;
  };

  const show = ({ tone, headline, detail, age, code }) => {
    const side = code ? code.side : 1;
    root.dataset.tone = tone;
    document.title = `${headline} · ${document.body.dataset.device}`;
    say('headline', headline);
    say('detail', detail);
    say('age', age);
    find('code').setAttribute('viewBox', `0 0 ${side} ${side}`);
    find('code').toggleAttribute('hidden', !code);
    find('modules').setAttribute('d', code ? code.path : '');
    find('steps').hidden = !code;
  };

  const showNothing = () =>
    show({
      tone: 'busy',
      headline: 'No connection to botctl',
      detail: 'Trying again. Look at the terminal in which it runs.',
      age: '',
      code: null,
    });

  const poll = async () => {
    try {
      const response = await fetch(`${location.pathname}/state/${root.dataset.page}`, {
        signal: AbortSignal.timeout(goneAfterMs),
      });
      const state = await response.json();
      answeredAt = performance.now();
      ended = state.ended;
      if (!isAway) show(state);
    } catch {
      // What watches the time takes the code away.
    }
    if (!ended) setTimeout(poll, pollMs);
  };

  setInterval(() => {
    if (!ended && performance.now() - answeredAt > goneAfterMs) showNothing();
  }, 500);

  // Nothing of the code stays behind for the Back button.
  addEventListener('pagehide', () => {
    isAway = true;
    if (!ended) showNothing();
  });
  addEventListener('pageshow', () => {
    isAway = false;
  });
  if (!ended) poll();
})();
