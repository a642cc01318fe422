/** The rules of docs/rulings.md as parts of the documentation page, and the links of texts to them. */

import { html, type Html } from '../html.ts';

/** One rule; its text has code in backticks, emphasis between asterisks, and links. */
export interface Rule {
  /** Such as `M2`. */
  readonly id: string;
  readonly text: string;
}

export interface RuleGroup {
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** All rules, and the paragraph that states what their examples rely on. */
export interface RuleBook {
  readonly introduction: string;
  readonly groups: readonly RuleGroup[];
}

/** The id of a rule on the page. */
export const ruleTarget = (id: string): string => `rule-${id}`;

const ROW = /^\| <a id="([a-z]\d)"><\/a>([A-Z]\d) \| (.+) \| \S+ \|$/;

/**
 * Reads docs/rulings.md: its first paragraph, and a group for each heading. Throws on a row that is not `| id | rule |
 * version |` with the anchor of its id, and on a repeated id.
 */
export function readRules(markdown: string): RuleBook {
  const [head = '', ...sections] = markdown.split(/^## /m);
  const groups = sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const rows = lines.filter((line) => line.startsWith('| <'));
    return { title, rules: rows.map(readRow) };
  });
  const ids = groups.flatMap(({ rules }) => rules.map(({ id }) => id));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new Error(`the rule ${repeated} is there twice`);
  const [introduction = ''] = head.replace(/^# .*\n+/, '').split('\n\n');
  return { introduction, groups };
}

function readRow(line: string): Rule {
  const [, anchor = '', id = '', text = ''] = ROW.exec(line) ?? [];
  if (id === '' || anchor !== id.toLowerCase()) throw new Error(`not a rule: ${line.slice(0, 80)}`);
  return { id, text };
}

const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*([^*\s](?:[^*]*[^*\s])?)\*|\b([A-Z]\d)\b/g;

/**
 * Text with markup: code in backticks, emphasis, and links to places of the page (`#...`) or of this instance (`/...`);
 * of links to files only the text is kept. The id of a rule becomes a link to it.
 */
export function inlineMarkup(text: string): Html[] {
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, linked, address, emphasis, rule] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    end = match.index + whole.length;
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (rule !== undefined) parts.push(ruleLink(rule));
    else if (emphasis !== undefined) parts.push(html`<em>${emphasis}</em>`);
    else if (/^[#/]/.test(address ?? ''))
      parts.push(html`<a href="${address ?? ''}">${inlineMarkup(linked ?? '')}</a>`);
    else parts.push(html`${inlineMarkup(linked ?? '')}`);
  }
  return [...parts, html`${text.slice(end)}`];
}

function ruleLink(id: string): Html {
  return html`<a class="rule-link" href="#${ruleTarget(id)}">${id}</a>`;
}

/** The links to rules, such as `['S1', 'S4']`; nothing if there are none. */
export function ruleLinks(ids: readonly string[]): Html {
  if (ids.length === 0) return html``;
  const links = ids.map((id, index) => html`${index === 0 ? '' : ', '}${ruleLink(id)}`);
  return html`<span class="rules">${ids.length === 1 ? 'Rule' : 'Rules'} ${links}</span>`;
}
