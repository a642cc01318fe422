/** Creates HTML. Strings are escaped, so that no text of a definition can become markup. */

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

/** Template tag: escapes strings, inserts {@link Html} unchanged, and joins lists of it. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = fixed.map(
    (text, index) => text + (index < parts.length ? toMarkup(parts[index] ?? '') : ''),
  );
  return { markup: markup.join('') };
}

/** A table whose strings are escaped. Each cell has the heading of its column as `data-label`, for narrow screens. */
export function table(headings: readonly string[], rows: readonly (readonly Part[])[]): Html {
  const head = headings.map((heading) => html`<th scope="col">${heading}</th>`);
  const cell = (content: Part, column: number): Html =>
    html`<td data-label="${headings[column] ?? ''}">${content}</td>`;
  const body = rows.map((cells) => html`<tr>${cells.map(cell)}</tr>`);
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function toMarkup(part: Part): string {
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}
