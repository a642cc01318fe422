/** The script of /docs: a search, and requests that readers can edit and send. /docs is complete without the script. */
import { jsonOf } from '../../../../shared/platform/json-pointer.ts';
import type { Fault } from '../../../../shared/platform/problem.ts';
import { store, stored } from './browser-storage.ts';

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly place: string;
  /** The search compares `name`, `last` (its last part, or the id of a topic) and `text`, all in lower case. */
  readonly name: string;
  readonly last: string;
  readonly text: string;
}

const MOST_RESULTS = 40;
const LONGEST_CALL_MS = 60_000;
const BONUS: Readonly<Record<string, number>> = { Topic: 3, Problem: 2, Rule: 2, Field: 1 };
/** The kinds of table rows by the first part of their ids, such as `error.`; rows with other ids are rules. */
const ROW_KINDS: Readonly<Record<string, string>> = {
  error: 'Problem',
  fault: 'Fault',
  warning: 'Warning',
  header: 'Header',
};

const all = <Kind extends HTMLElement>(selector: string, root: ParentNode = document): Kind[] =>
  Array.from(root.querySelectorAll<Kind>(selector));
function one(selector: string, root: ParentNode = document): HTMLElement {
  const [found] = all(selector, root);
  if (found === undefined) throw new Error(`the page of /docs has no element ${selector}`);
  return found;
}
function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const plain = (text: string): string => text.toLowerCase().replaceAll('installment', 'instalment');

function entryOf(id: string, kind: string, title: string, target: Element): Entry {
  const topic = target.closest('.topic')?.querySelector('h2')?.textContent ?? '';
  const last = title.split('.').at(-1) ?? title;
  const place = [topic, title.slice(0, -last.length - 1)].filter(Boolean).join(' · ');
  const shown = kind === 'Field' ? last : title;
  const text = plain(`${target.textContent} ${topic}`);
  return { id, kind, title: shown, place, name: plain(title), last: plain(shown), text };
}

/** What the search finds: all topics, fields and parameters, and the table rows with an id. */
function findEntries(): readonly Entry[] {
  const topics = all('.topic').map((topic): Entry => {
    const title = one('h2', topic).textContent;
    const text = plain(
      all('h2, .address', topic)
        .map(({ textContent }) => textContent)
        .join(' '),
    );
    return { id: topic.id, kind: 'Topic', title, place: '', name: plain(title), last: plain(topic.id), text };
  });
  const fields = all('[data-kind]').map((field) =>
    entryOf(field.id, field.dataset['kind'] ?? '', one('code', field).textContent, field),
  );
  const rows = all('td a[id]').map((anchor) => {
    const row = anchor.closest('tr') ?? anchor;
    const kind = ROW_KINDS[anchor.id.split('.')[0] ?? ''] ?? 'Rule';
    return entryOf(anchor.id, kind, one('td', row).textContent, row);
  });
  return [...topics, ...fields, ...rows];
}

function wordScore(word: string, { name, last, text }: Entry): number {
  if (name === word || last === word) return 100;
  if (last.startsWith(word)) return 70;
  if (name.split(/[\s.[\]_-]+/).includes(word)) return 60;
  if (name.includes(word)) return 30;
  return text.includes(word) ? 5 : 0;
}

/** Zero unless the entry has all words. A word in its name scores more than a word in its text. */
function scoreOf(words: readonly string[], entry: Entry): number {
  const scores = words.map((word) => wordScore(word, entry));
  if (scores.includes(0)) return 0;
  const isWhole = words.length > 1 && entry.last === words.join('');
  return scores.reduce((sum, score) => sum + score, (isWhole ? 100 : 0) + (BONUS[entry.kind] ?? 0));
}

function startSearch(): void {
  const entries = findEntries();
  const input = one('#search') as HTMLInputElement;
  const results = one('#search-results');
  const menu = one('.topics');
  const search = (): void => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    const hits = (words.length === 0 ? [] : entries)
      .map((entry) => ({ entry, score: scoreOf(words, entry) }))
      .filter(({ score }) => score > 0)
      .toSorted((first, second) => second.score - first.score);
    const links = hits.slice(0, MOST_RESULTS).map(({ entry: { id, kind, title, place } }) => {
      const parts = Object.entries({ kind, name: title, inner: place });
      const spans = parts.map(([className, textContent]) => element('span', { className, textContent }));
      return element('li', {}, element('a', { href: `#${id}` }, ...spans));
    });
    one('ul', results).replaceChildren(...links);
    results.hidden = hits.length === 0;
    menu.hidden = words.length > 0;
    const count = hits.length === 1 ? '1 result' : `${hits.length} results`;
    const found = hits.length === 0 ? 'Nothing has this text.' : count;
    one('#found').textContent = words.length === 0 ? '' : found;
  };
  input.addEventListener('input', search);
  one('.search').addEventListener('keydown', (event) => {
    const links = all<HTMLAnchorElement>('a', results);
    const at = links.findIndex((link) => link === document.activeElement);
    const target = { ArrowDown: links[at + 1] ?? links.at(-1), ArrowUp: links[at - 1] ?? input }[event.key];
    if (target !== undefined) event.preventDefault();
    target?.focus();
    if (event.key === 'Enter' && event.target === input) links[0]?.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && input.value !== '') {
      input.value = '';
      search();
    }
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    input.focus();
  });
  one('.search').hidden = false;
}

