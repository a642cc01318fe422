import { expect, it } from 'vitest';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { MessageHeaders, OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { callbackOf } from '../../../../workers/notification/start-callbacks.ts';
import {
  callbackHeaders,
  createCallbackProcess,
  type CallbackReceiver,
} from '../../../../workers/notification/callbacks/post-callback.ts';
import { notificationState } from '../../../support/builders/notification-state.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;
const TIERS = [10_000, 60_000, 600_000, HOUR];
const NEVER = new AbortController().signal;
type Result = Awaited<ReturnType<CallbackReceiver['post']>>;
const failed: Result = { code: 'http-500' };

it('signs as the published example of Standard Webhooks (N13)', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const body = Buffer.from('{"test": 2432232314}');
  expect(callbackHeaders(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body)).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('a callback has the outcome without personal data, and an id that a record written again keeps', () => {
  const state = notificationState('a-b', { status: 'sent', attempt: 2, sender: 'loans', receiverHash: 'ab' });
  const { key, value, headers = {} } = callbackOf(state, 'callbacks', 7);
  const updatedAt = new Date(state.updatedAt).toISOString();
  const { notificationId, channel, providerMessageId } = state;
  expect([key, headers[HEADER.callbackId]]).toEqual([notificationId, `${notificationId}_sent`]);
  expect(JSON.parse(String(value))).toEqual({
    type: 'notification.sent',
    timestamp: updatedAt,
    data: { notificationId, channel, status: 'sent', attempt: 2, providerMessageId, updatedAt },
  });
  const again = callbackOf({ ...state, attempt: 1, updatedAt: 5 }, 'callbacks', 8);
  expect(again.headers?.[HEADER.callbackId]).toBe(headers[HEADER.callbackId]);
  const ids = [1, 2].map((attempt) => callbackOf({ ...state, status: 'failed', attempt }, '', 9).headers);
  expect(new Set(ids.map((one) => one?.[HEADER.callbackId])).size).toBe(2);
});

function world(result: Result, ageMs: number, headers: MessageHeaders = {}) {
  const copies: OutgoingMessage[] = [];
  const letters: { readonly code: string; readonly text: string }[] = [];
  const process = createCallbackProcess({
    clock: { now: () => NOW },
    copies: {
      publish: async (messages: readonly OutgoingMessage[]) => void copies.push(...messages),
    } as never,
    tierTopic: String,
    tiersMs: TIERS,
    deadLetters: { write: async (_, reason) => void letters.push(reason) },
    receiverOf: (sender) => (sender === 'loans' ? { post: async () => result } : undefined),
  });
  const sent = {
    [HEADER.sender]: 'loans',
    [HEADER.originTimestamp]: String(NOW - ageMs),
    ...headers,
  };
  const message = { ...fakeMessage(7), headers: sent, value: Buffer.from('{}') };
  return { copies, letters, run: (signal = NEVER) => process(message, 1, signal) };
}

it.each([
  [1, 0, '10000'],
  [2, 20_000, '60000'],
  [3, 100_000, '600000'],
  [4, HOUR, String(HOUR)],
  [20, 22 * HOUR, String(HOUR)],
])('after attempt %d and %d ms the callback waits on tier %s', async (round, ageMs, topic) => {
  const { copies, letters, run } = world(failed, ageMs, { [HEADER.attempt]: String(round) });
  expect(await run()).toBe('settled');
  expect(letters).toEqual([]);
  expect(copies).toMatchObject([{ topic, headers: { [HEADER.attempt]: String(round + 1) } }]);
  expect(copies[0]?.headers?.[HEADER.dueAt]).toBe(String(NOW + Number(topic)));
});

it('a callback that was not accepted for a day becomes a dead letter; a redrive begins another day', async () => {
  const late = world(failed, 24 * HOUR, { [HEADER.attempt]: '25' });
  await late.run();
  const code = 'callback-failed';
  expect([late.copies, late.letters]).toEqual([
    [],
    [{ code, text: 'the callback was not accepted: http-500' }],
  ]);
  const redriven = { [HEADER.redriveCount]: '1', [HEADER.timeLimitFrom]: String(NOW) };
  const again = world(failed, 48 * HOUR, redriven);
  await again.run();
  expect([again.copies.length, again.letters.length]).toEqual([1, 0]);
});

it('without an address it becomes a dead letter; a busy receiver costs no attempt, a stop nothing', async () => {
  const unknown = world(failed, 0, { [HEADER.sender]: 'others' });
  await unknown.run();
  expect(unknown.letters).toMatchObject([{ text: 'the callback was not accepted: no-address' }]);
  const busy = world({ code: 'busy', isUncalled: true }, 30 * HOUR, { [HEADER.attempt]: '3' });
  await busy.run();
  expect(busy.copies).toMatchObject([{ topic: '10000', headers: { [HEADER.attempt]: '3' } }]);
  const stopped = world({ code: 'aborted' }, 0);
  expect(await stopped.run(AbortSignal.abort())).toEqual({ retryAfterMs: 1_000 });
  expect(stopped.copies).toEqual([]);
});
