import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import {
  createHistory,
  type ActionExchange,
  type History,
  type NotificationExchange,
  type ProviderCall,
} from '../../simulation/check/history.ts';
import { Journal } from '../../simulation/check/journal.ts';
import { createWatcher } from '../../simulation/check/watcher.ts';
import { commandId } from '../../simulation/workload/upstream.ts';
import type {
  Activity,
  NotificationCall,
  Recalculation,
  UpstreamRequest,
} from '../../simulation/workload/plan.ts';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';

const CODEC = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
const ID = 'aaaaaaaa-0000-4000-8000-000000000001';
const LATER = 'aaaaaaaa-0000-4000-8000-000000000002';

/** A watcher over a history that the test fills, at a time that it sets. */
function watch(
  unknownPolicy: 'park' | 'resend' = 'park',
  isCalm = false,
  { isEmbedded = false, mayLoseOrder = false } = {},
) {
  const history = createHistory();
  const time = { nowMs: 0 };
  const elapsedMs = (): number => time.nowMs;
  const watcher = createWatcher({
    history,
    journal: new Journal(elapsedMs),
    codec: CODEC,
    elapsedMs,
    unknownPolicy,
    mayEvictResults: false,
    isEmbedded,
    mayLoseOrder,
    isCalm,
  });
  const offsets = new Map<string, number>();
  const record = (
    topic: string,
    headers: MessageHeaders,
    more: { key?: string; value?: string | null } = {},
  ): void => {
    const offset = offsets.get(topic) ?? 0;
    offsets.set(topic, offset + 1);
    const value = more.value === null ? null : Buffer.from(more.value ?? '{}');
    const key = Buffer.from(more.key ?? 'key');
    watcher.onRecord({ topic, partition: 0, offset, key, value, headers, timestampMs: 0 }, 'writer#1');
  };
  const command = (id: string, headers: MessageHeaders = {}): void =>
    record(TOPIC.smsCommands, { [HEADER.notificationId]: id, ...headers });
  const state = (id: string, status: NotificationState['status'], attempt = 1, code?: string): void => {
    const states = history.states.get(id) ?? [];
    states.push({ notificationId: id, status, attempt, code, channel: 'sms' } as NotificationState);
    history.states.set(id, states);
    if (status !== 'sending' && status !== 'retrying') history.concludedAtMs.set(id, time.nowMs);
  };
  const deliver = (id: string, more: Partial<ProviderCall> = {}): void => {
    const call = {
      notificationId: id,
      text: `text of ${id}`,
      startedAtMs: time.nowMs,
      deliveredAtMs: time.nowMs,
      ...more,
    };
    history.providerCalls.push(call as ProviderCall);
    watcher.onDelivery(call as ProviderCall);
  };
  const commit = (topic: string, offset: number): void =>
    watcher.onCommit('group', { topic, partition: 0, offset }, 'reader#1');
  const end = (unsettled: readonly string[] = []): readonly string[] => {
    watcher.atEnd({ isCalm, unsettled });
    return violated();
  };
  const violated = (): readonly string[] => watcher.violations.map(({ rule }) => rule);
  return { history, watcher, time, record, command, state, deliver, commit, end, violated };
}

function notification(
  history: History,
  more: Partial<NotificationExchange> & { readonly id?: string } = {},
): NotificationExchange {
  const call = {
    id: more.id ?? 'notification-1',
    key: 'key',
    isValid: true,
    repeats: [],
  } as unknown as NotificationCall;
  const exchange = { call, isOther: false, text: 'text', sentAtMs: 0, ...more };
  history.notifications.push(exchange);
  return exchange;
}

const answer = (status: number, body: unknown) => ({ status, headers: {}, body: JSON.stringify(body) });

const request = (id: string, more: Partial<UpstreamRequest> = {}) => ({
  id,
  activity: {
    kind: 'request',
    format: 'json',
    replyTopic: 'upstream.one.replies',
    isBatch: false,
    items: [{ requestType: 'CalculatePMTRequest', body: {} }],
    ...more,
  } as Activity,
  expected: [{ status: 200 as const, body: '{"PMTValue":1}' }],
});
const headersOf = (id: string): MessageHeaders => ({
  [HEADER.correlationId]: id,
  [HEADER.contentType]: 'application/json',
});