/** Opens the groups around the element that the address names, marks the element and scrolls to it. */
function reveal(): void {
  const id = location.hash.slice(1);
  const target = document.getElementById(id);
  for (const marked of all('.target')) marked.classList.remove('target');
  if (target === null) return;
  for (const group of all<HTMLDetailsElement>('details')) if (group.contains(target)) group.open = true;
  const shown = target.closest('tr') ?? target;
  if (!shown.matches('.topic, main')) shown.classList.add('target');
  shown.scrollIntoView();
}

/** Indents JSON and leaves numbers as the engine wrote them: 100.00 stays 100.00. Other text is unchanged. */
function pretty(text: string): string {
  try {
    const value = JSON.parse(text, (_, part: unknown, context) =>
      typeof part === 'number' ? JSON.rawJSON(context?.source ?? String(part)) : part,
    );
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

function faultsIn(text: string): readonly Fault[] {
  const problem = jsonOf(text) as { readonly errors?: readonly Fault[] } | null | undefined;
  return problem?.errors ?? [];
}

async function send(address: string, body: string) {
  const token = stored('workbench.token');
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body,
    signal: AbortSignal.timeout(LONGEST_CALL_MS),
  });
  return { response, text: await response.text() };
}

function startTry(box: HTMLElement): void {
  const { address = '', name = '' } = box.dataset;
  const text = one('textarea', box) as HTMLTextAreaElement;
  const example = one('select', box) as HTMLSelectElement;
  const outcome = one('.outcome', box);
  const faults = one('.faults', box);
  const reply = one('.reply', box);
  const fill = (): void => void (text.value = example.value);
  const showFault = ({ path, code, message }: Fault): HTMLElement => {
    const field = document.getElementById(`${name}.request.${path.replaceAll(/\[\d+\]/g, '')}`);
    const shown = element('code', { textContent: path });
    const place = field === null ? shown : element('a', { href: `#${field.id}` }, shown);
    const link = element('a', { href: `#fault.${code}` }, element('code', { textContent: code }));
    return element('li', {}, place, ' ', message, ' ', link);
  };
  const show = (result: { outcome: string; isGood: boolean; text: string }): void => {
    outcome.textContent = result.outcome;
    outcome.className = `outcome ${result.isGood ? 'good' : 'bad'}`;
    const found = faultsIn(result.text);
    faults.replaceChildren(...found.map(showFault));
    faults.hidden = found.length === 0;
    text.setAttribute('aria-invalid', String(found.length > 0));
    one('pre', reply).textContent = pretty(result.text);
    reply.hidden = result.text === '';
  };
  const call = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      const { response, text: answer } = await send(address, text.value);
      const { status, statusText, ok } = response;
      const ms = Math.round(performance.now() - startedAt);
      show({ outcome: `${status} ${statusText} in ${ms} ms`, isGood: ok, text: answer });
      const link = element('a', { href: '#authentication', textContent: 'Authentication' });
      if (status === 401) outcome.append('. Enter an access token at ', link, '.');
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      const why = isLate ? 'No answer within a minute.' : 'This instance cannot be reached.';
      show({ outcome: why, isGood: false, text: '' });
    }
  };
  const copy = async (): Promise<void> => {
    const body = text.value.replaceAll("'", String.raw`'\''`);
    const command = `curl -s '${location.origin}${address}' -H 'content-type: application/json' -d '${body}'`;
    await navigator.clipboard.writeText(command);
    outcome.textContent = 'Copied';
  };
  one('[data-does=send]', box).addEventListener('click', () => void call());
  one('[data-does=copy]', box).addEventListener('click', () => void copy());
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void call();
  });
  example.addEventListener('change', fill);
  fill();
  box.hidden = false;
}

function start(): void {
  const theme = stored('workbench.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  // On a narrow screen the list of topics is above the content, so it stays closed until the reader opens it.
  const narrow = matchMedia('(max-width: 60rem)');
  const menu = one('.topics') as HTMLDetailsElement;
  menu.open = !narrow.matches;
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement && narrow.matches) menu.open = false;
  });
  const token = one('#token') as HTMLInputElement;
  token.value = stored('workbench.token');
  token.addEventListener('input', () => store('workbench.token', token.value.trim()));
  one('.token').hidden = false;
  startSearch();
  for (const box of all('.try')) startTry(box);
  addEventListener('hashchange', reveal);
  if (location.hash !== '') reveal();
}

start();
