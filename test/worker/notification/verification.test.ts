import { expect, it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { exampleJson, recordFrom } from '../../support/builders/catalogue-entries.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { CATALOGUE_TOPIC } from '../../support/worlds/catalogue-world.ts';
import {
  START,
  startVerificationWorld,
  type VerificationWorld,
} from '../../support/worlds/verification-world.ts';

const LIMIT_MS = 60_000;
const wrongOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const ended = { status: 410, body: { code: 'verification-ended' } };

async function started(world: VerificationWorld, body: object = START) {
  const answer = await world.start(body);
  expect(answer).toMatchObject({ status: 202, body: { status: 'pending', attemptsLeft: 5, sendsLeft: 4 } });
  return answer.body.verificationId;
}

it(
  'approves the right code once, and tells how many checks are left after a wrong one',
  async () => {
    const world = await startVerificationWorld();
    const id = await started(world);
    const code = await world.codeOf(1);
    expect(code).toMatch(/^\d{6}$/);
    expect(await world.check(id, wrongOf(code))).toMatchObject({
      status: 200,
      body: { status: 'pending', attemptsLeft: 4 },
    });
    expect(await world.check(id, code)).toMatchObject({ status: 200, body: { status: 'approved' } });
    expect(await world.check(id, code)).toMatchObject(ended);
    expect(await world.call('GET', `/${id}`)).toMatchObject({ status: 200, body: { status: 'approved' } });
    expect(await world.call('POST', `/${id}/resend`)).toMatchObject(ended);
    expect(await world.call('DELETE', `/${id}`)).toMatchObject(ended);
  },
  LIMIT_MS,
);

it(
  'skips events that are broken',
  async () => {
    const world = await startVerificationWorld();
    const publisher = world.broker.createPublisher({ clientId: 'test' });
    await publisher.start();
    const broken = ['{"id":"a","kind":"created","request":"r","at":1}', 'no JSON'];
    const topic = TOPIC.notificationVerifications;
    await publisher.publish(
      broken.map((value) => ({ topic, key: 'a', value: Buffer.from(value), headers: {} })),
    );
    await publisher.stop(1_000);
    const id = await started(world);
    const code = await world.codeOf(1);
    expect(await world.check(id, code)).toMatchObject({ status: 200, body: { status: 'approved' } });
  },
  LIMIT_MS,
);

it(
  'answers five of many wrong checks at the same time, and refuses the others with 429',
  async () => {
    const world = await startVerificationWorld();
    const id = await started(world);
    const code = await world.codeOf(1);
    const answers = await Promise.all(Array.from({ length: 9 }, () => world.check(id, wrongOf(code))));
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429]);
    const left = answers.flatMap(({ status, body }) => (status === 200 ? [body['attemptsLeft']] : []));
    expect(left.toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 1, 2, 3, 4]);
    const last = answers.find(({ body }) => body['attemptsLeft'] === 0);
    expect(last?.body['status']).toBe('failed');
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body['code']).toBe('verification-exhausted');
    expect(refused?.headers.get('retry-after')).toBeNull();
    expect(await world.check(id, code)).toMatchObject({ status: 429 });
  },
  LIMIT_MS,
);

it(
  'replaces the code with each of four further messages',
  async () => {
    const world = await startVerificationWorld();
    const id = await started(world);
    const codes = [await world.codeOf(1)];
    for (const sendsLeft of [3, 2, 1, 0]) {
      const answer = await world.call('POST', `/${id}/resend`);
      expect(answer).toMatchObject({ status: 202, body: { status: 'pending', sendsLeft } });
      codes.push(await world.codeOf(codes.length + 1));
    }
    expect(new Set(codes).size).toBe(5);
    expect(await world.call('POST', `/${id}/resend`)).toMatchObject({ status: 429 });
    expect(await world.check(id, codes[0] ?? '')).toMatchObject({ body: { status: 'pending' } });
    expect(await world.check(id, codes[4] ?? '')).toMatchObject({ body: { status: 'approved' } });
  },
  LIMIT_MS,
);

