import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { retryTopicName, TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { exampleJson, recordFrom } from '../../support/builders/catalogue-entries.ts';
import { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { CATALOGUE_TOPIC } from '../../support/worlds/catalogue-world.ts';
import { permanent, SENT, transient } from '../../support/fakes/scripted-providers.ts';
import { notificationWorld, type WorldOptions } from '../../support/worlds/notification-world.ts';

const LIMIT_MS = 60_000;
const WAIT = { timeout: 20_000, interval: 20 };
const REPLIES = 'upstream.replies';
const ID = '6f1d7f0c-2a4e-4d0b-9f39-5a3f8c1b7e52';
const START = { verificationId: ID, receiver: '+40722123456', message: 'Your code is {{code}}.' };
const OF_ID = { verificationId: ID };

interface Reply {
  readonly type: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const read = ({ headers, value }: LogMessage): Reply => ({
  type: headerText(headers, HEADER.messageType),
  body: JSON.parse(String(value)) as Reply['body'],
});

async function verificationMessages(options: WorldOptions = {}, instances = 2) {
  const world = await notificationWorld({ env: { RESULT_ID_SECRET: 'a secret for tests only' }, ...options });
  await world.broker.admin.createTopics([{ topic: REPLIES, partitions: 1 }]);
  const replies = await world.collect(REPLIES);
  world.providers.add('sms');
  for (let count = 0; count < instances; count += 1) await world.worker();
  let sent = 0;
  const publish = (name: string, body: object, headers: Record<string, string>) =>
    world.publish(TOPIC.verificationRequests, {
      key: ID,
      value: Buffer.from(JSON.stringify(body)),
      headers: { [HEADER.messageType]: `${name}VerificationRequest`, ...headers },
    });
  return {
    ...world,
    write: world.publish,
    publish,
    /** Sends a request in JSON as often as said, and returns all replies. */
    ask: async (name: string, body: object = OF_ID, times = 1): Promise<readonly Reply[]> => {
      sent += 1;
      const id = `request ${sent}`;
      const headers = { [HEADER.replyTopic]: REPLIES, [HEADER.correlationId]: id };
      await Promise.all(Array.from({ length: times }, () => publish(name, body, headers)));
      const own = () => replies.filter((one) => headerText(one.headers, HEADER.correlationId) === id);
      await expect.poll(() => own().length, WAIT).toBe(times);
      return own().map(read);
    },
    codeOf: async (count: number): Promise<string> => {
      await expect.poll(() => world.providers.calls.length, WAIT).toBe(count);
      return /code is (\d+)/.exec(world.providers.calls[count - 1]?.message.message ?? '')?.[1] ?? '';
    },
  };
}

const states = (replies: readonly Reply[]) => replies.map(({ body }) => body['status']);

it(
  'answers requests in JSON, and a doubled message as it answered the first',
  async () => {
    const { ask, codeOf, providers } = await verificationMessages();
    const started = await ask('Start', START, 3);
    expect(started.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'VerificationReply'));
    expect(new Set(started.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const code = await codeOf(1);
    const wrong = { ...OF_ID, code: code === '000000' ? '000001' : '000000' };
    const checks = await ask('Check', wrong, 3);
    expect(checks.map(({ body }) => body['attemptsLeft'])).toEqual([4, 4, 4]);
    expect(states(await ask('Check', { ...OF_ID, code }, 2))).toEqual(['approved', 'approved']);
    const [again] = await ask('Check', { ...OF_ID, code });
    expect(again).toMatchObject({ type: 'ProblemReply', body: { code: 'verification-ended', status: 410 } });
    expect(states(await ask('Get'))).toEqual(['approved']);
    expect(providers.calls).toHaveLength(1);
  },
  LIMIT_MS,
);

it(
  'knows a verification of its caller only, and one start for an id',
  async () => {
    const { ask, codeOf } = await verificationMessages();
    await ask('Start', { ...START, caller: 'a caller' });
    await codeOf(1);
    expect(await ask('Get')).toMatchObject([{ body: { code: 'unknown-verification' } }]);
    expect(await ask('Get', { ...OF_ID, caller: 'a caller' })).toMatchObject([
      { body: { status: 'pending' } },
    ]);
    const other = { ...START, caller: 'a caller', length: 4 };
    expect(await ask('Start', other)).toMatchObject([{ body: { code: 'idempotency-conflict' } }]);
  },
  LIMIT_MS,
);

it(
  'sends a new code to the fallback, once, when the first message is rejected',
  async () => {
    const world = await verificationMessages();
    const [sms] = world.providers.list;
    if (sms !== undefined) sms.answer = () => permanent();
    world.providers.add('mail', { channel: 'email' });
    await world.ask('Start', { ...START, fallback: { receiver: 'ana@mail.example' } });
    const code = await world.codeOf(2);
    expect(world.providers.calls.map(({ provider }) => provider)).toEqual(['sms', 'mail']);
    expect(await world.ask('Get')).toMatchObject([{ body: { channel: 'email', sendsLeft: 3 } }]);
    expect(states(await world.ask('Check', { ...OF_ID, code }))).toEqual(['approved']);
    await expect.poll(() => world.deadLetters.length, WAIT).toBe(1);
    expect(String(world.deadLetters[0]?.value)).toContain('{{code}}');
    expect(world.providers.calls).toHaveLength(2);
  },
  LIMIT_MS,
);

it(
  'starts for a suppressed receiver, and ends as failed or sends to the fallback',
  async () => {
    const world = await verificationMessages({}, 1);
    world.providers.add('mail', { channel: 'email' });
    const hash = createReceiverHashes('a secret for tests only').hashOf('sms', START.receiver);
    const entry = { hash, reason: 'operator', at: '2026-01-01T00:00:00.000Z', by: 'an operator' };
    await world.write(TOPIC.notificationSuppressions, {
      key: hash,
      value: Buffer.from(JSON.stringify(entry)),
      headers: {},
    });
    expect(states(await world.ask('Start', START))).toEqual(['pending']);
    await expect.poll(async () => states(await world.ask('Get')), WAIT).toEqual(['failed']);
    const verificationId = '6f1d7f0c-2a4e-4d0b-9f39-5a3f8c1b7e53';
    await world.ask('Start', { ...START, verificationId, fallback: { receiver: 'ana@mail.example' } });
    const code = await world.codeOf(1);
    expect(states(await world.ask('Check', { verificationId, code }))).toEqual(['approved']);
  },
  LIMIT_MS,
);

const CODE_FIELD = { Name: 'code', IsOptional: false };
const BANK_FIELD = { Name: 'bank', IsOptional: false };
const CODE_TEXTS = {
  Code: 'LOGIN-CODE',
  Fields: [CODE_FIELD, BANK_FIELD],
  Sms: [{ Language: 'en', Message: '{{bank}}: your code is {{code}}.' }],
  Email: [
    {
      Language: 'en',
      Subject: '{{bank}}',
      Message: '<b>{{bank}}</b> code is {{code}}',
      ContentType: 'text/html',
    },
  ],
};

/** Publishes templates of codes: a right one, and one whose text has the code twice. */
async function publishTemplates(broker: Broker): Promise<void> {
  const twice = { Code: 'TWICE', Sms: [{ Language: 'en', Message: '{{code}} {{code}} {{bank}}' }] };
  const inSubject = { Code: 'SUBJECT', Email: [{ ...CODE_TEXTS.Email[0], Subject: '{{code}} {{bank}}' }] };
  const put = [CODE_TEXTS, { ...CODE_TEXTS, ...twice }, { ...CODE_TEXTS, ...inSubject }].map(
    (texts, number) => {
      const json = exampleJson('notification-template', 'LOAN-APPROVED');
      const Id = json.Id.replace(/.$/, String(number + 1));
      return recordFrom('notification-template', { ...json, ...texts, Id });
    },
  );
  await changesOf(broker, CATALOGUE_TOPIC)({ put });
}

it(
  'makes the text from a template, in the channel and format of each message, and escapes its fields',
  async () => {
    const world = await verificationMessages();
    await publishTemplates(world.broker);
    const [sms] = world.providers.list;
    if (sms !== undefined) sms.answer = () => permanent();
    world.providers.add('mail', { channel: 'email' });
    const template = { name: 'login-code', fields: { bank: 'A&B' } };
    const fallback = { receiver: 'ana@mail.example' };
    await world.ask('Start', { ...OF_ID, receiver: START.receiver, template, fallback }, 2);
    const code = await world.codeOf(2);
    expect(world.providers.calls.map(({ message }) => message)).toMatchObject([
      { message: expect.stringMatching(/^A&B: your code is \d{6}\.$/) as string },
      { subject: 'A&B', message: `<b>A&#38;B</b> code is ${code}`, contentType: 'text/html' },
    ]);
    expect(states(await world.ask('Check', { ...OF_ID, code }))).toEqual(['approved']);
  },
  LIMIT_MS,
);

it(
  'refuses a start with all faults of its template: fields, the code itself, and a text without one code',
  async () => {
    const { ask, broker } = await verificationMessages();
    await publishTemplates(broker);
    const start = async (template: object, more: object = {}) => {
      const [reply] = await ask('Start', { receiver: START.receiver, template, ...more });
      expect(reply).toMatchObject({ type: 'ProblemReply', body: { status: 400 } });
      return ((reply?.body['errors'] ?? []) as readonly { path: string }[]).map(({ path }) => path);
    };
    expect(await start({ name: 'login-code', fields: { code: '1' } }, { length: 11 })).toEqual([
      'template.fields.code',
      'length',
    ]);
    expect(await start({ name: 'login-code', fields: { x: 'y' } })).toEqual([
      'template.fields.bank',
      'template.fields.x',
    ]);
    expect(await start({ name: 'twice', fields: { bank: 'A' } })).toEqual(['template']);
    expect(await start({ name: 'none' })).toEqual(['template.name']);
    const mail = { receiver: 'ana@mail.example' };
    expect(await start({ name: 'subject', fields: { bank: 'A' } }, mail)).toEqual(['template']);
    expect(await start({ name: 'twice' }, { message: '{{code}}' })).toEqual(['message']);
  },
  LIMIT_MS,
);

it(
  'keeps the code off the retry topics, and sends the same code with the next attempt',
  async () => {
    const world = await verificationMessages();
    const copies = await world.collect(retryTopicName('', 50, 'urgent'));
    const [sms] = world.providers.list;
    const seen: string[] = [];
    if (sms !== undefined)
      sms.answer = ({ message }) => {
        seen.push(message);
        return seen.length === 1 ? transient() : SENT;
      };
    await world.ask('Start', START);
    const code = await world.codeOf(2);
    expect(seen).toEqual([`Your code is ${code}.`, `Your code is ${code}.`]);
    expect(copies.map(({ value }) => String(value).includes('{{code}}'))).toEqual([true]);
    expect(states(await world.ask('Check', { ...OF_ID, code }))).toEqual(['approved']);
  },
  LIMIT_MS,
);

it(
  'keeps no code in a dead letter of a check without a reply topic',
  async () => {
    const { ask, codeOf, publish, deadLetters } = await verificationMessages();
    await ask('Start', START);
    const code = await codeOf(1);
    await publish('Check', { ...OF_ID, code }, {});
    await expect.poll(() => deadLetters.length, WAIT).toBe(1);
    const [letter] = deadLetters;
    expect(headerText(letter?.headers ?? {}, HEADER.deadLetterCode)).toBe('no-reply-address');
    expect(letter?.value).toBeNull();
  },
  LIMIT_MS,
);

it(
  'refuses an invalid request with all faults, and repeats no value',
  async () => {
    const { ask } = await verificationMessages();
    const [reply] = await ask('Start', { receiver: '1', message: 'x', length: 11 });
    const paths = ((reply?.body['errors'] ?? []) as readonly { path: string }[]).map(({ path }) => path);
    expect(reply?.body['status']).toBe(400);
    expect(paths.toSorted()).toEqual(['length', 'message', 'receiver']);
    const long = { receiver: 'ana@mail.example', message: '{{code}}'.padEnd(1_601) };
    expect(await ask('Start', long)).toMatchObject([
      { body: { status: 400, errors: [{ path: 'message', code: 'too-long' }] } },
    ]);
  },
  LIMIT_MS,
);

it(
  'counts messages for the quotas, of the caller too',
  async () => {
    const env = { RESULT_ID_SECRET: 'a secret for tests only', NOTIFICATION_QUOTA_CALLER: '1' };
    const { ask, codeOf, providers } = await verificationMessages({ env }, 1);
    await ask('Start', { ...START, caller: 'a caller' });
    await codeOf(1);
    const of = { ...OF_ID, caller: 'a caller' };
    expect(await ask('Resend', of)).toMatchObject([{ body: { status: 'pending', sendsLeft: 3 } }]);
    await expect.poll(async () => states(await ask('Get', of)), WAIT).toEqual(['failed']);
    expect(providers.calls).toHaveLength(1);
  },
  LIMIT_MS,
);

it(
  'refuses verifications on Kafka without a secret, and says what is missing',
  async () => {
    const { broker, ask, worker } = await verificationMessages({ env: {} }, 0);
    await worker({ broker: { ...broker, kind: 'kafka' } });
    const [reply] = await ask('Start', START);
    expect(reply).toMatchObject({ body: { code: 'not-ready', status: 503 } });
    expect(reply?.body['detail']).toContain('RESULT_ID_SECRET');
  },
  LIMIT_MS,
);
