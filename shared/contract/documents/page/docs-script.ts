/**
 * The script of the documentation page. It only adds to a page that is complete without it: the search, one choice of
 * language for all examples, copying, and calls that can be edited and sent to this instance.
 */
export const DOCS_SCRIPT = {
  markup: String.raw`
'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  // Storage may be forbidden; the page then forgets.
  const stored = (storage, key) => {
    try { return window[storage].getItem(key) ?? ''; } catch { return ''; }
  };
  const store = (storage, key, value) => {
    try {
      if (value === '') window[storage].removeItem(key);
      else window[storage].setItem(key, value);
    } catch {}
  };
  const theme = stored('localStorage', 'workbench.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  // Search: everything that has a name. All words must occur; what is named so comes before what mentions it.
  const MOST_RESULTS = 40;
  const KIND_BONUS = { Topic: 3, Operation: 3, Problem: 2, Rule: 2, Field: 1 };
  const input = one('#search');
  const found = one('#found');
  const results = one('#search-results');
  const menu = one('.topics');
  const side = one('.side');
  const plain = (text) => text.toLowerCase().replaceAll('installment', 'instalment');
  const topicOf = (node) => node.closest('.topic');
  const entryOf = (target, kind, title) => {
    const topic = topicOf(target);
    const inner = kind === 'Topic' ? '' : one('h2', topic).textContent;
    const words = title.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[\s.\[\]_-]+/).map(plain);
    const text = kind === 'Topic' ? all('p', target).map((each) => each.textContent).join(' ') : target.textContent;
    // Of the path of a field, its own name is shown first.
    const [, path, name] = kind === 'Field' ? title.match(/^(.*?)\.?([^.]+)$/) : ['', '', title];
    const place = [inner, path].filter(Boolean).join(' · ');
    return { id: target.id, kind, title: name, place, words, last: plain(name), name: plain(title), text: plain(text + ' ' + inner) };
  };
  const entries = [
    ...all('.topic').map((topic) => entryOf(topic, 'Topic', one('h2', topic).textContent)),
    ...all('[data-kind]').map((target) => entryOf(target, target.dataset.kind, target.dataset.title ?? one('code', target).textContent)),
  ];
  const wordScore = (word, { name, last, words, text }) => {
    if (name === word || last === word) return 100;
    if (last.startsWith(word)) return 70;
    if (words.includes(word)) return 60;
    if (words.some((each) => each.startsWith(word))) return 45;
    if (name.includes(word)) return 30;
    return text.includes(word) ? 5 : 0;
  };
  const scoreOf = (words, entry) => {
    const scores = words.map((word) => wordScore(word, entry));
    if (scores.includes(0)) return 0;
    const joined = words.length > 1 && entry.last === words.join('') ? 100 : 0;
    return scores.reduce((sum, score) => sum + score, joined + (KIND_BONUS[entry.kind] ?? 0));
  };
  const toResult = ({ id, kind, title, place }) => element('li', {}, element('a', { href: '#' + id },
    element('span', { className: 'kind', textContent: kind }),
    element('span', { className: 'name', textContent: title }),
    element('span', { className: 'inner', textContent: place })));
  const search = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    const isSearching = words.length > 0;
    const hits = !isSearching ? [] : entries
      .map((entry) => ({ entry, score: scoreOf(words, entry) }))
      .filter(({ score }) => score > 0)
      .sort((first, second) => second.score - first.score);
    one('ul', results).replaceChildren(...hits.slice(0, MOST_RESULTS).map(({ entry }) => toResult(entry)));
    results.hidden = hits.length === 0;
    menu.hidden = isSearching;
    const count = hits.length === 1 ? '1 result' : hits.length + ' results';
    found.textContent = !isSearching ? '' : hits.length === 0 ? 'Nothing has this text.' : hits.length > MOST_RESULTS ? count + ', the first ' + MOST_RESULTS + ' are listed' : count;
  };
  const closeSearch = () => {
    input.value = '';
    search();
  };
  input.addEventListener('input', search);
  one('.search').addEventListener('keydown', (event) => {
    const links = all('a', results);
    const at = links.indexOf(document.activeElement);
    if (event.key === 'ArrowDown') (links[at + 1] ?? links.at(-1))?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1] : input).focus();
    else if (event.key === 'Enter' && event.target === input) links[0]?.click();
    else return;
    if (event.key !== 'Enter') event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && input.value !== '') {
      closeSearch();
      if (side.contains(document.activeElement)) input.focus();
    }
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  // On a narrow screen the topics are above the content: they are closed until they are wanted.
  const narrow = matchMedia('(max-width: 60rem)');
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();
  side.addEventListener('click', (event) => {
    if (!event.target.closest('a')) return;
    if (narrow.matches) menu.open = false;
    if (narrow.matches && results.contains(event.target)) closeSearch();
  });

  // A link into a closed group opens it, and marks where it leads. A mistyped one may not be decodable.
  const fragment = () => {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ''; }
  };
  const reveal = () => {
    const target = document.getElementById(fragment());
    all('.target').forEach((each) => each.classList.remove('target'));
    if (!target) return;
    for (let group = target.closest('details'); group; group = group.parentElement.closest('details')) group.open = true;
    if (!target.matches('.topic, main')) target.classList.add('target');
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  document.addEventListener('click', (event) => {
    if (event.target.closest('a[href^="#"]')?.hash === location.hash) reveal();
  });
  if (location.hash !== '') reveal();

  // Paper shows all groups.
  addEventListener('beforeprint', () => {
    for (const group of all('details:not([open])')) { group.open = true; group.dataset.closed = ''; }
  });
  addEventListener('afterprint', () => {
    for (const group of all('details[data-closed]')) { group.open = false; delete group.dataset.closed; }
  });

  // The topic in view is marked in the navigation, and stays in sight there.
  const links = new Map(all('.topics li > a').map((link) => [link.hash.slice(1), link]));
  const marks = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = links.get(target.id);
      if (!link) continue;
      if (!isIntersecting) { link.removeAttribute('aria-current'); continue; }
      link.setAttribute('aria-current', 'true');
      const { top, bottom } = link.getBoundingClientRect();
      if (!narrow.matches && (top < 0 || bottom > innerHeight)) side.scrollTop += top - innerHeight / 2;
    }
  }, { rootMargin: '-15% 0px -80% 0px' });
  for (const section of all('.topic')) marks.observe(section);

  // One choice of language for all examples, and for the next visit.
  const choose = (language) => {
    for (const other of all('.languages input')) other.checked = other.value === language;
  };
  document.addEventListener('change', ({ target }) => {
    if (!target.matches('.languages input')) return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    store('localStorage', 'docs.language', target.value);
    scrollBy(0, target.getBoundingClientRect().top - before);
  });
  const language = stored('localStorage', 'docs.language');
  if (all('.languages input').some(({ value }) => value === language)) choose(language);

  one('[data-engine] code').textContent = 'export ENGINE=' + location.origin;

  // Copying. Pages that are not on HTTPS or this machine have no clipboard: they copy a selection.
  const COPIED_MS = 2000;
  const toClipboard = async (text) => {
    try { await navigator.clipboard.writeText(text); return; } catch {}
    const area = element('textarea', { value: text, className: 'hidden-text' });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  };
  const copy = async (button, text) => {
    const before = document.activeElement;
    await toClipboard(text);
    before?.focus();
    const label = button.firstChild;
    label.dataset.text ??= label.textContent;
    label.textContent = 'Copied';
    setTimeout(() => { label.textContent = label.dataset.text; }, COPIED_MS);
  };
  const addCopyButton = (block, what, textOf) => {
    const button = element('button', { type: 'button', className: 'copy' },
      element('span', { textContent: 'Copy' }), element('span', { className: 'hidden-text', textContent: ' ' + what }));
    button.addEventListener('click', () => copy(button, textOf()));
    const frame = element('div', { className: 'copied' });
    block.replaceWith(frame);
    frame.append(block, button);
  };
  for (const block of all('.sample')) addCopyButton(block, block.getAttribute('aria-label'), () => one('code', block).textContent);

  // The token of the workbench, which it keeps in this tab.
  const TOKEN = 'workbench.token';
  const tokenInput = one('#token');
  tokenInput.value = stored('sessionStorage', TOKEN);
  tokenInput.addEventListener('input', () => store('sessionStorage', TOKEN, tokenInput.value.trim()));
  one('.token').hidden = false;

  // Where the value of a path such as jsonParam.Commission[0].FeeDate is in a JSON text: [start, end], or that of the
  // nearest part that exists. Undefined if the text is not JSON.
  const placeOf = (text, path) => {
    const keys = (path.match(/[^.[\]]+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    let best;
    let at = 0;
    const skip = () => { while (/\s/.test(text[at] ?? '')) at += 1; };
    const readText = () => {
      const start = at;
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      at += 1;
      return JSON.parse(text.slice(start, at));
    };
    const readValue = (depth, isOnPath) => {
      skip();
      const start = at;
      const open = text[at];
      if (open === '"') readText();
      else if (open === '{' || open === '[') readParts(open === '{', depth, isOnPath);
      else while (at < text.length && !/[\s,\]}]/.test(text[at])) at += 1;
      if (isOnPath && (best === undefined || depth > best.depth)) best = { depth, place: [start, at] };
    };
    const readParts = (isObject, depth, isOnPath) => {
      at += 1;
      for (let index = 0; ; index += 1) {
        skip();
        if (text[at] === '}' || text[at] === ']') { at += 1; return; }
        const key = isObject ? readText() : index;
        if (isObject) { skip(); at += 1; }
        readValue(depth + 1, isOnPath && keys[depth] === key);
        skip();
        if (text[at] === ',') at += 1;
      }
    };
    try { JSON.parse(text); } catch { return undefined; }
    readValue(0, true);
    return best.place;
  };

  // Calls from the page.
  const LONGEST_CALL_MS = 60000;
  const FOLDED_LINES = 40;
  // JSON on lines of its own, with its numbers as they are written: 100.00 stays 100.00. Other text is unchanged.
  const pretty = (text) => {
    try { JSON.parse(text); } catch { return text; }
    let lines = '';
    let depth = 0;
    let before = '';
    const breakLine = () => { lines += '\n' + '  '.repeat(depth); };
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
      const closes = token === '}' || token === ']';
      if (closes) depth -= 1;
      if (closes ? !'{['.includes(before) : before !== '' && ',{['.includes(before)) breakLine();
      lines += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth += 1;
      before = token;
    }
    return lines;
  };
  const sizeOf = (bytes) => bytes < 1024 ? bytes + ' B' : (bytes / 1024).toFixed(1) + ' KiB';
  const send = async (address, body) => {
    const token = stored('sessionStorage', TOKEN);
    const startedAt = performance.now();
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: 'Bearer ' + token }) },
      body,
      signal: AbortSignal.timeout(LONGEST_CALL_MS),
    });
    const bytes = await response.blob();
    const duration = Math.round(performance.now() - startedAt);
    const text = await bytes.text();
    const outcome = [response.status, response.statusText].join(' ').trim() + ' in ' + duration + ' ms, ' + sizeOf(bytes.size);
    let faults = [];
    try { faults = JSON.parse(text).errors ?? []; } catch {}
    const headers = [...response.headers].map(([name, value]) => name + ': ' + value).join('\n');
    return { good: response.ok, status: response.status, outcome, headers, faults, text: pretty(text) };
  };
  const shellText = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
  const curlOf = (address, body) => ["curl -s " + shellText(location.origin + address), "-H 'content-type: application/json'", '-d ' + shellText(body)].join(' \\\n  ');

  for (const box of all('.try')) {
    const { address, name } = box.dataset;
    const [text, example, outcome, faults, headers, reply] = ['textarea', 'select', '.outcome', '.faults', '.headers', '.reply'].map((selector) => one(selector, box));
    const button = (does) => one('[data-does="' + does + '"]', box);
    const unfold = button('unfold');
    const samples = all('.example', topicOf(box)).map((each) => pretty(each.dataset.request));
    const KEPT = 'docs.try.' + name;
    const keep = () => {
      const isEdited = text.value !== samples[example.selectedIndex];
      button('restore').disabled = !isEdited;
      store('sessionStorage', KEPT, isEdited || example.selectedIndex > 0 ? JSON.stringify({ example: example.selectedIndex, text: text.value }) : '');
    };
    const fill = () => {
      text.value = samples[example.selectedIndex];
      keep();
    };
    const showFault = ({ path, code, message }) => {
      const field = document.getElementById(name + '.request.' + path.replaceAll(/\[\d+\]/g, ''));
      const jump = element('button', { type: 'button', textContent: path });
      jump.addEventListener('click', () => {
        const [start, end] = placeOf(text.value, path) ?? [0, text.value.length];
        text.focus();
        text.setSelectionRange(start, end);
        const line = text.value.slice(0, start).split('\n').length;
        text.scrollTop = (line - 3) * parseFloat(getComputedStyle(text).lineHeight);
      });
      const item = element('li', {}, jump, ' ', message, ' ', element('a', { href: '#fault.' + code }, element('code', { textContent: code })));
      if (field) item.append(' · ', element('a', { href: '#' + field.id, textContent: 'field' }));
      return item;
    };
    const showText = (whole) => {
      const lines = whole.split('\n');
      const isLong = lines.length > FOLDED_LINES + 10;
      const pre = one('pre', reply);
      pre.textContent = isLong ? lines.slice(0, FOLDED_LINES).join('\n') : whole;
      unfold.hidden = !isLong;
      unfold.textContent = 'Show all ' + lines.length.toLocaleString('en') + ' lines';
      unfold.onclick = () => {
        pre.textContent = whole;
        unfold.hidden = true;
        pre.focus();
      };
      reply.dataset.text = whole;
      reply.hidden = whole === '';
    };
    const show = (result) => {
      outcome.textContent = result.outcome;
      outcome.className = 'outcome ' + (result.good ? 'good' : 'bad');
      if (result.status === 401) outcome.append('. Enter an access token at ', element('a', { href: '#authentication', textContent: 'Authentication' }), '.');
      faults.replaceChildren(...result.faults.map(showFault));
      faults.hidden = result.faults.length === 0;
      text.setAttribute('aria-invalid', String(result.faults.length > 0));
      one('pre', headers).textContent = result.headers;
      headers.hidden = result.headers === '';
      showText(result.text);
    };
    let busy = false;
    const call = async () => {
      if (busy) return;
      busy = true;
      button('send').setAttribute('aria-disabled', 'true');
      try {
        show(await send(address, text.value));
      } catch (error) {
        const late = error.name === 'TimeoutError';
        show({ good: false, outcome: late ? 'No answer within a minute.' : 'This instance cannot be reached.', headers: '', faults: [], text: '' });
      }
      busy = false;
      button('send').removeAttribute('aria-disabled');
    };
    button('send').addEventListener('click', call);
    button('restore').addEventListener('click', () => { fill(); text.focus(); });
    button('copy').addEventListener('click', () => copy(button('copy'), curlOf(address, text.value)));
    text.addEventListener('input', keep);
    text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) call();
    });
    example.addEventListener('change', fill);
    addCopyButton(one('pre', reply), 'the answer of ' + name, () => reply.dataset.text);
    const kept = stored('sessionStorage', KEPT);
    fill();
    try {
      const { example: index, text: edited } = JSON.parse(kept);
      example.selectedIndex = index;
      text.value = edited;
      keep();
    } catch {}
    box.hidden = false;
  }
  one('.search').hidden = false;
})();
`,
};