const batchReply = (...values: readonly number[]): string =>
  JSON.stringify(values.map((PMTValue) => ({ status: 200, body: { PMTValue } })));

describe('notifications', () => {
  it('an accepted notification without an outcome is reported', () => {
    const { history, state, deliver, end } = watch();
    notification(history, { notificationId: ID });
    state(ID, 'sending');
    deliver(ID);
    expect(end()).toEqual(['an accepted notification ends as sent, failed or parked']);
  });

  it('an acknowledged command without an outcome is reported', () => {
    const { history, end } = watch();
    history.upstream.push({
      id: 'command-1',
      activity: { kind: 'command' } as Activity,
      acknowledgedAtMs: 1,
      expected: [],
    });
    expect(end()).toEqual(['an accepted notification ends as sent, failed or parked']);
    expect(commandId('command-1')).toMatch(/^c0000000-/);
  });

  it.each([
    ['sent', 0],
    ['failed', 1],
  ] as const)('a status %s after %i deliveries is reported', (status, deliveries) => {
    const { state, deliver, end } = watch();
    state(ID, status);
    for (let count = 0; count < deliveries; count += 1) deliver(ID);
    expect(end()).toEqual(['the status of a notification agrees with what its providers did']);
  });

  it('a second delivery of an id or a text is reported, unless it is declared', () => {
    const rule = 'no message is sent twice unless that is declared';
    const parking = watch();
    parking.deliver(ID);
    expect(parking.violated()).toEqual([]);
    parking.deliver(ID);
    expect(parking.violated()).toEqual([rule]);
    const resending = watch('resend');
    resending.deliver(ID);
    resending.deliver(ID);
    expect(resending.violated()).toEqual([]);
    resending.deliver(LATER, { text: `text of ${ID}` });
    expect(resending.violated()).toEqual([rule]);
    // The second send began although its outcome `sent` was on the log before its intent.
    const known = watch('resend');
    known.state(ID, 'sending');
    known.deliver(ID);
    known.state(ID, 'sent');
    known.time.nowMs = 1;
    known.state(ID, 'sending');
    known.deliver(ID);
    expect(known.violated()).toEqual([rule]);
    const late = watch('resend');
    for (const status of ['sending', 'sending', 'sent'] as const) late.state(ID, status);
    late.deliver(ID);
    late.time.nowMs = 1;
    late.deliver(ID);
    expect(late.violated()).toEqual([]);
    const redriven = watch();
    redriven.deliver(ID);
    redriven.command(ID, { [HEADER.redriveUnknown]: 'true' });
    redriven.deliver(ID);
    expect(redriven.violated()).toEqual([]);
  });

  it('an attempt before an earlier notification of the receiver is concluded is reported, unless its order may be lost', () => {
    const rule = 'a notification is attempted only when earlier ones of its receiver are concluded';
    for (const [isEarly, mayLoseOrder] of [
      [true, false],
      [false, false],
      [true, true],
    ]) {
      const { command, state, deliver, end, time } = watch('park', false, { mayLoseOrder });
      command(ID);
      command(LATER);
      const steps = [
        () => {
          deliver(ID);
          state(ID, 'sent');
        },
        () => {
          deliver(LATER);
          state(LATER, 'sent');
        },
      ];
      for (const step of isEarly ? steps.toReversed() : steps) {
        time.nowMs += 1;
        step();
      }
      expect(end()).toEqual(isEarly && !mayLoseOrder ? [rule] : []);
    }
  });

  it('an end that no answer of a provider explains is reported', () => {
    const rejected = { kind: 'permanent', code: 'rejected' };
    const busy = { kind: 'transient', code: 'busy' };
    const silent = { kind: 'unknown', code: 'timeout' };
    const doubt = 'outcome-unknown';
    for (const [status, code, results, afterMs, findings] of [
      ['failed', 'rejected', [rejected], 100, 0],
      ['failed', 'busy', [busy], 100, 1],
      ['failed', 'rejected', [], 100, 1],
      ['failed', 'time-limit-exceeded', [busy], 100, 0],
      ['parked', doubt, [silent], 100, 0],
      ['parked', doubt, [busy], 100, 1],
      // Its caller ended before it could record the answer.
      ['parked', doubt, [busy], 11_000, 0],
      ['parked', doubt, [], 11_000, 0],
    ] as const) {
      const { history, time, state, end } = watch();
      notification(history, { notificationId: ID });
      state(ID, 'sending');
      for (const result of results) {
        const call = { notificationId: ID, startedAtMs: 0, result };
        history.providerCalls.push(call as unknown as ProviderCall);
      }
      time.nowMs = afterMs;
      state(ID, status, 1, code);
      expect(end()).toHaveLength(findings);
    }
  });

  it('two ids for one Idempotency-Key are reported', () => {
    const { history, state, deliver, end } = watch();
    for (const id of [ID, LATER]) {
      notification(history, { notificationId: id });
      deliver(id);
      state(id, 'sent');
    }
    expect(end()).toEqual([
      'repeats of an Idempotency-Key get the first answer, and other requests under it a conflict',
    ]);
  });

  it('another request that is accepted long after the first is reported', () => {
    const { history, record, state, deliver, end } = watch();
    notification(history, { notificationId: ID });
    record(TOPIC.notificationAcceptances, {}, { key: ID });
    notification(history, { notificationId: ID, isOther: true, sentAtMs: 60_000 });
    deliver(ID);
    state(ID, 'sent');
    expect(end()).toEqual(['another request under an accepted Idempotency-Key is a conflict']);
  });

  it('an unexpected answer to a notification is reported', () => {
    const { history, watcher, violated } = watch();
    watcher.onNotificationAnswer(notification(history, { answer: answer(503, {}) }));
    expect(violated()).toEqual([]);
    watcher.onNotificationAnswer(notification(history, { answer: answer(500, {}) }));
    expect(violated()).toEqual(['a notification is answered by its acceptance or refusal']);
  });

  it('an instance that forgets that a notification was sent is reported', () => {
    const { history, end } = watch();
    for (const [at, status] of ['sent', 'accepted'].entries()) {
      const times = { sentAtMs: 10 * at, answeredAtMs: 10 * at + 1 };
      history.looks.push({
        notificationId: ID,
        ingress: 'ingress-1',
        ...times,
        answer: answer(200, { status }),
      });
    }
    expect(end()).toEqual(['an instance that has shown a notification as sent never shows another status']);
  });
});

