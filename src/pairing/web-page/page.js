/**
 * What keeps the page current. It runs in the browser as it stands here, without a build, in any browser
 * of the last ten years.
 */
// biome-ignore lint/suspicious/noRedundantUseStrict: it runs as a script, not as a module
'use strict';
(() => {
  const find = (id) => document.getElementById(id);
  const code = find('code');
  const modules = find('modules');
  const device = document.body.dataset.device;

  let source;
  let ended = document.documentElement.hasAttribute('data-ended');
  /** The code that is shown: since when, by this page's own clock, how long it lives, what was told of it. */
  let shown;
  let goneTimer;
  let retryTimer;
  let failures = 0;

  const say = (id, text) => {
    const element = find(id);
    if (element.textContent !== text) element.textContent = text;
  };

  const drop = () => {
    shown = undefined;
    modules.setAttribute('d', '');
    code.setAttribute('hidden', '');
    find('age').hidden = true;
    find('steps').hidden = true;
    document.documentElement.removeAttribute('data-stale');
    say('number', '');
    say('countdown', '');
    say('spoken', '');
  };

  const tell = (state) => {
    document.documentElement.dataset.tone = state.tone;
    document.title = `${state.headline} · ${device}`;
    if (state.code) draw(state.code, state);
    else {
      drop();
      say('headline', state.headline);
      say('detail', state.detail);
    }
  };

  const draw = (next, words) => {
    const isNew = modules.getAttribute('d') !== next.path || !shown;
    code.setAttribute('viewBox', `0 0 ${next.side} ${next.side}`);
    modules.setAttribute('d', next.path);
    code.removeAttribute('hidden');
    find('age').hidden = false;
    find('steps').hidden = false;
    say('number', next.title);
    const since = performance.now() - next.age;
    if (isNew) shown = { life: next.life, title: next.title, mark: undefined };
    shown.since = since;
    shown.words = words;
    tick();
  };

  /** Seconds at which a screen reader tells the time that is left: each one would be a nuisance. */
  const marks = [60, 30, 10, 0];

  const tick = () => {
    if (!shown) return;
    const { life, since, title, words } = shown;
    const age = performance.now() - since;
    const left = life === null ? Infinity : Math.max(0, Math.ceil((life - age) / 1000));
    const isStale = left === 0;
    document.documentElement.toggleAttribute('data-stale', isStale);
    say('headline', isStale ? 'A new code is due' : words.headline);
    say('detail', isStale ? 'This one is past its time, and may not work any more.' : words.detail);
    find('bar').hidden = life === null;
    find('left').style.width = life === null ? '' : `${Math.max(0, 100 - (100 * age) / life)}%`;
    if (life === null) say('countdown', `is ${Math.round(age / 1000)} s old.`);
    else say('countdown', isStale ? 'is past its time.' : `– a new one in about ${left} s.`);

    const mark = Math.min(...marks.filter((each) => each >= left));
    if (mark === shown.mark) return;
    const time = left > 0 && left < Infinity ? `About ${left} seconds left.` : '';
    say('spoken', shown.mark === undefined ? `${title} is there to be scanned. ${time}` : time);
    shown.mark = mark;
  };

  /** A code that is not kept current any more must not stay on the page. */
  const goneAfter = 3000;

  /** Milliseconds until the next attempt; after some minutes there is none. */
  const pause = () => (failures < 20 ? 500 : 3000);
  const hasHope = () => failures < 200;

  const gone = () => {
    tell({
      tone: hasHope() ? 'busy' : 'failed',
      headline: 'No connection to botctl',
      detail: `${hasHope() ? 'Trying again. ' : ''}Look at the terminal in which it runs.`,
    });
  };

  const connect = () => {
    source = new EventSource(`${location.pathname}/events`);
    source.onmessage = (message) => {
      clearTimeout(goneTimer);
      goneTimer = undefined;
      failures = 0;
      const state = JSON.parse(message.data);
      ended = state.ended;
      if (ended) leave();
      tell(state);
    };
    source.onerror = () => {
      // Left to themselves, some browsers give up at once if nothing answers.
      source.close();
      failures += 1;
      goneTimer = goneTimer || setTimeout(gone, goneAfter);
      if (hasHope()) retryTimer = setTimeout(connect, pause());
      else gone();
    };
  };

  const leave = () => {
    clearTimeout(goneTimer);
    clearTimeout(retryTimer);
    goneTimer = undefined;
    if (!source) return;
    source.onerror = null;
    source.close();
  };

  // Nothing of the code stays behind for the Back button.
  addEventListener('pagehide', () => {
    leave();
    drop();
  });
  addEventListener('pageshow', (event) => {
    if (event.persisted && !ended) connect();
  });
  setInterval(tick, 250);
  if (!ended) connect();
})();
