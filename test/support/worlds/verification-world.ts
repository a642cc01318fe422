/** Ingress and notification worker over one embedded broker, with the local outbox or a configuration of providers. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { allTopicSpecs } from '../../../shared/messaging/topics/topic-list.ts';
import { openSentMessages } from '../../../shared/notification/sent-messages.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { readTopics } from '../conformance/read-topics.ts';
import { scratchFolder } from '../scratch-folder.ts';

export const VERIFICATIONS = '/api/notifications/v1/verifications';
export const START = { receiver: '+40722123456', message: 'Your code is {{code}}.' };

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly verificationId: string };
  readonly headers: Headers;
}

export type VerificationWorld = Awaited<ReturnType<typeof startVerificationWorld>>;

export async function startVerificationWorld(
  given: { readonly configuration?: object; readonly env?: Record<string, string> } = {},
) {
  const folder = scratchFolder();
  const outboxFolder = path.join(folder, 'outbox');
  const configFile = given.configuration === undefined ? undefined : path.join(folder, 'providers.json');
  if (configFile !== undefined) await writeFile(configFile, JSON.stringify(given.configuration));
  const loaded = loadConfig({ PORT: '0', RATE_LIMIT_PER_SECOND: '0', DATA_DIR: 'memory', ...given.env });
  const own = { configFile, outboxFolder, retryTiersMs: [50, 100] };
  const config = { ...loaded, notification: { ...loaded.notification, ...own } };
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const system = await startWorkers({ config, names: ['ingress', 'notification'], log });
  onTestFinished(() => system.stop(0));
  const url = system.url ?? '';
  const outbox = openSentMessages(outboxFolder);
  const call = async (
    method: string,
    address: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + VERIFICATIONS + address, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    lines.push(text);
    return { status: response.status, body: JSON.parse(text) as Answer['body'], headers: response.headers };
  };
  const messages = async () => {
    const listed = await outbox.list(100);
    return Promise.all(listed.map(async ({ id }) => String((await outbox.read(id))?.content)));
  };
  return {
    url,
    config,
    broker: system.broker,
    call,
    start: (body: object = START, headers: Record<string, string> = {}) => call('POST', '', body, headers),
    check: (id: string, code: string) => call('POST', `/${id}/check`, { code }),
    messages,
    /** The newest code that the outbox shows to a receiver, once it has this many messages. */
    codeOf: async (count: number, receiver: string = START.receiver) => {
      const received = async () => (await messages()).filter((text) => text.includes(receiver));
      await expect.poll(async () => (await received()).length, { timeout: 10_000 }).toBe(count);
      const [newest = ''] = await received();
      return /code is (\d+)/.exec(newest)?.[1] ?? '';
    },
    /** All that was logged, answered, or written to any topic, and the metrics. */
    traces: async (): Promise<readonly string[]> => {
      const topics = allTopicSpecs(config.topicPrefix, own.retryTiersMs).map(({ topic }) => topic);
      const records = await readTopics(system.broker, topics);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const shown = records.map(({ topic, key, value, headers }) =>
        [topic, key, value, ...Object.entries(headers).flat()].map(String).join(' '),
      );
      return [...lines, metrics, ...shown];
    },
  };
}
