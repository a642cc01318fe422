import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../../../../shared/api/actions/actions.ts';
import { docsPage } from '../../../../../shared/api/documents/page/docs-page.ts';
import { html, table } from '../../../../../shared/api/documents/html.ts';
import {
  ERROR_MESSAGE_HEADERS,
  replyMessageHeaders,
  REQUEST_MESSAGE_HEADERS,
  RESPONSE_HEADERS,
} from '../../../../../shared/api/documents/documented-headers.ts';
import { renderMarkdown, renderText } from '../../../../../shared/api/documents/page/markdown.ts';
import { openApiDocument } from '../../../../../shared/api/documents/openapi.ts';
import { NOTIFICATIONS } from '../../../../../shared/api/notification/send-operations.ts';
import { SHAPE_FAULTS, BODY_FAULTS } from '../../../../../shared/api/json/faults.ts';
import { repaymentScheduleFields } from '../../../../../shared/api/actions/schedule-request-fields.ts';
import { TOPIC, topicName } from '../../../../../shared/messaging/topics/topic-list.ts';
import { ERROR_CODES } from '../../../../../shared/platform/problem.ts';
import { REQUEST_FIELDS } from '../../../../support/request-fields-table.ts';

const sizes = { bodyBytes: 262_144, emailBodyBytes: 10_485_760 };
const limits = { ...sizes, requestsPerSecond: 100, replyTimeoutMs: 10_000 };
const read = (file: string) => readFileSync(new URL(`../../../../../${file}`, import.meta.url), 'utf8');
const rulings = read('docs/rulings.md');
const guide = read('shared/api/documents/page/guide.md');
const options = { version: '1.2.3', topicPrefix: 'test.', limits, rulings, guide };
const page = docsPage({ ...options, tokens: '', script: '' });

const posted = (path: string): string => `<span class="method">POST</span> <code>${path}</code>`;
const fieldName = (outer: string, name: string): string =>
  `<code><span class="outer">${outer}</span>${name}</code>`;

const topicText = (id: string) =>
  page.slice(page.indexOf(`<section class="topic" id="${id}"`)).split('</section>')[0];

