import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../../shared/contract/actions/actions.ts';
import { CALCULATION_FAULTS, docsPage } from '../../../../shared/contract/documents/docs-page.ts';
import { DOCS_STYLE } from '../../../../shared/contract/documents/docs-style.ts';
import { html, table, withCode } from '../../../../shared/contract/documents/html.ts';
import {
  ERROR_MESSAGE_HEADERS,
  replyMessageHeaders,
  REQUEST_MESSAGE_HEADERS,
} from '../../../../shared/contract/documents/headers.ts';
import { NOTIFICATIONS } from '../../../../shared/contract/notification/notifications.ts';
import { SHAPE_FAULTS, BODY_FAULTS } from '../../../../shared/contract/json/faults.ts';
import { repaymentScheduleFields } from '../../../../shared/contract/schedule/request-fields.ts';
import { topicName } from '../../../../shared/messaging/topics/topics.ts';
import { ERROR_CODES } from '../../../../shared/platform/problem.ts';

const page = docsPage({ version: '1.2.3', basePath: '/bank', topicPrefix: 'test.' });

describe('the page', () => {
  test('has one script and one style of its own, no forms and no external resources', () => {
    expect(page).not.toMatch(/<(link|img|iframe|object|embed|form)\b/i);
    expect(page.replace(/<script>[^]*<\/script>/, '')).not.toMatch(/<script\b|\s(on\w+|style|src)\s*=/i);
    expect(page).not.toMatch(/@import|url\(|https?:\/\//i);
    expect(page.match(/<style>/g)).toHaveLength(1);
  });

  test('is a small download', () => {
    expect(gzipSync(page).length).toBeLessThan(150_000);
  });

  test('has unique ids', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('looks like the workbench', () => {
    const tokens = readFileSync(
      new URL('../../../../workers/ingress/workbench/app/design/tokens.css', import.meta.url),
      'utf8',
    );
    const values = DOCS_STYLE.markup.match(/^ {2}--[\w-]+: .*;$/gm) ?? [];
    expect(values.length).toBeGreaterThan(20);
    for (const value of values) expect(tokens).toContain(value);
  });

  test('groups many fields by subject, with lists of objects apart', () => {
    const section = page.slice(page.indexOf(`id="${ACTIONS[0]?.name}"`));
    const groups = [...section.matchAll(/<summary>([^<]+) <span>/g)].map(([, title]) => title);
    expect(groups.slice(0, 8)).toEqual([
      'Main fields',
      'Grace periods',
      'Recalculation',
      'Dates and holidays',
      'Charges and annual rates',
      'Rate and interest',
      'jsonParam.Commission[]',
      'jsonParam.Insurance[]',
    ]);
    expect(section).toMatch(/<details class="group" open><summary>Main fields /);
  });

  test('has the path, topics and message types of all actions', () => {
    for (const { name, topic, bulkTopic, requestType, replyType } of ACTIONS) {
      expect(page).toContain(`POST /bank/platapi/automation-processors/actions/${name}`);
      expect(page).toContain(topicName('test.', topic));
      expect(page).toContain(topicName('test.', bulkTopic ?? topic));
      expect(page).toContain(requestType);
      expect(page).toContain(replyType);
    }
  });

  test('has the path, headers, topic and message type of all notifications', () => {
    for (const { path, channelNumber, topic, commandType, bodyShape } of NOTIFICATIONS) {
      expect(page).toContain(`POST /bank${path}`);
      expect(page).toContain(topicName('test.', topic));
      expect(page).toContain(commandType);
      expect(page).toContain(`<code>${channelNumber}</code>`);
      for (const field of Object.keys(bodyShape.shape)) expect(page).toContain(`<code>${field}</code>`);
    }
    expect(page).toContain('GET /bank/api/notifications/v1/{notificationId}');
    for (const header of ['X-Communication-Channel', 'X-Sender-Id', 'Idempotency-Key', 'platrealm'])
      expect(page).toContain(`<code>${header}</code>`);
  });

  test('starts with a valid call to copy', () => {
    const call = /<pre><code>(curl[\s\S]*?)<\/code><\/pre>/.exec(page)?.[1] ?? '';
    const text = call.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
    expect(text).toContain(`"$ENGINE/bank/platapi/automation-processors/actions/${ACTIONS[0]?.name}"`);
    const body = /-d '([^']*)'$/.exec(text)?.[1] ?? '';
    expect(ACTIONS[0]?.read(JSON.parse(body))).toMatchObject({ kind: 'valid', warnings: [] });
    expect(page.indexOf('id="first-call"')).toBeLessThan(page.indexOf(`id="${ACTIONS[0]?.name}"`));
  });

  test('has the paths of health and metrics', () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) expect(page).toContain(`GET ${path}<`);
  });

  test('lists all fields of the request, nested fields by their path', () => {
    for (const name of Object.keys(repaymentScheduleFields.shape))
      expect(page).toContain(`<code>jsonParam.${name}</code>`);
    expect(page).toContain('<code>jsonParam.Commission[].SourceValue</code>');
    expect(page).toContain('<td data-label="Type">true, false, 0, 1</td>');
  });

  test('lists the fields of the answer in both spellings', () => {
    for (const field of [
      '[].remainingValue',
      '[].RemainingValue',
      '[].dae',
      '[].EIR',
      '[].IsEarlyRepayment',
    ]) {
      expect(page).toContain(`<code>${field}</code>`);
    }
  });

  test('lists all error codes, fault codes and message headers', () => {
    for (const code of [ERROR_CODES, BODY_FAULTS, SHAPE_FAULTS, CALCULATION_FAULTS].flatMap(Object.keys)) {
      expect(page).toContain(`<code>${code}</code>`);
    }
    for (const { name } of [
      ...REQUEST_MESSAGE_HEADERS,
      ...replyMessageHeaders(['holidayCalendar']),
      ...ERROR_MESSAGE_HEADERS,
    ]) {
      expect(page).toContain(`<code>${name}</code>`);
    }
  });

  test('closes all elements', () => {
    for (const tag of [
      'html',
      'head',
      'body',
      'main',
      'section',
      'table',
      'tr',
      'td',
      'pre',
      'code',
      'details',
      'div',
    ]) {
      const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'));
      expect({ tag, closed: page.match(new RegExp(`</${tag}>`, 'g'))?.length }).toEqual({
        tag,
        closed: opened?.length,
      });
    }
  });

  test('links to the other documents and to existing sections', () => {
    const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target);
    expect(targets).toContain('/bank/openapi.json');
    for (const target of targets.filter((one) => one.startsWith('#'))) {
      expect(page).toContain(`id="${target.slice(1)}"`);
    }
  });
});

test('text and attributes are escaped', () => {
  expect(html`<p title="${'"\''}">${'<b>&'}</p>`.markup).toBe('<p title="&quot;&#39;">&lt;b&gt;&amp;</p>');
  expect(table(['<'], [['>']]).markup).toContain('<td data-label="&lt;">&gt;</td>');
  expect(html`${withCode('a `<b>` c')}`.markup).toBe('a <code>&lt;b&gt;</code> c');
});