/** An attempt that delivers nothing. */
const attemptOf = ({ providerCalls }: History) =>
  providerCalls.push({ notificationId: ID, startedAtMs: 0 } as ProviderCall);

/** A look at the end, after which nothing changes. */
const lastLook = (shown: NotificationState['status'] | 'accepted') => ({
  notificationId: ID,
  ingress: 'ingress-1',
  sentAtMs: 0,
  answeredAtMs: 1,
  answer: answer(200, { status: shown }),
});

describe('notifications when everything has settled', () => {
  it('an instance that shows another status than the log is reported', () => {
    for (const [shown, rules] of [
      ['sent', []],
      ['accepted', ['every instance shows the status that is on the log when everything has settled']],
    ] as const) {
      const { history, state, deliver, end } = watch();
      deliver(ID);
      state(ID, 'sent');
      history.lastLooks.push(lastLook(shown));
      expect(end()).toEqual(rules);
    }
  });

  it('an outcome that compaction would remove is reported', () => {
    const { state, deliver, end } = watch();
    deliver(ID);
    state(ID, 'sent');
    state(ID, 'sending');
    expect(end()).toEqual(['the last record of a notification on its compacted topic has its status']);
  });

  it('a notification that fails for its age is reported unless it was attempted', () => {
    for (const [attempts, rules] of [
      [0, ['the time limit of a notification ends only one that was attempted']],
      [1, []],
    ] as const) {
      const { history, state, end } = watch();
      for (let attempt = 0; attempt < attempts; attempt += 1) attemptOf(history);
      state(ID, 'failed');
      const [failed] = history.states.get(ID) ?? [];
      history.states.set(ID, [{ ...failed, code: 'time-limit-exceeded' } as NotificationState]);
      expect(end()).toEqual(rules);
    }
  });

  it.each([
    ['a message that was not counted', [], 0, 'ingress-1'],
    ['a message that a worker counted twice', [ID], 2, 'notification-1'],
    ['a message that a worker missed', [ID], 0, 'notification-1'],
    ['a message that an ingress missed', [ID], 0, 'ingress-1'],
  ])('%s is reported', (_what, records, counted, process) => {
    const { history, watcher, record, state, deliver, end } = watch();
    notification(history, { notificationId: ID });
    deliver(ID);
    state(ID, 'sent');
    for (const key of records) record(TOPIC.notificationUsage, {}, { key });
    const gauges = new Map([['plat_notification_quota_spent', counted]]);
    watcher.onSample({ process, atMs: 0, isReady: true, cutOffMs: 0, gauges });
    expect(end()).toEqual(['the quotas count each notification once, in every process']);
  });

  it('a copy that waits longer than its tier is reported', () => {
    for (const [returnsMs, rules] of [
      [115_000, []],
      [115_001, ['a copy returns from its retry tier after the delay of the tier at the latest']],
    ] as const) {
      const { record, command, time, end } = watch();
      time.nowMs = 100_000;
      record('plat.notification.retry.5s.v1', { [HEADER.notificationId]: ID });
      time.nowMs = returnsMs;
      command(ID);
      expect(end()).toEqual(rules);
    }
  });
});

