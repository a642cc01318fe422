/** Renders Markdown of this project as HTML: the guide, the rules, and the descriptions of the OpenAPI document. */

import { Marked } from 'marked';
import { table, type Html } from '../html.ts';

const RULE_OR_CODE = /(`[^`]*`|\]\([^)]*\)|<a [^>]*><\/a>\w+)|\b([A-Z]\d)\b/g;
const KNOWN_PLACE = /^[#/]/;

const reader = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      const text = this.parser.parseInline(tokens);
      return `<h${depth} id="${slug(text)}"><a class="anchor" href="#${slug(text)}">${text}</a></h${depth}>\n`;
    },
    /** Only links to this server remain links. Others name files of the project, which readers of /docs lack. */
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return KNOWN_PLACE.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    table({ header, rows }) {
      const cells = rows.map((row) => row.map(({ tokens }) => ({ markup: this.parser.parseInline(tokens) })));
      return table(
        header.map(({ text }) => text),
        cells,
      ).markup;
    },
  },
});

/** Renders Markdown that is trusted: HTML in it is kept. */
export function renderMarkdown(text: string): Html {
  return { markup: reader.parse(linkRules(text), { async: false }) };
}

/** Renders inline Markdown, without a paragraph around it. `&` and `<` in the text are escaped. */
export function renderText(text: string): Html {
  const safe = text.replaceAll(/(`[^`]*`)|[&<]+/g, (part, code?: string) => code ?? escaped(part));
  return { markup: reader.parseInline(linkRules(safe), { async: false }) };
}

/** The id of a heading: `Calling over Kafka` becomes `calling-over-kafka`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Turns the id of a rule, such as M1, into a link, except in code, in link targets and at the rule itself. */
function linkRules(text: string): string {
  return text.replaceAll(
    RULE_OR_CODE,
    (_, kept?: string, rule = '') => kept ?? `[${rule}](#${rule.toLowerCase()})`,
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
