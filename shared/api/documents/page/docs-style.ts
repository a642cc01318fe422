/** The style sheet of /docs. It uses the CSS variables of the workbench (tokens.css), which precede it in the page. */
export const DOCS_STYLE = {
  markup: `
*, *::before, *::after { box-sizing: border-box; }
html { scrollbar-gutter: stable; }
body { background: var(--page); color: var(--text); font: var(--size-normal)/1.55 var(--font); margin: 0 auto; max-width: 76rem; overflow-wrap: break-word; padding: 1.5rem; -webkit-text-size-adjust: 100%; }
h1, h2, h3, h4 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: var(--size-title); font-weight: 650; letter-spacing: -0.01em; margin: 0 0 0.5rem; }
h2 { font-size: 1.25rem; font-weight: 650; margin: 0 0 0.75rem; }
h3 { font-size: var(--size-large); font-weight: 650; margin: 1.75rem 0 0.5rem; }
h4 { font-size: var(--size-normal); font-weight: 650; margin: 1.25rem 0 0.5rem; }
p { margin: 0 0 0.75rem; max-width: 72ch; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--accent-hover); }
code, pre { font-family: var(--font-code); font-size: 0.875em; }
pre code { font-size: inherit; }
pre { background: var(--surface-sunken); border: 1px solid var(--line); border-radius: var(--radius); line-height: 1.5; margin: 0 0 1rem; overflow-wrap: anywhere; padding: 0.75rem 1rem; white-space: pre-wrap; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.soft { color: var(--text-soft); }
table { border-collapse: collapse; margin-bottom: 1rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; }
th { color: var(--text-soft); font-size: var(--size-small); font-weight: 600; }
td code, p code { overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  body { padding: 1rem; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
  td { border: 0; padding: 0.1rem 0; }
  td:first-child { font-weight: 600; }
  td:empty { display: none; }
  td:not(:first-child)::before { color: var(--text-soft); content: attr(data-label) ": "; }
}
@media print {
  @page { margin: 14mm; }
  :root, :root[data-theme] { color-scheme: light; }
  body { background: #fff; font-size: 10pt; padding: 0; }
  a { color: inherit; }
  p { max-width: none; }
}
/* Navigation, topics, groups and calls. */
[hidden] { display: none !important; }
.hidden-text { block-size: 1px; clip-path: inset(50%); inline-size: 1px; overflow: hidden; position: absolute; white-space: nowrap; }
tr { scroll-margin-top: 1rem; }
summary { cursor: pointer; }
.skip-link { background: var(--accent); color: var(--on-accent); left: 0.5rem; padding: 0.5rem 1rem; position: absolute; top: -4rem; z-index: 10; }
.skip-link:focus { color: var(--on-accent); top: 0.5rem; }
.reference { display: grid; grid-template-columns: 19.5rem minmax(0, 1fr); margin: 0; max-width: none; padding: 0; }
.side { background: var(--surface); block-size: 100vh; border-inline-end: 1px solid var(--line); overflow-y: auto; padding: 1.5rem 1rem; position: sticky; top: 0; }
.side .brand { align-items: center; color: var(--text); display: flex; font-weight: 650; gap: 0.5rem; margin-bottom: 0.25rem; padding-inline: 0.5rem; text-decoration: none; }
.side .brand svg { color: var(--accent); flex: none; }
.side > p { padding-inline: 0.5rem; }
.topics > summary { display: none; }
.side h2 { color: var(--text-soft); font-size: var(--size-small); margin: 0.75rem 0 0.25rem; padding-inline: 0.5rem; }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a { border-radius: var(--radius); color: var(--text); display: block; font-size: 0.875rem; line-height: 1.35; overflow-wrap: anywhere; padding: 0.25rem 0.5rem; text-decoration: none; }
.search { padding-inline: 0.5rem; }
.search label { color: var(--text-soft); display: block; font-size: var(--size-small); font-weight: 600; margin-block-end: 0.35rem; }
.search p { color: var(--text-soft); font-size: var(--size-small); margin: 0.25rem 0 0; min-block-size: 1.5em; }
input[type='search'], input[type='password'], textarea, select { background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius); color: var(--text); font: inherit; inline-size: 100%; min-block-size: 2.375rem; padding: 0.4rem 0.6rem; }
textarea { block-size: 16rem; display: block; font: 0.875em/1.5 var(--font-code); resize: vertical; }
.content { inline-size: 100%; margin-inline: auto; max-inline-size: 88rem; min-inline-size: 0; padding: 1.5rem 2rem 4rem; }
.group-title { color: var(--text-soft); font-size: var(--size-small); font-weight: 650; letter-spacing: 0.04em; margin: 2.5rem 0 0.5rem; text-transform: uppercase; }
.topic { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-large); margin-bottom: 1.5rem; padding: 1.5rem; scroll-margin-top: 1rem; }
.topic h3 { scroll-margin-top: 1rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { color: var(--accent); text-decoration: underline; }
.address { background: var(--surface-sunken); border-radius: var(--radius); max-width: none; padding: 0.5rem 0.75rem; }
.method { color: var(--accent); font: 650 var(--size-small) var(--font-code); }
.columns { display: grid; gap: 0 2rem; grid-template-columns: minmax(0, 1fr); }
.columns > div { min-inline-size: 0; }
.practice { margin-block: 0.5rem 1rem; }
@media (min-width: 76rem) {
  .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); }
  .practice { align-self: start; max-block-size: calc(100vh - 2rem); order: 2; overflow: auto; position: sticky; top: 1rem; }
}
.group { border: 1px solid var(--line); border-radius: var(--radius); margin-bottom: 0.5rem; scroll-margin-top: 1rem; }
.group > summary { font-weight: 600; padding: 0.5rem 0.75rem; }
.group > summary span { color: var(--text-soft); font-weight: 400; }
.group > :not(summary) { margin-inline: 0.75rem; }
.fields { margin: 0; }
.fields > div { border-block-end: 1px solid var(--line); padding-block: 0.6rem; scroll-margin-top: 1rem; }
.fields dt code { font-weight: 650; }
.fields .outer { color: var(--text-soft); font-weight: 400; }
.fields .type { color: var(--text-soft); font-size: var(--size-small); margin-inline-start: 0.35rem; }
.fields dd { margin: 0.15rem 0 0; max-width: 72ch; }
.mark { border: 1px solid var(--line); border-radius: 99px; color: var(--text-soft); font-size: 0.75rem; margin-inline-start: 0.35rem; padding: 0.05rem 0.45rem; white-space: nowrap; }
.mark.required { background: var(--accent-soft); border-color: transparent; color: var(--accent); font-weight: 600; }
.target { background: var(--accent-soft); border-radius: var(--radius); box-shadow: 0 0 0 0.4rem var(--accent-soft); }
tr.target { box-shadow: none; }
.try { background: var(--surface-sunken); border: 1px solid var(--line); border-radius: var(--radius); margin-block-end: 1rem; padding: 1rem; }
.try h3 { margin-top: 0; }
.topic > :last-child { margin-bottom: 0; }
.try label, .token label { display: block; font-weight: 600; margin-block-end: 0.35rem; }
.try textarea { margin-bottom: 0.35rem; }
.try textarea[aria-invalid='true'] { border-color: var(--bad); }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.try .outcome { font-weight: 600; margin: 0.75rem 0 0.5rem; }
.try .outcome:empty { display: none; }
.try .outcome.good { color: var(--good); }
.try .outcome.bad { color: var(--bad); }
.faults { margin: 0 0 0.75rem; padding-inline-start: 1rem; }
.try pre { background: var(--surface); margin: 0 0 0.5rem; max-block-size: 28rem; overflow: auto; }
.token { max-inline-size: 32rem; }
#search-results a { border-radius: var(--radius); color: var(--text); display: grid; font-size: 0.875rem; gap: 0 0.5rem; grid-template-columns: 1fr auto; line-height: 1.35; padding: 0.4rem 0.5rem; text-decoration: none; }
#search-results a:hover, #search-results a:focus-visible { background: var(--accent-soft); }
#search-results .name { font-weight: 600; grid-area: 1 / 1; overflow-wrap: anywhere; }
#search-results .kind { color: var(--text-soft); font-size: 0.75rem; grid-area: 1 / 2; }
#search-results .inner { color: var(--text-soft); font-size: var(--size-small); grid-area: 2 / 1 / auto / span 2; overflow-wrap: anywhere; }
button { background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius); color: var(--text); cursor: pointer; font: inherit; font-weight: 550; min-block-size: 2.375rem; padding: 0.4rem 0.9rem; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); }
@media (max-width: 60rem) {
  .reference { display: block; }
  .side { block-size: auto; border-block-end: 1px solid var(--line); border-inline-end: 0; max-block-size: none; padding: 1rem; position: static; }
  html { scrollbar-gutter: auto; }
  .topics > summary { display: list-item; font-weight: 600; padding: 0.5rem; }
  .side li a { font-size: var(--size-normal); padding-block: 0.4rem; }
  .content { padding: 1rem 0.75rem 3rem; }
  .topic { padding: 1rem; }
}
@media print {
  .reference { display: block; }
  .side, .skip-link, .try, .token { display: none !important; }
  .practice { max-block-size: none; overflow: visible; position: static; }
  .columns { display: block; }
  .fields > div, tr { break-inside: avoid; }
  .target { background: none; box-shadow: none; }
  .content { max-inline-size: none; padding: 0; }
  .topic { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: 1rem 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`,
};