describe('requests', () => {
  it('a call that is refused at once is reported unless a connection was absent for a second', () => {
    const rule =
      'a call is refused at once only when a connection to the broker has been absent for a second';
    for (const [absentMs, answeredAtMs, code, rules] of [
      [0, 0, 'broker-unavailable', [rule]],
      [980, 50, 'not-ready', [rule]],
      [990, 0, 'broker-unavailable', []],
      [0, 51, 'broker-unavailable', []],
      [0, 0, 'overloaded', []],
    ] as const) {
      const { watcher, violated } = watch();
      const exchange = { id: 'action-1', sentAtMs: 0, isAsync: false, expected: undefined };
      watcher.onActionAnswer({ ...exchange, answeredAtMs, absentMs, answer: answer(503, { code }) });
      expect(violated()).toEqual(rules);
    }
  });

  it.each([
    [{ status: 200, body: { PMTValue: 1 } }, []],
    [
      { status: 200, body: { PMTValue: 2 } },
      ['the answer to a call is that of the calculation of its own request'],
    ],
    [
      { status: 422, body: { code: 'not-computable' } },
      ['the answer to a call is that of the calculation of its own request'],
    ],
    [{ status: 504, body: { code: 'reply-timeout' } }, []],
  ])('an answer %j to a request for PMTValue 1 gives %j', (got, rules) => {
    const { watcher, violated } = watch();
    const exchange: ActionExchange = {
      id: 'action-1',
      sentAtMs: 0,
      isAsync: false,
      expected: { status: 200, body: '{"PMTValue":1}' },
      answer: answer(got.status, got.body),
    };
    watcher.onActionAnswer(exchange);
    expect(violated()).toEqual(rules);
  });

  it('a transient refusal without any fault is reported', () => {
    const { watcher, violated } = watch('park', true);
    const exchange = { id: 'action-1', sentAtMs: 0, isAsync: false, expected: undefined };
    watcher.onActionAnswer({ ...exchange, answer: answer(503, { code: 'broker-unavailable' }) });
    expect(violated()).toHaveLength(1);
  });

  it('a late answer without any fault is reported', () => {
    for (const [isCalm, rules] of [
      [true, ['without faults every call is answered soon, also behind messages that cannot be handled']],
      [false, []],
    ] as const) {
      const { watcher, violated } = watch('park', isCalm);
      const expected = { status: 200, body: '{"PMTValue":1}' } as const;
      const times = { sentAtMs: 0, answeredAtMs: 5_001 };
      const exchange = { id: 'action-1', ...times, isAsync: false, expected };
      watcher.onActionAnswer({ ...exchange, answer: answer(200, { PMTValue: 1 }) });
      expect(violated()).toEqual(rules);
    }
  });

  it('without any fault late and repeated replies, late notifications and outcomes, and a process that is not ready are reported', () => {
    for (const [isCalm, count] of [
      [true, 6],
      [false, 0],
    ] as const) {
      const { history, watcher, time, record, command, state, deliver, end } = watch('park', isCalm);
      history.upstream.push(request('request-1'));
      record(TOPIC.scheduleRequests, headersOf('request-1'));
      notification(history, { notificationId: ID });
      command(ID);
      time.nowMs = 60_000;
      // Both replies are late, and the second one is too many.
      for (let reply = 1; reply <= 2; reply += 1)
        record('upstream.one.replies', headersOf('request-1'), { value: '{"PMTValue":1}' });
      deliver(ID);
      state(ID, 'sent');
      const look = { notificationId: ID, ingress: 'ingress-1', sentAtMs: 66_000, answeredAtMs: 66_000 };
      history.looks.push({ ...look, answer: answer(200, { status: 'accepted' }) });
      const sample = { process: 'ingress-1', atMs: 60_000, cutOffMs: 0, gauges: new Map<string, number>() };
      watcher.onSample({ ...sample, isReady: false });
      expect(end().filter((rule) => rule.startsWith('without faults'))).toHaveLength(count);
    }
  });

  it('an instance that gives another result than before is reported', () => {
    const rule = 'every instance serves a result that was fetched before';
    const result = answer(200, { PMTValue: 1 });
    for (const [former, later, rules] of [
      [result, result, []],
      [result, answer(200, { PMTValue: 2 }), [rule]],
      [result, answer(202, {}), [rule]],
      [
        answer(422, { code: 'not-computable', correlationId: '1' }),
        answer(422, { code: 'not-computable' }),
        [],
      ],
      [answer(422, { code: 'not-computable' }), answer(404, { code: 'unknown-result' }), [rule]],
      [answer(504, { code: 'reply-timeout' }), result, []],
    ] as const) {
      const { history, end } = watch();
      const exchange = { id: 'action-1', sentAtMs: 0, isAsync: true, expected: undefined, answer: former };
      history.lastResults.push({ exchange, ingress: 'ingress-1', answer: later });
      expect(end()).toEqual(rules);
    }
  });

  it('a reply to another request, or on another topic, is reported', () => {
    const { history, record, violated } = watch();
    history.upstream.push(request('request-1'));
    record('upstream.one.replies', headersOf('request-1'), { value: '{"PMTValue":1}' });
    expect(violated()).toEqual([]);
    record('upstream.one.replies', headersOf('request-1'), { value: '{"PMTValue":2}' });
    record('upstream.two.replies', headersOf('request-1'), { value: '{"PMTValue":1}' });
    record('upstream.one.replies', headersOf('request-2'), { value: '{"PMTValue":1}' });
    expect(violated()).toHaveLength(3);
  });

  it('a batch reply with an item too few or out of place is reported', () => {
    const items = [1, 2].map(() => ({ requestType: 'CalculatePMTRequest', body: {} }));
    const expected = [1, 2].map((value) => ({ status: 200 as const, body: `{"PMTValue":${value}}` }));
    const { history, record, violated } = watch();
    history.upstream.push({ ...request('request-1', { isBatch: true, items }), expected });
    record('upstream.one.replies', headersOf('request-1'), { value: batchReply(1, 2) });
    expect(violated()).toEqual([]);
    record('upstream.one.replies', headersOf('request-1'), { value: batchReply(1) });
    record('upstream.one.replies', headersOf('request-1'), { value: batchReply(2, 1) });
    expect(violated()).toHaveLength(2);
  });

  it('a request without a reply is reported, also beside one with a reply, and one that was acknowledged and is on no topic', () => {
    const { history, record, end } = watch();
    for (let copy = 1; copy <= 2; copy += 1) record(TOPIC.scheduleRequests, headersOf('request-1'));
    record(TOPIC.ingressReplies, headersOf('request-1'));
    history.upstream.push({ ...request('request-2'), acknowledgedAtMs: 1 });
    expect(end()).toEqual([
      'every request on a topic gets a reply or becomes a dead letter',
      'what the broker acknowledged is on its topic',
    ]);
  });

  it('a dead letter of a sound request is reported, and a missing one of a poison message', () => {
    const { history, record, violated, end } = watch();
    const poison = { activity: { kind: 'poison' } as Activity, acknowledgedAtMs: 1, expected: [] };
    history.upstream.push({ id: 'poison-1', ...poison }, { id: 'poison-2', ...poison });
    record(TOPIC.scheduleDeadLetters, {
      ...headersOf('poison-1'),
      [HEADER.deadLetterCode]: 'undecodable-message',
    });
    expect(violated()).toEqual([]);
    record(TOPIC.scheduleRequests, headersOf('poison-2'));
    record(TOPIC.scheduleDeadLetters, {
      ...headersOf('request-1'),
      [HEADER.deadLetterCode]: 'no-reply-address',
    });
    expect(violated()).toEqual(['a request whose topics are sound never becomes a dead letter']);
    expect(end()).toContain('a message that cannot be handled becomes a dead letter');
  });

  it('one dead letter for two poison messages is reported', () => {
    for (const [letters, rules] of [
      [[0, 1], []],
      [[0, 0], ['a message that cannot be handled becomes a dead letter']],
    ] as const) {
      const { history, record, end } = watch();
      history.upstream.push({ id: 'poison-1', activity: { kind: 'poison' } as Activity, expected: [] });
      for (const _ of letters) record(TOPIC.scheduleRequests, headersOf('poison-1'));
      for (const offset of letters) {
        record(TOPIC.scheduleDeadLetters, {
          ...headersOf('poison-1'),
          [HEADER.deadLetterTopic]: TOPIC.scheduleRequests,
          [HEADER.deadLetterPartition]: '0',
          [HEADER.deadLetterOffset]: String(offset),
        });
      }
      expect(end()).toEqual(rules);
    }
  });

  it('an unexpected failure is reported, also one of a notification that ended as failed', () => {
    for (const [code, rules] of [
      ['rejected', []],
      ['unexpected', ['a request whose topics are sound never becomes a dead letter']],
    ] as const) {
      const { record, state, violated } = watch();
      state(ID, 'failed');
      record(TOPIC.notificationDeadLetters, {
        [HEADER.notificationId]: ID,
        [HEADER.deadLetterCode]: code,
      });
      expect(violated()).toEqual(rules);
    }
  });

  it('a call that fails when everything has settled is reported', () => {
    const { watcher, violated } = watch();
    const exchange = { sentAtMs: 0, isAsync: false, expected: undefined };
    const overloaded = answer(503, { code: 'overloaded' });
    watcher.onActionAnswer({ ...exchange, id: 'action-1', answer: overloaded });
    expect(violated()).toEqual([]);
    watcher.onActionAnswer({ ...exchange, id: 'last-action-1', answer: overloaded });
    watcher.onActionAnswer({ ...exchange, id: 'last-action-1', answer: undefined });
    expect(violated()).toHaveLength(2);
  });

  it('replies in another order than their requests of the same key are reported', () => {
    for (const [isEmbedded, wasRefused, rules] of [
      [false, true, ['requests with the same key are answered in their order']],
      [true, false, ['requests with the same key are answered in their order']],
      // The first reply may be to the publish that was refused.
      [true, true, []],
    ] as const) {
      const { history, record, end } = watch('park', false, { isEmbedded });
      for (const id of ['request-1', 'request-2']) history.upstream.push({ ...request(id), wasRefused });
      for (const id of ['request-1', 'request-2']) record(TOPIC.scheduleRequests, headersOf(id));
      for (const id of ['request-2', 'request-1'])
        record('upstream.one.replies', headersOf(id), { value: '{"PMTValue":1}' });
      expect(end()).toEqual(rules);
    }
  });

  it('a result that never comes is reported, and an old version of a product', () => {
    const { history, end } = watch();
    history.actions.push({
      id: 'action-1',
      sentAtMs: 0,
      isAsync: true,
      expected: undefined,
      acceptedAtMs: 1,
      answer: answer(202, {}),
    });
    history.revisions.push({ revision: 1, atMs: 0, isAcknowledged: true });
    history.lastLookUps.push(answer(404, {}));
    expect(end().toSorted()).toEqual([
      'a request that was accepted with 202 has a result',
      'look-ups see the last published version of a product',
    ]);
  });

  it.each([
    [['{"id":"1"}', '{"id":"2"}'], 0],
    [['{"id":"1"}'], 1],
    [['{"id":"2"}', '{"id":"1"}'], 1],
    [['{"id":"1"}', '{"id":"2"}', '{"id":"2"}'], 1],
  ])('a portfolio with the lines %j gives %i findings', (results, findings) => {
    const { history, end } = watch();
    const expected = ['{"id":"1"}', '{"id":"2"}'];
    const activity = { id: 'recalculation-1' } as Recalculation;
    history.portfolios.push({ activity, results, failures: [], expected, end: 'complete' });
    expect(end()).toHaveLength(findings);
  });
});

