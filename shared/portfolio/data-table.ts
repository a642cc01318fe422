/** Tables and lists of figures, in the classes of the workbench. */

import { html, type Html } from '../api/documents/html.ts';

export interface Column {
  readonly text: string;
  readonly isNumber?: boolean;
}

export interface TableHead {
  readonly caption: string;
  /** Whether the caption repeats a heading before the table, and is only read aloud. */
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column[];
}

/** A table that scrolls by itself when it is wider than the page, also by keyboard. The first cell of a row names it. */
export function dataTable(
  { caption, isCaptionHidden = false, columns }: TableHead,
  rows: readonly (readonly string[])[],
): Html {
  const head = columns.map(({ text, isNumber }) => html`<th scope="col"${classOf(isNumber)}>${text}</th>`);
  const cell = (text: string, index: number): Html =>
    index === 0
      ? html`<th scope="row"${classOf(columns[0]?.isNumber)}>${text}</th>`
      : html`<td${classOf(columns[index]?.isNumber)}>${text}</td>`;
  return html`<div class="table-wrap" role="region" aria-label="${caption}" tabindex="0"><table class="table">
<caption${isCaptionHidden ? html` class="visually-hidden"` : html``}>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>`;
}

function classOf(isNumber = false): Html {
  return isNumber ? html` class="number"` : html``;
}

/** Figures with their names. */
export function figureList(figures: readonly (readonly [string, string])[]): Html {
  const items = figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return html`<dl class="figure-list">${items}</dl>`;
}
