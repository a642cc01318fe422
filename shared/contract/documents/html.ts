/** Creates HTML, escaped by default, so that no text of a definition can become markup. */

/** Escaped markup. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag: escapes strings, keeps markup, joins lists. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = fixed.map(
    (text, index) => text + (index < parts.length ? toMarkup(parts[index] ?? '') : ''),
  );
  return { markup: markup.join('') };
}

/**
 * A table with a heading for each column; cells are strings, which are escaped, or markup. Each cell repeats the name of its
 * column, for narrow screens, where the cells of a row are below each other.
 */
export function table(headings: readonly string[], rows: readonly (readonly Part[])[]): Html {
  const head = headings.map((heading) => html`<th scope="col">${heading}</th>`);
  const cell = (content: Part, column: number): Html =>
    html`<td data-label="${headings[column] ?? ''}">${content}</td>`;
  const body = rows.map((cells) => html`<tr>${cells.map(cell)}</tr>`);
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Text in backticks as code, the rest escaped. */
export function withCode(text: string): Html[] {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

function toMarkup(part: Part): string {
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** The style of pages, for light and dark mode, narrow screens and paper. */
export const DOCS_STYLE = {
  markup: `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1.5rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { border-top: 1px solid var(--line); margin-top: 3rem; overflow-wrap: anywhere; padding-top: 1.5rem; }
a { color: var(--link); }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border-radius: 6px; max-height: 32rem; overflow: auto; padding: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; }
td:first-child code { white-space: nowrap; }
summary { cursor: pointer; }
p code, td code { overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  body { padding: 1rem; }
  h1 { font-size: 1.6rem; }
  h2 { font-size: 1.25rem; }
  pre { font-size: 0.8em; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
  td { border: 0; padding: 0.1rem 0; }
  td:first-child { font-weight: 600; }
  td:first-child code { white-space: normal; }
  td:empty { display: none; }
  td:not(:first-child)::before { content: attr(data-label) ": "; opacity: 0.7; }
}
@media print { pre { max-height: none; white-space: pre-wrap; } a { color: inherit; } }
`,
};