test('the page closes all elements, links to existing places, and has no external resources', () => {
  expect(page).not.toMatch(/<(link|img|iframe|object|embed|form)\b/i);
  expect(page.replace(/<script>[^]*<\/script>/, '')).not.toMatch(/<script\b|\s(on\w+|style|src)\s*=/i);
  expect(page).not.toMatch(/@import|url\(|https?:\/\//i);
  expect(page.match(/<style>/g)).toHaveLength(1);
  for (const tag of 'html head body main section table tr td pre code details div'.split(' ')) {
    const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length;
    const closed = page.match(new RegExp(`</${tag}>`, 'g'))?.length;
    expect([tag, closed]).toEqual([tag, opened]);
  }
  const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target);
  expect(targets).toContain('/openapi.json');
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`));
  expect(targets.filter((one) => one.startsWith('#') && !ids.has(one))).toEqual([]);
  const others = new Set(targets.filter((one) => !one.startsWith('#')));
  expect([...others]).toEqual(['/workbench', '/openapi.json', '/asyncapi.json']);
});

test('the page groups many fields by subject, and says where outcomes are over Kafka', () => {
  const section = page.slice(page.indexOf('<section class="topic" id="calculateRepaymentSchedule"'));
  const groups = [...section.matchAll(/<summary>([^<]+) <span>/g)].map(([, title]) => title);
  const subjects = 'Main fields|Grace periods|Recalculation|Dates and holidays|Charges and annual rates';
  const others = 'Rate and interest|jsonParam.Commission[]|jsonParam.Insurance[]';
  expect(groups.slice(0, 8).join('|')).toBe(`${subjects}|${others}`);
  expect(topicText('notifications-over-kafka')).toContain(topicName('test.', 'notificationOutcomes'));
  expect(topicText('calling-over-kafka')).toContain('<code>read_committed</code>');
  const topics = [...guide.matchAll(/%prefix%([\w.-]+)/g)].map(([, topic]) => topic);
  expect(topics.filter((topic) => !Object.values<string>(TOPIC).includes(topic ?? ''))).toEqual([]);
});

test('the page has the path, topics and message types of all actions and notifications', () => {
  for (const { name, topic, bulkTopic, requestType, replyType } of ACTIONS) {
    expect(page).toContain(posted(`/platapi/automation-processors/actions/${name}`));
    expect(page).toContain(topicName('test.', topic));
    expect(page).toContain(topicName('test.', bulkTopic ?? topic));
    expect(page).toContain(requestType);
    expect(page).toContain(replyType);
  }
  for (const { path, channelNumber, topic, commandType, bodyShape } of NOTIFICATIONS) {
    expect(page).toContain(posted(path));
    expect(page).toContain(topicName('test.', topic));
    expect(page).toContain(commandType);
    expect(page).toContain(channelNumber);
    for (const field of Object.keys(bodyShape.shape)) expect(page).toContain(fieldName('', field));
  }
  expect(page).toContain('<code>/api/notifications/v1/{notificationId}</code>');
  for (const header of ['X-Communication-Channel', 'X-Sender-Id', 'Idempotency-Key', 'platrealm'])
    expect(page).toContain(`<code>${header}</code>`);
});

test('the page describes all operations, with fields of requests, and of answers in both spellings', () => {
  for (const name of Object.keys(repaymentScheduleFields.shape))
    expect(page).toContain(fieldName('jsonParam.', name));
  expect(page).toContain(fieldName('jsonParam.Commission[].', 'SourceValue'));
  expect(page).toContain('<span class="type">true, false, 0, 1</span>');
  expect(page).toContain('<span class="type">integer, 1 to 1,200</span>');
  const { paths } = openApiDocument('1.2.3');
  for (const path of Object.keys(paths as object)) expect(page).toContain(`${path}<`);
  for (const name of ['remainingValue', 'RemainingValue', 'dae', 'EIR', 'IsEarlyRepayment']) {
    expect(page).toContain(fieldName('[].', name));
  }
});

test('the page explains each problem, with its status and whether to repeat the request', () => {
  const rows = [
    ...guide.matchAll(
      /<a id="error\.(.+?)"><\/a>`(.+?)` \| (\d+) \| \*\*(.+?)\.\*\* .+ \| .+ \| (yes|no) \|/g,
    ),
  ].map(([, id, code, status, title, repeat]) => [id, code, Number(status), title, repeat === 'yes']);
  const codes = Object.entries(ERROR_CODES);
  expect(rows).toEqual(
    codes.map(([code, { status, title, retryable }]) => [code, code, status, title, retryable === true]),
  );
});

test('the page lists all fault codes, warnings and headers of answers', () => {
  const validation = read('shared/lending/request/validation.ts');
  const [, union = ''] = /type FaultCode =([^;]+);/.exec(validation) ?? [];
  const calculated = [...union.matchAll(/'([a-z-]+)'/g)].map(([, code = '']) => code);
  expect(calculated.length).toBeGreaterThan(20);
  for (const code of [...calculated, ...[BODY_FAULTS, SHAPE_FAULTS].flatMap(Object.keys)]) {
    expect(page).toContain(`<a id="fault.${code}"></a><code>${code}</code>`);
  }
  const [, warnings = ''] = /type WarningCode =([^;]+);/.exec(validation) ?? [];
  for (const [, code = ''] of warnings.matchAll(/'([a-z-]+)'/g))
    expect(page).toContain(`<a id="warning.${code}"></a>`);
  const messages = [
    ...REQUEST_MESSAGE_HEADERS,
    ...replyMessageHeaders(['holidayCalendar']),
    ...ERROR_MESSAGE_HEADERS,
  ];
  for (const name of [...Object.keys(RESPONSE_HEADERS), ...messages.map((one) => one.name)])
    expect(page).toContain(`<code>${name}</code>`);
});

test('the page has all rules, and leads from the fields of a schedule request to theirs', () => {
  const ids = [...rulings.matchAll(/<a id="([a-z]\d)">/g)].map(([, id = '']) => id);
  expect(new Set(ids.map(([letter]) => letter?.toUpperCase()))).toEqual(new Set('MDHCSRGFBXAPLQTNE'));
  for (const id of ids) expect(page).toContain(`<a id="${id}"></a>`);
  const rulesAt = (field: string): string[] => {
    const target = `calculateRepaymentSchedule.request.jsonParam.${field.replaceAll('[]', '')}`;
    const entry = page.split(`<div id="${target}" `)[1]?.split('</div>')[0] ?? '';
    const found = [...entry.matchAll(/href="#([a-z]\d)"/g)].map(([, id = '']) => id.toUpperCase());
    const outer = field.split('[].')[0] ?? '';
    return found.length === 0 && outer !== field ? rulesAt(outer) : found;
  };
  for (const { field, rules } of REQUEST_FIELDS) {
    expect({ field, rules: rulesAt(field) }).toEqual({ field, rules });
  }
});

test('text and attributes are escaped', () => {
  expect(html`<p title="${'"\''}">${'<b>&'}</p>`.markup).toBe('<p title="&quot;&#39;">&lt;b&gt;&amp;</p>');
  expect(table(['<'], [['>']]).markup).toContain('<td data-label="&lt;">&gt;</td>');
  expect(renderText('a `<b>` c').markup).toBe('a <code>&lt;b&gt;</code> c');
});

test.each([
  ['*k*-1 of 2 * 3 * 4', '<em>k</em>-1 of 2 * 3 * 4'],
  ['[limits](#limits) and [calendars](calendars.md)', '<a href="#limits">limits</a> and calendars'],
  ['(M6), not `M6` or E.164', '(<a href="#m6">M6</a>), not <code>M6</code> or E.164'],
])('the text %s leads to places of the page and to rules', (text, expected) => {
  expect(renderText(text).markup).toBe(expected);
  expect(renderMarkdown(text).markup).toBe(`<p>${expected}</p>\n`);
});
