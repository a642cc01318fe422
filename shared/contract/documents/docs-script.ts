/**
 * The script of the documentation page. It only adds to a page that is complete without it: the search of the
 * navigation, one choice of language for all examples, and calls that can be edited and sent to this instance.
 */
export const DOCS_SCRIPT = {
  markup: `
'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const stored = (storage, key) => {
    try { return window[storage].getItem(key) ?? ''; } catch { return ''; }
  };
  const theme = stored('localStorage', 'workbench.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  // Search: a topic stays in the navigation if all words occur in it; fields and codes with the last word are listed below it.
  const MOST_FIELDS = 6;
  const input = document.querySelector('#search');
  const found = document.querySelector('#found');
  const topics = all('.side li').map((item) => {
    const section = document.querySelector(item.firstElementChild.hash);
    const rows = all('td:first-child code', section).map((code) => ({ code, text: code.textContent.toLowerCase() }));
    return { item, rows, text: (item.textContent + ' ' + section.textContent).toLowerCase() };
  });
  let rowCount = 0;
  const fieldLink = ({ code }) => {
    const row = code.closest('tr');
    row.id ||= 'row-' + (rowCount += 1);
    const link = document.createElement('a');
    link.href = '#' + row.id;
    link.textContent = code.textContent;
    const item = document.createElement('li');
    item.append(link);
    return item;
  };
  const search = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const { item, rows, text } of topics) {
      item.querySelector('ul')?.remove();
      const matches = words.every((word) => text.includes(word));
      item.hidden = !matches;
      if (!matches) continue;
      shown += 1;
      const fields = words.length === 0 ? [] : rows.filter((row) => row.text.includes(words.at(-1)));
      if (fields.length === 0) continue;
      const list = document.createElement('ul');
      list.append(...fields.slice(0, MOST_FIELDS).map(fieldLink));
      item.append(list);
    }
    for (const heading of all('.side nav h2')) heading.hidden = all(':scope > li:not([hidden])', heading.nextElementSibling).length === 0;
    found.textContent = words.length === 0 ? '' : shown === 0 ? 'No topic has this text.' : shown === 1 ? '1 topic' : shown + ' topics';
  };
  // On a narrow screen the topics are above the content: they are closed until they are wanted.
  const menu = document.querySelector('.topics');
  const narrow = matchMedia('(max-width: 60rem)');
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();
  menu.addEventListener('click', (event) => {
    if (narrow.matches && event.target.closest('a')) menu.open = false;
  });
  input.addEventListener('input', () => {
    menu.open = true;
    search();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    input.focus();
  });

  // A link into a closed group opens it.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const group = target?.closest('details');
    if (group) group.open = true;
    target?.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  if (location.hash !== '') reveal();

  // Paper shows all groups.
  addEventListener('beforeprint', () => {
    for (const group of all('details:not([open])')) { group.open = true; group.dataset.closed = ''; }
  });
  addEventListener('afterprint', () => {
    for (const group of all('details[data-closed]')) { group.open = false; delete group.dataset.closed; }
  });

  // The topic in view is marked in the navigation.
  const links = new Map(all('.side li > a').map((link) => [link.hash.slice(1), link]));
  const marks = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = links.get(target.id);
      if (isIntersecting) link?.setAttribute('aria-current', 'true');
      else link?.removeAttribute('aria-current');
    }
  }, { rootMargin: '-15% 0px -80% 0px' });
  for (const section of all('.topic')) marks.observe(section);

  // One choice of language for all examples.
  document.addEventListener('change', ({ target }) => {
    if (!target.matches('.languages input')) return;
    const before = target.getBoundingClientRect().top;
    for (const other of all('.languages input[value="' + target.value + '"]')) other.checked = true;
    scrollBy(0, target.getBoundingClientRect().top - before);
  });

  // Calls from the page.
  const LONGEST_CALL_MS = 60000;
  const pretty = (text) => {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  };
  const send = async (address, body) => {
    const token = stored('sessionStorage', 'workbench.token');
    const startedAt = performance.now();
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: 'Bearer ' + token }) },
      body,
      signal: AbortSignal.timeout(LONGEST_CALL_MS),
    });
    const text = await response.text();
    const hint = response.status === 401 ? '. Enter an access token in the workbench, in this tab.' : '';
    const outcome = [response.status, response.statusText].join(' ').trim() + ' in ' + Math.round(performance.now() - startedAt) + ' ms' + hint;
    return { good: response.ok, outcome, text: pretty(text) };
  };
  for (const box of all('.try')) {
    const [text, example, outcome, reply] = ['textarea', 'select', '.outcome', 'pre'].map((selector) => box.querySelector(selector));
    const sendButton = box.querySelector('button');
    const samples = all('.example', box.closest('.topic')).map((one) => one.dataset.request);
    const show = (result) => {
      outcome.textContent = result.outcome;
      outcome.className = 'outcome ' + (result.good ? 'good' : 'bad');
      reply.hidden = result.text === '';
      reply.textContent = result.text;
    };
    const fill = () => { text.value = pretty(samples[example.selectedIndex]); };
    let busy = false;
    const call = async () => {
      if (busy) return;
      busy = true;
      sendButton.setAttribute('aria-disabled', 'true');
      try {
        show(await send(box.dataset.address, text.value));
      } catch (error) {
        const late = error.name === 'TimeoutError';
        show({ good: false, outcome: late ? 'No answer within a minute.' : 'This instance cannot be reached.', text: '' });
      }
      busy = false;
      sendButton.removeAttribute('aria-disabled');
    };
    sendButton.addEventListener('click', call);
    text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) call();
    });
    example.addEventListener('change', fill);
    fill();
    box.hidden = false;
  }
  document.querySelector('.search').hidden = false;
})();
`,
};
