import { expect, it } from 'vitest';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { SmsCommand } from '../../../shared/notification/notification-command.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import {
  commandsOf,
  EMAIL,
  failing,
  hasAcceptance,
  idOf,
  publishingBy,
  send,
  SMS,
} from '../../support/builders/notification-call.ts';
import { exampleJson, recordFrom } from '../../support/builders/catalogue-entries.ts';
import { changesOf } from '../../support/worlds/catalogue-changes.ts';
import { CATALOGUE_TOPIC } from '../../support/worlds/catalogue-world.ts';
import { createSharedBroker, standingClock, startOn } from '../../support/worlds/ingress-system.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';

interface Result {
  readonly status: string;
  readonly notificationId?: string;
  readonly problem?: string;
  readonly errors?: readonly { readonly path: string }[];
}

const KEY = { headers: { 'idempotency-key': 'a' } };
const use = (fields: object) => ({ receiver: SMS.receiver, template: { name: 'loan-approved', fields } });
const sms = (number: number, more: object = {}) => ({ ...SMS, message: `text ${number}`, ...more });
const list = (count: number) => Array.from({ length: count }, (_, index) => sms(index));

async function resultsOf(response: Response | Promise<Response>): Promise<readonly Result[]> {
  const answer = await response;
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { results: readonly Result[] }).results;
}

async function ingress(env: Record<string, string> = {}, broker?: Broker) {
  const own = broker ?? (await createSharedBroker(3));
  const { url } = await startOn(own, startIngressWorker, env, standingClock());
  return { broker: own, url };
}

const textsOf = async (broker: Broker) =>
  (await commandsOf(broker, 'sms')).map(({ payload }) => (payload as SmsCommand).message);

it('accepts 1,000 notifications, each with its own id, in the order of the call (N12)', async () => {
  const { broker, url } = await ingress();
  const results = await resultsOf(send(url, 'sms/batch', { messages: list(1_000) }));
  expect(new Set(results.map(({ notificationId }) => notificationId)).size).toBe(1_000);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['accepted']));
  const commands = await commandsOf(broker, 'sms');
  const byId = new Map(commands.map(({ id, payload }) => [id, (payload as SmsCommand).message]));
  expect(results.map(({ notificationId }) => byId.get(notificationId))).toEqual(
    list(1_000).map(({ message }) => message),
  );
});

it('refuses only the notifications with faults, whose fields and unknown fields it names', async () => {
  const { broker, url } = await ingress();
  const messages = [sms(0), { ...sms(1), receiver: '1', message: '' }, 'text', sms(3, { extra: 1 })];
  const answer = await send(url, 'sms/batch', { messages, mesages: 1 });
  expect(answer.headers.get('warnings')).toBe('unknown-member;mesages, unknown-member;messages[3].extra');
  const results = await resultsOf(answer);
  expect(results.map(({ status, problem }) => problem ?? status)).toEqual([
    'accepted',
    'invalid-request',
    'invalid-request',
    'accepted',
  ]);
  expect(results[1]?.errors?.map(({ path }) => path)).toEqual(['message', 'receiver']);
  expect(results[2]?.errors?.map(({ path }) => path)).toEqual(['body']);
  expect(await textsOf(broker)).toEqual(['text 0', 'text 3']);
  const mails = await resultsOf(send(url, 'email/batch', { messages: [EMAIL, { ...EMAIL, subject: '' }] }));
  expect(mails.map(({ status }) => status)).toEqual(['accepted', 'refused']);
});

it.each([{}, { messages: [] }, { messages: {} }, { messages: null }, [sms(0)], { messages: list(1_001) }])(
  'refuses a malformed list: case %#',
  async (body) => {
    const { broker, url } = await ingress();
    const answer = await send(url, 'sms/batch', body);
    expect(await answer.json()).toMatchObject({ status: 400, errors: [{ path: 'messages' }] });
    expect(await commandsOf(broker, 'sms')).toEqual([]);
  },
);

