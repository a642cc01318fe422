import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { REPLY_TOPICS } from '../workload/plan.ts';
import { isLastCall } from './history.ts';
import { acceptedIds } from './notification-rules.ts';
import type { Finding, Rule } from './rule.ts';

/** Each call is answered within milliseconds; the rest is for the messages of others before it. */
const SOON_MS = 5_000;
/** The groups of the second instance of a worker are complete by then. */
const STARTED_MS = 10_000;
const UPSTREAM_REPLIES: ReadonlySet<string> = new Set(REPLY_TOPICS);
const ACCEPTANCES: string = TOPIC.notificationAcceptances;

const callsAreAnsweredSoon: Rule = {
  name: 'without faults every call is answered soon, also behind messages that cannot be handled',
  source: 'docs/decisions/0008-one-message-one-fault.md',
  onActionAnswer: ({ id, sentAtMs, answeredAtMs = sentAtMs }, { isCalm }) => {
    const waitedMs = answeredAtMs - sentAtMs;
    if (!(isCalm || isLastCall(id)) || waitedMs <= SOON_MS) return undefined;
    return { detail: `${id} was answered after ${waitedMs.toFixed(0)} ms`, ids: [id] };
  },
};

const requestsAreAnsweredSoon: Rule = {
  name: 'without faults every request on a topic is answered soon',
  source: 'docs/decisions/0008-one-message-one-fault.md',
  onRecord: (record, { isCalm, history }) => {
    const id = headerText(record.headers, HEADER.correlationId);
    if (!isCalm || id === undefined || !UPSTREAM_REPLIES.has(record.topic)) return undefined;
    const [request] = history.byId.get(id) ?? [];
    const waitedMs = record.seenAtMs - (request?.seenAtMs ?? 0);
    if (waitedMs <= SOON_MS) return undefined;
    return { detail: `${id} was answered after ${waitedMs.toFixed(0)} ms`, ids: [id] };
  },
};

const requestsAreAnsweredOnce: Rule = {
  name: 'without faults every request on a topic is answered once',
  source: 'docs/architecture.md, shared/messaging/consumer/offset-tracker.ts',
  onRecord: ({ topic, headers }, { isCalm, history }) => {
    const id = headerText(headers, HEADER.correlationId);
    if (!isCalm || id === undefined || !UPSTREAM_REPLIES.has(topic)) return undefined;
    const records = history.byId.get(id) ?? [];
    const replies = records.filter((one) => UPSTREAM_REPLIES.has(one.topic)).length;
    const requests = records.length - replies;
    if (replies <= requests) return undefined;
    return { detail: `${id} has ${replies} replies to ${requests} requests`, ids: [id] };
  },
};

const statusIsShownSoon: Rule = {
  name: 'without faults every instance shows the end of a notification soon',
  source: 'N3, docs/api.md Status',
  atEnd: ({ isCalm }, { history: { looks, states, concludedAtMs } }) =>
    looks.flatMap(({ notificationId, ingress, sentAtMs, answer }): readonly Finding[] => {
      const endedAtMs = concludedAtMs.get(notificationId) ?? Infinity;
      if (!isCalm || sentAtMs <= endedAtMs + SOON_MS) return [];
      const { status } = JSON.parse(answer.body) as { readonly status: unknown };
      if (status === states.get(notificationId)?.at(-1)?.status) return [];
      const detail = `${ingress} shows ${notificationId} as ${String(status)} long after its end`;
      return [{ detail, ids: [notificationId] }];
    }),
};

const processesStayReady: Rule = {
  name: 'without faults every process stays ready',
  source: 'docs/health.md',
  onSample: ({ process, atMs, isReady }, { isCalm }) =>
    isReady || !isCalm || atMs < STARTED_MS ? undefined : { detail: `${process} is not ready`, ids: [] },
};

const notificationsAreSentSoon: Rule = {
  name: 'without faults every notification is sent soon',
  source: 'N3, docs/notification-delivery.md',
  atEnd: ({ isCalm }, { history }) =>
    [...acceptedIds(history)].flatMap((id): readonly Finding[] => {
      if (!isCalm) return [];
      const command = history.byId.get(id)?.find(({ topic }) => topic !== ACCEPTANCES);
      const sent = history.providerCalls.find(
        ({ notificationId, deliveredAtMs }) => notificationId === id && deliveredAtMs !== undefined,
      );
      const waitedMs = (sent?.deliveredAtMs ?? Infinity) - (command?.seenAtMs ?? 0);
      if (waitedMs <= SOON_MS) return [];
      return [{ detail: `${id} was sent ${waitedMs.toFixed(0)} ms after its command`, ids: [id] }];
    }),
};

/** What a run without faults promises in addition, and every run when its faults have passed. */
export const CALM_RULES: readonly Rule[] = [
  callsAreAnsweredSoon,
  requestsAreAnsweredSoon,
  requestsAreAnsweredOnce,
  statusIsShownSoon,
  processesStayReady,
  notificationsAreSentSoon,
];
