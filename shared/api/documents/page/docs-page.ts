/** The page /docs: the guide, all operations of the interface, and the rules. It can be read without its script. */

import { NOTIFICATION_LIMITS } from '../../notification/notification-limits.ts';
import { html, table, type Html } from '../html.ts';
import {
  COMMAND_MESSAGE_HEADERS,
  ERROR_MESSAGE_HEADERS,
  replyMessageHeaders,
  REQUEST_MESSAGE_HEADERS,
  RESPONSE_HEADERS,
} from '../documented-headers.ts';
import { ACTIONS } from '../../actions/actions.ts';
import { API_PARTS } from '../openapi.ts';
import type { ApiPart, Operation } from '../api-operation.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { renderMarkdown, renderText, slug } from './markdown.ts';
import { operationContent } from './operation-topic.ts';

interface DocsPageOptions {
  readonly version: string;
  readonly topicPrefix: string;
  readonly limits: {
    readonly bodyBytes: number;
    readonly emailBodyBytes: number;
    readonly requestsPerSecond: number;
    readonly replyTimeoutMs: number;
  };
  /** The Markdown of guide.md. */
  readonly guide: string;
  /** The Markdown of docs/rulings.md. */
  readonly rulings: string;
  /** The text of tokens.css, which has the CSS variables of the workbench. */
  readonly tokens: string;
  readonly script: string;
}

interface Topic {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

interface TopicGroup {
  readonly title: string;
  readonly topics: readonly Topic[];
}

export function docsPage(options: DocsPageOptions): string {
  const { version, tokens, script } = options;
  const groups = listTopics(options);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Banking product engine ${version}</title>
<style>${{ markup: tokens }}${DOCS_STYLE}</style>
</head>
<body class="reference">
<a class="skip-link" href="#content">Skip to content</a>
${sideBar(options, groups)}
<main class="content" id="content" tabindex="-1">
<header><h1>API reference</h1>
<p>Banking product engine, version ${version}. For tools: <a href="/openapi.json">OpenAPI</a> and <a href="/asyncapi.json">AsyncAPI</a>. To work with schedules, products and messages in the browser, open the <a href="/workbench">workbench</a>.</p>
</header>
${groups.map(
  ({ title, topics }) =>
    html`<p class="group-title">${title}</p>
${topics.map(sectionOf)}`,
)}
</main>
<script>${{ markup: script }}</script>
</body>
</html>
`;
  return page.markup;
}

function sectionOf({ id, title, content }: Topic): Html {
  return html`<section class="topic" id="${id}" aria-labelledby="title-${id}"><h2 id="title-${id}"><a class="anchor" href="#${id}">${title}</a></h2>
${content}
</section>
`;
}

function listTopics(options: DocsPageOptions): readonly TopicGroup[] {
  const guide = topicsOf(withValues(options));
  return [
    { title: 'Guide', topics: guide.map(withMore) },
    ...API_PARTS.map((part) => ({ title: part.tag.name, topics: operationTopics(part, options) })),
    { title: 'Rules', topics: topicsOf(options.rulings) },
  ];
}

function topicsOf(markdown: string): readonly Topic[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      const title = section.slice(0, end);
      return { id: slug(title), title, content: renderMarkdown(section.slice(end)) };
    });
}

function withMore({ id, title, content }: Topic): Topic {
  if (id === 'authentication') {
    const input = html`<div class="token" hidden><label for="token">Access token for trying calls on this page</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note">
<p class="soft" id="token-note">It stays in this tab, and the workbench uses it too. Clear the field to remove it.</p></div>`;
    return { id, title, content: html`${content}${input}` };
  }
  const added = (HEADERS[id] ?? []).map(
    ([heading, headers]) =>
      html`<h3>${heading}</h3>${table(
        ['Header', 'Meaning'],
        headers.map(({ name, description }) => [
          html`<a id="header.${slug(heading)}.${name}"></a><code>${name}</code>`,
          renderText(description),
        ]),
      )}`,
  );
  return { id, title, content: html`${content}${added}` };
}

type Headers = readonly { readonly name: string; readonly description: string }[];

const ANSWER_HEADERS = [...new Set(ACTIONS.flatMap(({ answerHeaders = [] }) => answerHeaders))];
const HEADERS: Readonly<Record<string, readonly (readonly [heading: string, headers: Headers])[]>> = {
  'requests-and-answers': [
    ['Headers of answers', Object.entries(RESPONSE_HEADERS).map(([name, header]) => ({ name, ...header }))],
  ],
  'calling-over-kafka': [
    ['Headers of a request', REQUEST_MESSAGE_HEADERS],
    ['Headers of a reply', replyMessageHeaders(ANSWER_HEADERS)],
    ['Headers of an error reply', ERROR_MESSAGE_HEADERS],
  ],
  'notifications-over-kafka': [['Headers of a command', COMMAND_MESSAGE_HEADERS]],
};

function withValues({ guide, topicPrefix, limits }: DocsPageOptions): string {
  const { attachments, attachmentBytes, recipients, smsCharacters } = NOTIFICATION_LIMITS;
  const values: Readonly<Record<string, string>> = {
    prefix: topicPrefix,
    body: bytes(limits.bodyBytes),
    emailBody: bytes(limits.emailBodyBytes),
    attachments: number(attachments),
    attachmentBytes: bytes(attachmentBytes),
    recipients: number(recipients),
    smsCharacters: number(smsCharacters),
    rate: number(limits.requestsPerSecond),
    wait: number(limits.replyTimeoutMs / 1_000),
  };
  return guide.replaceAll(/%(\w+)%/g, (all, name: string) => values[name] ?? all);
}

const number = (value: number): string => new Intl.NumberFormat('en').format(value);

function bytes(value: number): string {
  const kib = value / 1_024;
  return kib < 1_024 ? `${number(kib)} KiB` : `${number(kib / 1_024)} MiB`;
}

function operationTopics(part: ApiPart, { topicPrefix }: DocsPageOptions): readonly Topic[] {
  return Object.entries(part.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]: [string, Operation]) => {
      const place = { method: method.toUpperCase(), path, topicPrefix };
      const { operationId: id, summary: title } = operation;
      return { id, title, content: operationContent(operation, place) };
    }),
  );
}

function sideBar({ version }: DocsPageOptions, groups: readonly TopicGroup[]): Html {
  const lists = groups.map(
    ({ title, topics }) => html`<h2>${title}</h2>
<ul>${topics.map((topic) => html`<li><a href="#${topic.id}">${topic.title}</a></li>`)}</ul>
`,
  );
  return html`<aside class="side" aria-label="Topics and search">
<a class="brand" href="/workbench"><svg width="22" height="22" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="3" fill="currentColor"/><path d="M3 12h2V8H3zm4 0h2V5H7zm4 0h2V3h-2z" fill="var(--surface)"/></svg>Banking product engine</a>
<p><a href="/workbench">Workbench</a> · <span class="soft">${version}</span></p>
<div class="search" role="search" hidden><label for="search">Search <kbd>/</kbd></label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Field, code, header, rule" aria-describedby="found"><p id="found" role="status"></p>
<nav id="search-results" aria-label="Search results" hidden><ul></ul></nav></div>
<details class="topics" open><summary>Topics</summary><nav aria-label="Topics">
${lists}</nav></details>
</aside>`;
}
