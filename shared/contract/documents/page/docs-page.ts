/**
 * The documentation for people: one self-contained HTML page (one inline style, one inline script, no other host),
 * generated from the same definitions as the other documents. It is complete without its script.
 */

import { ACTIONS } from '../../actions/actions.ts';
import { NOTIFICATIONS } from '../../notification/notifications.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE, REFERENCE_STYLE } from './docs-style.ts';
import {
  authenticationTopic,
  bulkTopic,
  callingTopic,
  errorTopic,
  firstCallTopic,
  idempotencyTopic,
  kafkaTopic,
  limitsTopic,
  retriesTopic,
  ruleTopics,
  type InstanceLimits,
} from './guide-topics.ts';
import { html, type Html } from '../html.ts';
import { resultPart } from '../openapi/actions.ts';
import { OPERATOR_PARTS } from '../openapi/openapi.ts';
import type { ApiPart } from '../openapi/part.ts';
import {
  actionTopic,
  commandsTopic,
  partTopic,
  sendTopic,
  statusTopic,
  type Topic,
} from './operation-topics.ts';
import { readRules } from './rules.ts';

export interface DocsPageOptions {
  readonly version: string;
  /** Path before `/platapi`; empty by default. */
  readonly basePath: string;
  readonly topicPrefix: string;
  readonly limits: InstanceLimits;
  /** The text of docs/rulings.md. */
  readonly rulings: string;
}

interface TopicGroup {
  readonly title: string;
  readonly topics: readonly Topic[];
}

/** Creates the page as a string. Throws on rulings that cannot be read, see {@link readRules}. */
export function docsPage(options: DocsPageOptions): string {
  const { basePath, version } = options;
  const groups = listTopics(options);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Banking product engine ${version}</title>
<style>${DOCS_STYLE}${REFERENCE_STYLE}</style>
</head>
<body class="reference">
<a class="skip-link" href="#content">Skip to content</a>
${sideBar(options, groups)}
<main class="content" id="content" tabindex="-1">
<header><h1>API reference</h1>
<p>Banking product engine, version ${version}. For tools: <a href="${basePath}/openapi.json">OpenAPI</a> and <a href="${basePath}/asyncapi.json">AsyncAPI</a>. To work with schedules, products and messages in the browser, open the <a href="${basePath}/workbench">workbench</a>.</p>
</header>
${groups.map(
  ({ title, topics }) =>
    html`<p class="group-title">${title}</p>
${topics.map(
  (
    topic,
  ) => html`<section class="topic" id="${topic.id}" aria-labelledby="title-${topic.id}"><h2 id="title-${topic.id}"><a class="anchor" href="#${topic.id}">${breakable(topic.title)}</a></h2>
${topic.content}
</section>
`,
)}`,
)}
</main>
<script>${DOCS_SCRIPT}</script>
</body>
</html>
`;
  return page.markup;
}

/** A name that may break after its words where it is too long for a line. */
function breakable(title: string): readonly Html[] {
  return title
    .split(/(?<=_)|(?<=[a-z])(?=[A-Z])/)
    .map((part, index) => html`${index === 0 ? '' : html`<wbr>`}${part}`);
}

/** All topics in order of use. */
function listTopics(options: DocsPageOptions): readonly TopicGroup[] {
  const { basePath, topicPrefix, limits, rulings } = options;
  return [
    {
      title: 'Start',
      topics: [
        ...ACTIONS.slice(0, 1).map((action) => firstCallTopic(action, basePath)),
        authenticationTopic(),
        callingTopic(basePath),
        idempotencyTopic(),
        retriesTopic(),
        limitsTopic(limits),
      ],
    },
    {
      title: 'Actions',
      topics: [
        ...ACTIONS.map((action) => actionTopic(action, options)),
        partTopic(resultPart(), {
          id: 'results',
          title: 'Results of asynchronous calls',
          basePath,
          rules: [],
        }),
      ],
    },
    {
      title: 'Notifications',
      topics: [
        ...NOTIFICATIONS.map((notification) => sendTopic(notification, options)),
        statusTopic(options),
        commandsTopic(topicPrefix),
      ],
    },
    { title: 'Kafka', topics: [kafkaTopic(topicPrefix), bulkTopic(topicPrefix)] },
    {
      title: 'Operation',
      topics: OPERATOR_PARTS.map((part) => operatorTopic(part(), basePath)),
    },
    { title: 'Codes', topics: [errorTopic()] },
    { title: 'Rules', topics: ruleTopics(readRules(rulings)) },
  ];
}

/** Titles of topics whose tags do not say enough beside the others. */
const PART_TITLES: Readonly<Record<string, string>> = {
  Operations: 'Messages and dead letters',
  System: 'State of the system',
  Operation: 'Health and metrics',
};

function operatorTopic(part: ApiPart, basePath: string): Topic {
  const { name } = part.tag;
  const needsScope = Object.keys(part.paths).some((path) => path.startsWith('/api/'));
  return partTopic(part, {
    id: name.toLowerCase(),
    title: PART_TITLES[name] ?? name,
    basePath,
    rules: needsScope ? ['E2'] : [],
  });
}

/** The navigation, and a search for browsers with script. */
function sideBar({ basePath, version }: DocsPageOptions, groups: readonly TopicGroup[]): Html {
  const lists = groups.map(
    ({ title, topics }) => html`<h2>${title}</h2>
<ul>${topics.map((topic) => html`<li><a href="#${topic.id}">${topic.title}</a></li>`)}</ul>
`,
  );
  return html`<aside class="side" aria-label="Topics and search">
<a class="brand" href="${basePath}/workbench"><svg width="22" height="22" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="3" fill="currentColor"/><path d="M3 12h2V8H3zm4 0h2V5H7zm4 0h2V3h-2z" fill="var(--surface)"/></svg>Banking product engine</a>
<p><a href="${basePath}/workbench">Workbench</a> · <span class="soft">${version}</span></p>
<div class="search" role="search" hidden><label for="search">Search <kbd>/</kbd></label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Field, code, header, rule" aria-describedby="found"><p id="found" role="status"></p>
<nav id="search-results" aria-label="Search results" hidden><ul></ul></nav></div>
<details class="topics" open><summary>Topics</summary><nav aria-label="Topics">
${lists}</nav></details>
</aside>`;
}