it('a repeat with the same key accepts nothing twice, and another body in a place is a conflict there', async () => {
  const { broker, url } = await ingress();
  const messages = [sms(0), sms(1), {}, sms(3)];
  const first = await resultsOf(send(url, 'sms/batch', { messages }, KEY));
  const again = await Promise.all(
    [0, 1].map(() => resultsOf(send(url, 'sms/batch', { messages: [...messages, sms(4)] }, KEY))),
  );
  for (const results of again) expect(results.slice(0, 4)).toEqual(first);
  expect(again[0]?.[4]).toEqual(again[1]?.[4]);
  const changed = [sms(0), sms(9), sms(2), sms(3)];
  const other = await resultsOf(send(url, 'sms/batch', { messages: changed }, KEY));
  expect(other.map(({ status, problem }) => problem ?? status)).toEqual([
    'accepted',
    'idempotency-conflict',
    'accepted',
    'accepted',
  ]);
  expect(other[3]).toEqual(first[3]);
  // The key of a single call is another one.
  await idOf(send(url, 'sms', sms(5), KEY));
  expect((await textsOf(broker)).toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((number) => `text ${number}`));
});

it('each notification counts for the quotas and the rate limit as one', async () => {
  const { url } = await ingress({ NOTIFICATION_QUOTA_RECEIVER: '2' });
  const results = await resultsOf(send(url, 'sms/batch', { messages: list(3) }));
  expect(results.map(({ status, problem }) => problem ?? status)).toEqual([
    'accepted',
    'accepted',
    'quota-exceeded',
  ]);
  expect(results[2]?.errors).toMatchObject([{ path: 'receiver' }]);
  const limited = await ingress({ RATE_LIMIT_PER_SECOND: '10' });
  await resultsOf(send(limited.url, 'sms/batch', { messages: list(15) }));
  expect((await send(limited.url, 'sms', SMS)).status).toBe(429);
});

it('says of each notification whether it may be stored', async () => {
  const broker = await createSharedBroker(3);
  const unknown = failing(broker, (messages) =>
    messages.some(({ value }) => String(value).includes('text 1')),
  );
  const { url } = await openNotificationIngress({ broker: unknown });
  const results = await resultsOf(send(url, 'sms/batch', { messages: list(3) }, KEY));
  expect(results.map(({ status, problem }) => `${status} ${problem}`)).toEqual([
    'accepted undefined',
    'unknown accept-unknown',
    'accepted undefined',
  ]);
  const withoutRecord = await openNotificationIngress({ broker: failing(broker, hasAcceptance) });
  const [only] = await resultsOf(
    send(withoutRecord.url, 'sms/batch', { messages: [sms(0)] }, { headers: { 'idempotency-key': 'b' } }),
  );
  expect(only).toMatchObject({ status: 'unknown', problem: 'accept-unknown' });
});

it('publishes the commands of a batch together', async () => {
  const broker = await createSharedBroker(3);
  let inFlight = 0;
  let most = 0;
  const counting = publishingBy(broker, (publish) => async (messages) => {
    most = Math.max(most, (inFlight += 1));
    await publish(messages);
    inFlight -= 1;
  });
  const { url } = await openNotificationIngress({ broker: counting });
  await resultsOf(send(url, 'sms/batch', { messages: list(100) }, KEY));
  expect(most).toBeGreaterThanOrEqual(100);
});

it('fills in the templates of a batch', async () => {
  const broker = await createSharedBroker(3);
  const kind = 'notification-template';
  const record = recordFrom(kind, exampleJson(kind, 'LOAN-APPROVED'));
  await changesOf(broker, CATALOGUE_TOPIC)({ put: [record] });
  const { url } = await ingress({}, broker);
  const messages = [use({ name: 'Ana', product: 'Loan', note: '!' }), use({}), sms(2)];
  const results = await resultsOf(send(url, 'sms/batch', { messages }));
  expect(results.map(({ status }) => status)).toEqual(['accepted', 'refused', 'accepted']);
  expect(results[1]?.errors?.map(({ path }) => path)).toEqual([
    'template.fields.name',
    'template.fields.product',
  ]);
  expect(await textsOf(broker)).toContain('Loan: your application was approved. !');
});