describe('processes', () => {
  it('a commit ahead of the reply, the outcome or the returned copy is reported', () => {
    const { record, command, state, commit, violated } = watch();
    record(TOPIC.scheduleRequests, { [HEADER.correlationId]: 'one' });
    record('upstream.replies', { [HEADER.correlationId]: 'one' });
    commit(TOPIC.scheduleRequests, 1);
    command(ID);
    state(ID, 'retrying');
    commit(TOPIC.smsCommands, 1);
    expect(violated()).toEqual([]);
    record(TOPIC.scheduleRequests, { [HEADER.correlationId]: 'two' });
    commit(TOPIC.scheduleRequests, 2);
    command(LATER);
    state(LATER, 'sending');
    // An intent is no outcome.
    record(TOPIC.notificationOutcomes, {}, { key: LATER });
    commit(TOPIC.smsCommands, 2);
    record('plat.notification.retry.5s.v1', { [HEADER.notificationId]: LATER, [HEADER.attempt]: '2' });
    commit('plat.notification.retry.5s.v1', 1);
    // The outcome of the first round is none of the second one.
    command(ID, { [HEADER.attempt]: '2' });
    commit(TOPIC.smsCommands, 3);
    // One reply answers one request.
    record(TOPIC.scheduleRequests, { [HEADER.correlationId]: 'one' });
    commit(TOPIC.scheduleRequests, 3);
    expect(violated()).toHaveLength(5);
    expect(new Set(violated())).toEqual(new Set(['a commit is never ahead of the work that it covers']));
  });

  it('a queue beyond its limit is reported, and one without a limit', () => {
    const { watcher, violated } = watch();
    const report = (size: number, limit: number): void =>
      watcher.onQueues({ process: 'ingress-1', queues: [{ queue: 'results', unit: 'bytes', size, limit }] });
    report(0, 10);
    report(10, 10);
    expect(violated()).toEqual([]);
    report(11, 10);
    report(-1, 10);
    report(1, Infinity);
    expect(violated()).toEqual(
      Array.from({ length: 3 }, () => 'every queue in memory stays within its stated limit'),
    );
  });

  it('a ready ingress without a broker is reported', () => {
    const { watcher, violated } = watch();
    const sample = {
      process: 'ingress-1',
      atMs: 60_000,
      isReady: true,
      cutOffMs: 0,
      gauges: new Map<string, number>(),
    };
    watcher.onSample(sample);
    watcher.onSample({ ...sample, isReady: false, cutOffMs: 60_000 });
    expect(violated()).toEqual([]);
    watcher.onSample({ ...sample, cutOffMs: 60_000 });
    expect(violated()).toEqual(['an ingress that cannot reach the broker is not ready']);
  });

  it('a record that was read and is gone is reported', () => {
    const { watcher, violated } = watch();
    watcher.onLoss({ topic: TOPIC.smsCommands, partition: 0, offset: 3, seen: 4 });
    expect(violated()).toEqual(['a record that was read stays on its log']);
  });

  it('a process that does not end in time on SIGTERM, or resets calls, is reported', () => {
    const { watcher, violated } = watch();
    const stop = { process: 'ingress-1', how: 'stopped', resets: 0, wasFrozen: false } as const;
    watcher.onStop(stop);
    watcher.onStop({ ...stop, how: 'late', resets: 1, wasFrozen: true });
    expect(violated()).toEqual([]);
    watcher.onStop({ ...stop, how: 'late' });
    watcher.onStop({ ...stop, resets: 1 });
    expect(violated()).toEqual([
      'a process that gets SIGTERM ends by itself in time',
      'a process that gets SIGTERM answers or refuses each call that it has accepted',
    ]);
  });

  it('work that has not ended is reported', () => {
    const { end } = watch();
    expect(end(['request-1 waits'])).toHaveLength(1);
  });
});
