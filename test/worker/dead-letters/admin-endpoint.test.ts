import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_PATH } from '../../../shared/messaging/admin-endpoint-messages.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { startAdminEndpoint } from '../../../workers/admin-endpoint.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { remoteLetterLog } from '../../../scripts/dead-letters/remote-letter-log.ts';
import { deadLettersWith } from '../../support/worlds/dead-letters-world.ts';

const MIB = 1_024 * 1_024;
const REQUEST = { [`plat-message-type`]: 'CalculatePMTRequest' };

/** A system with the schedule worker and its admin endpoint. */
async function startWorld() {
  const folder = mkdtempSync(path.join(tmpdir(), 'admin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'made', 'admin.json');
  const system = await startWorkers({
    config: loadConfig({ DATA_DIR: 'memory' }),
    names: ['schedule'],
    log: silentLog,
  });
  onTestFinished(() => system.stop(0));
  const options = { broker: system.broker, topicPrefix: '', file, log: silentLog };
  const endpoint = await startAdminEndpoint(options);
  if (endpoint === undefined) throw new Error('the endpoint did not start');
  onTestFinished(() => endpoint.stop());
  const { url, token } = JSON.parse(readFileSync(file, 'utf8')) as { url: string; token: string };
  const call = (way: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(url + way, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(method === 'POST' ? { body } : {}),
    });
  return { system, endpoint, options, file, url, call };
}

async function publishRequest(
  system: Awaited<ReturnType<typeof startWorld>>['system'],
  value: Buffer,
): Promise<void> {
  const publisher = system.broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  await publisher.publish([{ topic: TOPIC.scheduleRequests, key: 'k', value, headers: REQUEST }]);
  await publisher.stop();
}

it('serves list, show, edit and redrive as the broker does', async () => {
  const { system, file } = await startWorld();
  await publishRequest(system, Buffer.from('{"jsonParam": {"InstallmentsNo": "four"}}'));
  const command = deadLettersWith(remoteLetterLog(file));
  await expect.poll(async () => (await command('list')).result['count']).toBe(1);
  const shown = await command('show', '--topic', 'schedule');
  expect(shown.lines.join('\n')).toContain('"InstallmentsNo": "four"');
  expect(await command('redrive', '--topic', 'schedule')).toMatchObject({ ok: true });
  await expect.poll(async () => (await command('list')).result['count']).toBe(1);
  expect((await command('list')).result).toMatchObject({ handled: 1, letters: [{ redrives: 1 }] });
});

it('transfers bytes, keys, repeated headers and large messages unchanged', async () => {
  const { file, system } = await startWorld();
  const log = remoteLetterLog(file);
  const headers = { many: [Buffer.of(0, 255), Buffer.from('b')], one: 'text', empty: '' };
  const value = Buffer.alloc(2 * MIB, 0xfe);
  const topic = TOPIC.productRequests;
  await log.publish([{ topic, partition: 3, key: Buffer.of(0, 1, 255), value, headers }]);
  await log.publish([{ topic, partition: 3, key: null, value: null }]);
  const read: LogMessage[] = [];
  const ranges = (await log.ranges([topic, TOPIC.deadLetterAudit])).filter(
    ({ partition }) => partition === 3,
  );
  await log.read(ranges, (message) => {
    read.push(message);
    return 'more';
  });
  expect(ranges).toEqual([{ topic, partition: 3, from: 0, to: 2 }]);
  expect(read[0]?.value?.equals(value)).toBe(true);
  expect(read[0]?.key).toEqual(Buffer.of(0, 1, 255));
  expect(read[0]?.headers).toEqual({
    many: headers.many,
    one: Buffer.from('text'),
    empty: Buffer.alloc(0),
  });
  expect(read[1]).toMatchObject({ key: null, value: null, offset: 1 });
  await system.stop(0);
});

it('reports that a message may be stored if the process does not respond to its publishing', async () => {
  const { endpoint, file, system } = await startWorld();
  await publishRequest(system, Buffer.from('{"jsonParam": {"InstallmentsNo": "four"}}'));
  const log = remoteLetterLog(file);
  const command = deadLettersWith(log);
  await expect.poll(async () => (await command('list')).result['count']).toBe(1);
  const { fetch } = globalThis;
  onTestFinished(() => void (globalThis.fetch = fetch));
  globalThis.fetch = async (url, init) => {
    const response = await fetch(url, init);
    const isCopy = typeof init?.body === 'string' && init.body.includes(TOPIC.scheduleRequests);
    if (isCopy && url === endpoint.url + ADMIN_PATH.publish) throw new TypeError('terminated');
    return response;
  };
  const { ok, lines } = await command('redrive', '--topic', 'schedule');
  expect(ok).toBe(false);
  expect(lines[0]).toContain('it may have been written; sending it again is safe');
  expect((await command('list', '--all')).lines.join('\n')).toContain('redrive-begun');
});

it('protects its file from other users and removes it when it stops, unless another process has replaced it', async () => {
  const { endpoint, file, options } = await startWorld();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = await startAdminEndpoint(options);
  await endpoint.stop();
  expect(existsSync(file)).toBe(true);
  await second?.stop();
  expect(existsSync(file)).toBe(false);
});

it('responds with 401 to every request without the token', async () => {
  const { url, call } = await startWorld();
  const body = JSON.stringify({ topics: [] });
  expect((await fetch(url + ADMIN_PATH.ranges, { method: 'POST', body })).status).toBe(401);
  for (const authorization of ['Bearer ', 'Bearer x', 'Basic eDp5', `Bearer ${'a'.repeat(43)}`]) {
    expect((await call(ADMIN_PATH.ranges, body, { authorization })).status).toBe(401);
  }
  expect((await fetch(`${url}/health`)).status).toBe(401);
  expect((await call(ADMIN_PATH.ranges, body)).status).toBe(200);
});

const publishing = (topic: string) =>
  JSON.stringify({ messages: [{ topic, key: null, value: null, headers: [] }] });

it('refuses other paths, methods and topics, invalid fields and large bodies', async () => {
  const { call } = await startWorld();
  const status = async (...args: Parameters<typeof call>) => (await call(...args)).status;
  expect(await status('/admin/v1/topics', '{}')).toBe(404);
  expect(await status(ADMIN_PATH.read, '', {}, 'GET')).toBe(405);
  expect(await status(ADMIN_PATH.read, 'not json')).toBe(400);
  expect(await status(ADMIN_PATH.read, '{"range": {"topic": "t", "partition": -1}}')).toBe(400);
  expect(await status(ADMIN_PATH.publish, JSON.stringify({ messages: 'x'.repeat(17 * MIB) }))).toBe(413);
  for (const topic of [TOPIC.catalogueRecords, TOPIC.scheduleDeadLetters, TOPIC.ingressResults, 'other']) {
    const answer = await call(ADMIN_PATH.publish, publishing(topic));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([422, 'topic-refused']);
  }
  for (const header of [
    ['__proto__', ['']],
    ['empty', []],
  ]) {
    const messages = [{ topic: TOPIC.smsCommands, key: null, value: null, headers: [header] }];
    expect(await status(ADMIN_PATH.publish, JSON.stringify({ messages }))).toBe(400);
  }
  const range = { topic: TOPIC.ingressResults, partition: 0, from: 0, to: 1 };
  expect(await status(ADMIN_PATH.read, JSON.stringify({ range }))).toBe(422);
  expect(await status(ADMIN_PATH.ranges, JSON.stringify({ topics: [TOPIC.catalogueRecords] }))).toBe(422);
});

it('a process whose admin file cannot be written starts without the endpoint', async () => {
  const { options, file } = await startWorld();
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (fields: unknown) => warnings.push(fields) };
  const inside = { ...options, file: path.join(file, 'below-a-file.json'), log: log as typeof silentLog };
  expect(await startAdminEndpoint(inside)).toBeUndefined();
  expect(warnings).toMatchObject([{ file: inside.file }]);
});

it('the command explains what to do without a running process', async () => {
  const { file, endpoint } = await startWorld();
  expect(() => remoteLetterLog(`${file}.none`)).toThrow(/npm start.*KAFKA_BROKERS/);
  const left = readFileSync(file, 'utf8');
  await endpoint.stop();
  writeFileSync(file, left);
  await expect(remoteLetterLog(file).ranges([])).rejects.toThrow(/does not respond.*npm start/);
  writeFileSync(file, '{}');
  expect(() => remoteLetterLog(file)).toThrow(/npm start/);
});