it(
  'cancels a verification, and knows none of another caller or of no caller',
  async () => {
    const world = await startVerificationWorld();
    const id = await started(world);
    const code = await world.codeOf(1);
    expect(await world.call('DELETE', `/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    expect(await world.check(id, code)).toMatchObject(ended);
    for (const other of ['0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d', 'none']) {
      expect(await world.call('GET', `/${other}`)).toMatchObject({
        status: 404,
        body: { code: 'unknown-verification' },
      });
      expect((await world.check(other, code)).status).toBe(404);
    }
  },
  LIMIT_MS,
);

it(
  'sends an e-mail to an address, with ten digits if asked for',
  async () => {
    const world = await startVerificationWorld();
    const receiver = 'ana@mail.example';
    const id = await started(world, { ...START, receiver, length: 10, validSeconds: 60 });
    const code = await world.codeOf(1, receiver);
    expect(code).toMatch(/^\d{10}$/);
    expect(await world.check(id, code)).toMatchObject({ body: { status: 'approved', channel: 'email' } });
  },
  LIMIT_MS,
);

it(
  'reports all faults of a start and of a check together',
  async () => {
    const world = await startVerificationWorld();
    const wrong = {
      receiver: 'nobody',
      channel: 'pigeon',
      message: 'no placeholder',
      length: 3,
      validSeconds: 5_000,
      fallback: { receiver: '+40722000000' },
    };
    const { status, body } = await world.start(wrong);
    const paths = (body['errors'] as readonly { path: string }[]).map(({ path }) => path);
    expect(status).toBe(400);
    expect(paths.toSorted()).toEqual(
      ['channel', 'fallback.receiver', 'length', 'message', 'receiver', 'validSeconds'].toSorted(),
    );
    const twice = await world.start({ ...START, message: '{{code}} {{code}}' });
    expect(twice).toMatchObject({ status: 400, body: { errors: [{ path: 'message' }] } });
    const id = await started(world);
    expect(await world.check(id, 'abc')).toMatchObject({ status: 400, body: { errors: [{ path: 'code' }] } });
  },
  LIMIT_MS,
);

it(
  'makes the text from a template over HTTP, and names its faults with all others',
  async () => {
    const world = await startVerificationWorld();
    const json = exampleJson('notification-template', 'LOAN-APPROVED');
    const Fields = [{ Name: 'code', IsOptional: false }];
    const Sms = [{ Language: 'ro', Message: 'Your code is {{code}}.' }];
    const record = recordFrom('notification-template', {
      ...json,
      Code: 'LOGIN-CODE',
      Fields,
      Sms,
      Email: [],
    });
    await changesOf(world.broker, CATALOGUE_TOPIC)({ put: [record] });
    const { receiver } = START;
    const id = await started(world, { receiver, template: { name: 'login-code' } });
    const code = await world.codeOf(1);
    expect(await world.check(id, code)).toMatchObject({ body: { status: 'approved' } });
    const template = { name: 'login-code', language: 'de', fields: { x: 'y' } };
    const { status, body } = await world.start({ receiver: '1', template });
    const paths = (body['errors'] as readonly { path: string }[]).map(({ path }) => path);
    expect([status, paths]).toEqual([400, ['template.language', 'template.fields.x', 'receiver']]);
  },
  LIMIT_MS,
);

it(
  'starts one verification for an Idempotency-Key, and refuses another one under it',
  async () => {
    const world = await startVerificationWorld();
    const key = { 'idempotency-key': 'order 66' };
    const [first, second] = await Promise.all([world.start(START, key), world.start(START, key)]);
    expect(first.body).toEqual(second.body);
    const other = await world.start({ ...START, length: 8 }, key);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency-conflict' } });
    await world.codeOf(1);
  },
  LIMIT_MS,
);

it(
  'shows the code in the outbox only: no log, answer, metric or topic has it',
  async () => {
    const world = await startVerificationWorld();
    // Ten digits, since shorter numbers occur by chance.
    const starts = [START.receiver, 'ana@mail.example'].map((receiver) => ({
      ...START,
      receiver,
      length: 10,
    }));
    const codes: string[] = [];
    for (const body of starts) {
      const id = await started(world, body);
      codes.push(await world.codeOf(1, body.receiver));
      await world.call('POST', `/${id}/resend`);
      codes.push(await world.codeOf(2, body.receiver));
      await world.call('DELETE', `/${id}`);
    }
    const traces = await world.traces();
    expect(traces.some((text) => text.includes('{{code}}'))).toBe(true);
    expect(traces.some((text) => text.startsWith(TOPIC.notificationVerifications))).toBe(true);
    for (const code of codes) expect(traces.filter((text) => text.includes(code))).toEqual([]);
  },
  LIMIT_MS,
);
