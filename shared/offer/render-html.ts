/** Renders the document of an offer as one accessible HTML page without scripts and without other files (T1, T3). */

import { createHash } from 'node:crypto';
import type { DocumentSection, DocumentTable, OfferDocument } from '../api/actions/offer-document-fields.ts';
import { html, type Html } from '../api/documents/html.ts';
import { logoText, startsPage } from './wording.ts';

const STYLE = `
body{font:1rem/1.45 "DejaVu Sans",Verdana,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;color:#111;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}img{max-height:4rem;max-width:16rem}
dt{font-weight:bold;margin-top:.75rem}dd{margin:0 0 0 1rem}dd.text{white-space:pre-line;font-weight:bold}
div.warning{font-size:1.2rem;font-weight:bold}dd.missing{background:#fff3c4}
table{border-collapse:collapse;width:100%}caption{text-align:left}
th,td{border:1px solid #767676;padding:.25rem .5rem;text-align:right}th:first-child{text-align:left}
tr.hypothetical{font-style:italic}tr.subtotal,tr.total{font-weight:bold;background:#eee}
@media print{section.page{break-before:page}thead{display:table-header-group}tr{break-inside:avoid}}
`;

/** The Content-Security-Policy of the page: its own style, and the logo, which it contains. */
export const HTML_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderHtml(document: OfferDocument): string {
  const { Language, Title, Logo, Source, Sections } = document;
  const page = html`<!doctype html>
<html lang="${Language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${Title}</title>
<style>${{ markup: STYLE }}</style></head>
<body><header>${Logo === null ? '' : html`<img src="${Logo}" alt="${logoText(document)}">`}
<h1>${Title}</h1></header>
<main>${Sections.map((section) => sectionHtml(section, startsPage(document, section.Id)))}</main>
<footer><p><small>${Source}</small></p></footer></body>
</html>
`;
  return page.markup;
}

function sectionHtml({ Id, Heading, Points, Table }: DocumentSection, isOnNewPage: boolean): Html {
  const points = Points.map(
    ({ Id: id, Label, Note, Text, IsMissing, IsWarning }) =>
      html`<div${IsWarning ? html` class="warning"` : ''}><dt id="${id}">${Label}</dt>${Note === null ? '' : html`<dd>${Note}</dd>`}${
        Text === null ? '' : html`<dd class="${IsMissing ? 'text missing' : 'text'}">${Text}</dd>`
      }</div>
`,
  );
  return html`<section aria-labelledby="${Id}-heading"${isOnNewPage ? html` class="page"` : ''}>
<h2 id="${Id}-heading">${Heading}</h2>
${Points.length === 0 ? '' : html`<dl>${points}</dl>`}${Table === null ? '' : tableHtml(Table)}</section>
`;
}

function tableHtml({ Caption, Columns, Lines }: DocumentTable): Html {
  const heads = Columns.map((column) => html`<th scope="col">${column}</th>`);
  const lines = Lines.map(({ Kind, IsHypothetical, Cells: [first = '', ...others] }) => {
    const cells = others.map((cell) => html`<td>${cell}</td>`);
    return html`<tr class="${IsHypothetical ? `${Kind} hypothetical` : Kind}"><th scope="row">${first}</th>${cells}</tr>
`;
  });
  return html`<table><caption>${Caption}</caption><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table>
`;
}
