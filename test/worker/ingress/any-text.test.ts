/** Names and texts from all planes of Unicode, and unpaired surrogates, in requests and commands. */

import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ACTIONS } from '../../../shared/api/actions/actions.ts';
import examples from '../../../shared/api/notification/examples.json' with { type: 'json' };
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { DEAD_LETTER_TOPICS, TOPIC, topicNames } from '../../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { startWorkers, type RunningSystem } from '../../../workers/start-workers.ts';
import { WORKER_NAMES } from '../../../workers/worker-list.ts';
import { endOf, send } from '../../support/builders/notification-call.ts';
import { post, untilAdmitted } from '../../support/builders/schedule-call.ts';

/** Each test makes RUNS calls, which takes longer on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const RUNS = 30;
const PREFIX = '/platapi/automation-processors/actions/';
const REPLIES = 'any.text.replies';
const PLANES = 17;
const PLANE_SIZE = 0x1_0000;

/** Code points of all planes, unpaired surrogates and special strings, in any order. */
const oddText = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.integer({ min: 0, max: PLANES - 1 }), fc.integer({ min: 0, max: PLANE_SIZE - 1 }))
        .map(([plane, place]) => String.fromCodePoint(plane * PLANE_SIZE + place)),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0, max: 0x7f }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(...'😀 \ufeff \uffff \u202e \u0000 % ; , __proto__ é e\u0301'.split(' ')),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''));

type Body = Record<string, unknown>;

const change = fc.record({
  name: oddText,
  text: oddText,
  depth: fc.integer({ min: 0, max: 3 }),
  nth: fc.nat({ max: 30 }),
  what: fc.constantFrom('name', 'text', 'both'),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(body: object, { name, text, depth, nth, what }: Change): Body {
  const copy = structuredClone(body) as Body;
  const objects = objectsOf(copy);
  if (what !== 'text') {
    const target = objects[Math.min(depth, objects.length - 1)] ?? copy;
    const field = { value: text, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(target, name, field);
  }
  if (what !== 'name') {
    const places = objects.flatMap((one) =>
      Object.keys(one)
        .filter((key) => typeof one[key] === 'string')
        .map((key) => [one, key] as const),
    );
    const [target, key] = places[nth % Math.max(places.length, 1)] ?? [copy, 'text'];
    target[key] = text;
  }
  return copy;
}

function objectsOf(value: unknown): Body[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsOf);
  return Array.isArray(value) ? inner : [value as Body, ...inner];
}

let folder: string;
let system: RunningSystem;
let url: string;
let publisher: Publisher;
const replies = new Map<string, LogMessage>();
const deadLetters: LogMessage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'plat-any-text-'));
  const loaded = loadConfig({ DATA_DIR: 'memory', PORT: '0', RATE_LIMIT_PER_SECOND: '0' });
  const config = { ...loaded, notification: { ...loaded.notification, outboxFolder: folder } };
  system = await startWorkers({ config, names: WORKER_NAMES, log: silentLog });
  url = system.url ?? '';
  const { broker } = system;
  await broker.admin.createTopics([{ topic: REPLIES, partitions: 3 }]);
  publisher = broker.createPublisher({ clientId: 'any-text' });
  await publisher.start();
  const answers = broker.createTail({ clientId: 'any-text', topics: [REPLIES], from: 'earliest' });
  await answers.start((message) =>
    replies.set(headerText(message.headers, HEADER.correlationId) ?? '', message),
  );
  const topics = topicNames('', DEAD_LETTER_TOPICS);
  const letters = broker.createTail({ clientId: 'any-text-letters', topics, from: 'earliest' });
  await letters.start((message) => deadLetters.push(message));
});

afterAll(async () => {
  await system.stop(0);
  await rm(folder, { recursive: true, force: true });
});

const lettersOfBugs = () =>
  deadLetters.filter(({ headers }) => headerText(headers, HEADER.deadLetterCode) === 'unexpected').length;

let requests = 0;

async function requestByMessage(
  topic: string,
  type: string,
  body: object,
  key: string,
): Promise<string | undefined> {
  requests += 1;
  const id = `request-${requests}`;
  const headers: MessageHeaders = {
    [HEADER.messageType]: type,
    [HEADER.replyTopic]: REPLIES,
    [HEADER.correlationId]: id,
    traceparent: key,
    'x-odd': key,
  };
  await publisher.publish([{ topic, key, value: Buffer.from(JSON.stringify(body)), headers }]);
  while (!replies.has(id)) await new Promise((resolve) => setImmediate(resolve));
  return headerText(replies.get(id)?.headers ?? {}, HEADER.errorCode);
}

it.each(ACTIONS)(
  '$name answers any names, texts, types and actions',
  async ({ name, topic, requestType, examples: [example] }) => {
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const body = changed(example.request, one);
        const response = await untilAdmitted(() => post(url, body, { path: PREFIX + name }));
        expect([200, 400, 404, 422]).toContain(response.status);
        expect(response.headers.get('warnings') ?? '').toMatch(/^[\x20-\x7e]*$/);
        await response.json();
        const odd = PREFIX + encodeURIComponent(one.text.toWellFormed());
        expect((await post(url, example.request, { path: odd })).status).toBeLessThan(500);
        for (const type of [requestType, one.name])
          expect(await requestByMessage(TOPIC[topic], type, body, one.text)).not.toBe('unexpected');
      }),
      { numRuns: RUNS },
    );
    expect(lettersOfBugs()).toBe(0);
  },
);

describe.each(['sms', 'email'] as const)('notifications by %s', (channel) => {
  const example = examples[channel];

  it('accepts or refuses bodies with any names and texts over HTTP', async () => {
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const body = changed(example, one);
        const response = await untilAdmitted(() => send(url, channel, body));
        expect([202, 400, 413, 422]).toContain(response.status);
        const { notificationId } = (await response.json()) as { notificationId?: string };
        if (notificationId !== undefined) await endOf(url, notificationId);
      }),
      { numRuns: RUNS },
    );
    expect(lettersOfBugs()).toBe(0);
  });

  it('handles commands with any names, texts, keys and headers', async () => {
    const topic = TOPIC[`${channel}Commands`];
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const notificationId = randomUUID();
        const value = Buffer.from(JSON.stringify({ ...changed(example, one), notificationId }));
        const headers: MessageHeaders = {
          [HEADER.messageType]: channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand',
          [HEADER.notificationId]: notificationId,
          'x-odd': one.name,
        };
        await publisher.publish([{ topic, key: one.text, value, headers }]);
      }),
      { numRuns: RUNS },
    );
    const groupId = `plat.notification.${channel}`;
    const unread = async () => {
      const done = await system.broker.admin.committed(groupId, [topic]);
      const committed = (at: number) => done.find(({ partition }) => partition === at)?.offset ?? 0;
      const offsets = await system.broker.admin.offsets(topic);
      return offsets.filter(({ partition, high }) => committed(partition) < high);
    };
    await expect.poll(unread).toEqual([]);
    expect(lettersOfBugs()).toBe(0);
  });
});

it('leaves every worker ready', () => {
  const statuses = Object.values(system.health()).map(({ status }) => status);
  expect(statuses).toEqual(WORKER_NAMES.map(() => 'ready'));
});
