import { HEADER, headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { isLastCall } from '../workload/plan.ts';
import { COMMANDS, placeOf, UPSTREAM_REPLIES, type History, type SeenRecord } from './history.ts';
import { isReceipt, type NotificationStatus } from '../../../shared/notification/notification-state.ts';
import { acceptedIds, FINAL, idOfCommand, isRedriven } from './notification-rules.ts';
import { finding, type Rule } from './rule.ts';

const TIER = /\.retry\./;

const everythingSettles: Rule = {
  name: 'everything settles after the last fault: work ends, queues are empty, processes are ready',
  source: 'docs/notification-delivery.md, docs/health.md',
  atEnd: ({ unsettled }) => (unsettled.length === 0 ? [] : [finding(unsettled.join('; '))]),
};

const commitsFollowWork: Rule = {
  name: 'a commit is never ahead of the work that it covers',
  source: 'docs/architecture.md, shared/messaging/consumer/offset-tracker.ts',
  onCommit: ({ topic, partition, from, offset, groupId }, { history }) => {
    for (let at = from; at < offset; at += 1) {
      const record = history.byPlace.get(placeOf(topic, partition, at));
      if (record === undefined || isDone(record, history)) continue;
      const id = headerText(record.headers, HEADER.correlationId) ?? idOfCommand(record) ?? '';
      const place = placeOf(topic, partition, at);
      return finding(`${groupId} committed ${place}, and ${id} was not done`, id);
    }
    return undefined;
  },
};

const STOPPING = 'docs/deploy.md Stopping';

const stopsInTime: Rule = {
  name: 'a process that gets SIGTERM ends by itself in time',
  source: STOPPING,
  onStop: ({ process, how, wasFrozen }) =>
    how === 'stopped' || wasFrozen ? undefined : finding(`${process} ended on SIGTERM: ${how}`),
};

const stopAnswersAll: Rule = {
  name: 'a process that gets SIGTERM answers or refuses each call that it has accepted',
  source: `${STOPPING}, HTTP connections of a stopping process`,
  onStop: ({ process, resets, wasFrozen }) =>
    resets === 0 || wasFrozen ? undefined : finding(`${process} left ${resets} calls without an answer`),
};

const readRecordsStay: Rule = {
  name: 'a record that was read stays on its log',
  source: 'docs/deploy.md The data folder',
  onLoss: ({ topic, partition, offset, seen }) =>
    finding(`${topic}/${partition} ends at ${offset} and was read up to ${seen}`),
};

/** The tail of replies, publishers and feeds of an ingress notice a lost connection within this time. */
const NOTICED_MS = 5_000;

const healthIsTrue: Rule = {
  name: 'an ingress that cannot reach the broker is not ready; without faults every process stays ready',
  source: 'docs/health.md',
  onLook: ({ process, isReady, absentMs }, { isCalm }) => {
    const isRight = isReady ? !process.startsWith('ingress') || absentMs < NOTICED_MS : !isCalm;
    if (isRight) return undefined;
    const detail = `${process} is ${isReady ? '' : 'not '}ready, and has not reached the broker for ${absentMs} ms`;
    return finding(detail);
  },
};

/** Whether the log shows that the work of a request, a command or a waiting copy is done. */
function isDone(record: SeenRecord, history: History): boolean {
  const { topic, headers, value } = record;
  // A wake message has no work of its own.
  if (value === null) return true;
  if (COMMANDS.has(topic)) return isCommandDone(record, history);
  const id = headerText(headers, HEADER.correlationId) ?? idOfCommand(record);
  const others = (id === undefined ? undefined : history.byId.get(id)) ?? [];
  if (!TIER.test(topic)) {
    // A request that is on its topic several times is answered as often.
    const same = others.filter((other) => other.topic === topic);
    const before = same.filter(
      ({ partition, offset }) => partition === record.partition && offset <= record.offset,
    );
    return others.length - same.length >= before.length;
  }
  const attempt = headerNumber(headers, HEADER.attempt) ?? 1;
  return others.some(
    (other) =>
      other.topic === TOPIC.notificationDeadLetters ||
      (COMMANDS.has(other.topic) && (headerNumber(other.headers, HEADER.attempt) ?? 1) >= attempt),
  );
}

/** Topics whose records name a notification without waiting for its attempts; its states are in `history.states`. */
const IDS_ONLY: ReadonlySet<string> = new Set([
  TOPIC.notificationAcceptances,
  TOPIC.notificationOutcomes,
  TOPIC.notificationUsage,
]);

/** Also done: its notification was sent in an earlier round or, unless redriven, was concluded in another way. */
function isCommandDone(record: SeenRecord, { states, byId }: History): boolean {
  const id = idOfCommand(record) ?? headerText(record.headers, HEADER.correlationId) ?? '';
  const round = headerNumber(record.headers, HEADER.attempt) ?? 1;
  const isConcluded = (states.get(id) ?? []).some(
    ({ status, attempt }) =>
      (status !== 'sending' && attempt >= round) ||
      status === 'sent' ||
      isReceipt(status) ||
      (FINAL.has(status) && !isRedriven(record)),
  );
  if (isConcluded) return true;
  return (byId.get(id) ?? []).some(
    ({ topic, headers }) =>
      !COMMANDS.has(topic) && !IDS_ONLY.has(topic) && (headerNumber(headers, HEADER.attempt) ?? 1) >= round,
  );
}

/** Each call is answered within milliseconds; the rest is for the messages of others before it. */
const SOON_MS = 5_000;

const answersComeSoon: Rule = {
  name: 'without faults every call and request is answered soon, also behind messages that cannot be handled',
  source: 'docs/decisions/0008-one-message-one-fault.md',
  onActionAnswer: ({ id, sentAtMs, answeredAtMs = sentAtMs }, { isCalm }) => {
    const waitedMs = answeredAtMs - sentAtMs;
    if (!(isCalm || isLastCall(id)) || waitedMs <= SOON_MS) return undefined;
    return finding(`${id} was answered after ${waitedMs.toFixed(0)} ms`, id);
  },
  onRecord: ({ topic, headers, seenAtMs }, { isCalm, history }) => {
    const id = headerText(headers, HEADER.correlationId);
    if (!isCalm || id === undefined || !UPSTREAM_REPLIES.has(topic)) return undefined;
    const records = history.byId.get(id) ?? [];
    const replies = records.filter((one) => UPSTREAM_REPLIES.has(one.topic)).length;
    const waitedMs = seenAtMs - (records[0]?.seenAtMs ?? 0);
    if (waitedMs <= SOON_MS && replies <= records.length - replies) return undefined;
    return finding(`${id} has ${replies} replies, the last after ${waitedMs.toFixed(0)} ms`, id);
  },
};

const notificationsAreSentSoon: Rule = {
  name: 'without faults every notification is sent soon',
  source: 'N3, docs/notification-delivery.md',
  atEnd: ({ isCalm }, { history }) =>
    [...acceptedIds(history)].flatMap((id) => {
      const command = history.byId.get(id)?.find(({ topic }) => COMMANDS.has(topic));
      const sent = history.providerCalls.find(
        ({ notificationId, deliveredAtMs }) => notificationId === id && deliveredAtMs !== undefined,
      );
      const waitedMs = (sent?.deliveredAtMs ?? Infinity) - (command?.seenAtMs ?? 0);
      if (!isCalm || waitedMs <= SOON_MS) return [];
      return [finding(`${id} was sent ${waitedMs.toFixed(0)} ms after its command`, id)];
    }),
};

const statusIsShownSoon: Rule = {
  name: 'without faults every instance shows the end of a notification soon',
  source: 'N3, docs/api.md Status',
  atEnd: ({ isCalm }, { history: { looks, states, concludedAtMs } }) =>
    looks.flatMap(({ notificationId, ingress, sentAtMs, answer }) => {
      const endedAtMs = concludedAtMs.get(notificationId) ?? Infinity;
      if (!isCalm || sentAtMs <= endedAtMs + SOON_MS) return [];
      const { status } = JSON.parse(answer.body) as { readonly status: NotificationStatus };
      // Receipts may follow the end, in any order.
      if (FINAL.has(status) && states.get(notificationId)?.some((state) => state.status === status) === true)
        return [];
      const detail = `${ingress} shows ${notificationId} as ${status} long after its end`;
      return [finding(detail, notificationId)];
    }),
};

export const SYSTEM_RULES: readonly Rule[] = [
  commitsFollowWork,
  healthIsTrue,
  readRecordsStay,
  stopsInTime,
  stopAnswersAll,
  everythingSettles,
  answersComeSoon,
  notificationsAreSentSoon,
  statusIsShownSoon,
];
