import { HEADER, headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import { partitionId } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import {
  isReceipt,
  RECEIPT_STATUSES,
  type NotificationState,
  type NotificationStatus,
} from '../../../shared/notification/notification-state.ts';
import { supersedes } from '../../../shared/notification/state-precedence.ts';
import { commandId } from '../workload/upstream.ts';
import { isLastCall } from '../workload/plan.ts';
import { COMMANDS, type History, type NotificationExchange } from './history.ts';
import type { ProviderCall, SeenRecord } from './history.ts';
import { type Finding, finding, type Rule, type RuleContext } from './rule.ts';

export const FINAL: ReadonlySet<NotificationStatus> = new Set([
  'sent',
  'failed',
  'parked',
  ...RECEIPT_STATUSES,
]);
const ACCEPTANCES: string = TOPIC.notificationAcceptances;
const DELIVERY = 'docs/notification-delivery.md';
const TIME_LIMIT = 'time-limit-exceeded';

export function currentState({ states }: History, id: string): NotificationState | undefined {
  let known: NotificationState | undefined;
  for (const state of states.get(id) ?? []) if (supersedes(state, known)) known = state;
  return known;
}

export function acceptedIds({ notifications, upstream }: History): ReadonlySet<string> {
  const overHttp = notifications.flatMap(({ notificationId }) => notificationId ?? []);
  const commands = upstream.filter(
    ({ activity, acknowledgedAtMs }) => activity.kind === 'command' && acknowledgedAtMs !== undefined,
  );
  return new Set([...overHttp, ...commands.map(({ id }) => commandId(id))]);
}

/** A check of each of these notifications at the end of a run, which returns what is wrong. */
function atEndOfEach(
  idsOf: (history: History) => Iterable<string>,
  faultOf: (id: string, context: RuleContext) => string | undefined,
): NonNullable<Rule['atEnd']> {
  return (_end, context) =>
    [...idsOf(context.history)].flatMap((id) => {
      const fault = faultOf(id, context);
      return fault === undefined ? [] : [finding(fault, id)];
    });
}

const idsOnLog = ({ states }: History): Iterable<string> => states.keys();

const acceptedNotificationsEnd: Rule = {
  name: 'an accepted notification ends as sent, failed or parked',
  source: `N3, ${DELIVERY}`,
  atEnd: atEndOfEach(acceptedIds, (id, { history }) => {
    const status = currentState(history, id)?.status;
    if (status !== undefined && FINAL.has(status)) return undefined;
    return `notification ${id} was accepted and is ${status ?? 'unknown to the ledger'}`;
  }),
};

const statusIsTrue: Rule = {
  name: 'the status of a notification agrees with what its providers did',
  source: DELIVERY,
  atEnd: atEndOfEach(idsOnLog, (id, { history }) => {
    const isDelivered = history.providerCalls.some(
      ({ notificationId, deliveredAtMs }) => notificationId === id && deliveredAtMs !== undefined,
    );
    const status = currentState(history, id)?.status;
    if (status === 'sent' && !isDelivered) return `notification ${id} is sent, and no provider sent it`;
    const isWrong = status === 'failed' && isDelivered;
    return isWrong ? `notification ${id} is failed, and a provider sent it` : undefined;
  }),
};

/** No other process takes a notification over so soon after its call began. */
const SHORTEST_LEASE_MS = 3_000;

const endIsDeserved: Rule = {
  name: 'a notification fails or is parked only for what its providers answered, or for its age',
  source: `N2, ${DELIVERY}`,
  atEnd: atEndOfEach(acceptedIds, (id, { history }) => {
    const { status, code } = currentState(history, id) ?? {};
    const calls = history.providerCalls.filter(({ notificationId }) => notificationId === id);
    const isDeserved =
      status === 'failed'
        ? code === TIME_LIMIT ||
          calls.some(({ result }) => result?.kind === 'permanent' && result.code === code)
        : status !== 'parked' || isInDoubt(id, calls, history);
    const answers = calls.map(({ result }) => result?.kind ?? 'no answer').join(', ');
    return isDeserved ? undefined : `${id} is ${status} ${code} after ${answers || 'no call'}`;
  }),
};

/** Whether the outcome of a call may be unknown: the provider did not answer, or its caller had no time to record the answer. */
function isInDoubt(id: string, calls: readonly ProviderCall[], { states, concludedAtMs }: History): boolean {
  const [call, ...others] = calls;
  const isOnlyRound = states.get(id)?.filter(({ status }) => status === 'sending').length === 1;
  if (call === undefined || others.length > 0 || !isOnlyRound) return true;
  const isAnswered = call.result !== undefined && call.result.kind !== 'unknown';
  return !isAnswered || (concludedAtMs.get(id) ?? Infinity) - call.startedAtMs > SHORTEST_LEASE_MS;
}

const noSecondSend: Rule = {
  name: 'no message is sent twice unless that is declared',
  source: `N2, N3, ${DELIVERY}`,
  onDelivery: (call, { history, unknownPolicy }) => {
    const { notificationId, text } = call;
    const same = history.providerCalls.filter(
      (other) =>
        other.deliveredAtMs !== undefined && (other.notificationId === notificationId || other.text === text),
    );
    if (same.length < 2) return undefined;
    const ids = [...new Set(same.map((one) => one.notificationId))];
    const isDeclared =
      ids.length === 1 &&
      (isSecondSendAccepted(history, notificationId) ||
        (unknownPolicy === 'resend' && !wasKnownAsSent(history, call)));
    if (isDeclared) return undefined;
    return { detail: `"${text}" was sent ${same.length} times, under ${ids.join(' and ')}`, ids };
  },
};

/** The policy `resend` is for unknown outcomes: a worker reads back its intent with what precedes it before it calls. */
function wasKnownAsSent({ states, concludedAtMs }: History, call: ProviderCall): boolean {
  const statuses = (states.get(call.notificationId) ?? []).map(({ status }) => status);
  const first = statuses.findIndex((status) => FINAL.has(status));
  if (!isAccepted(statuses[first]) || !statuses.includes('sending', first)) return false;
  return call.startedAtMs > (concludedAtMs.get(call.notificationId) ?? Infinity);
}

function isAccepted(status: NotificationStatus | undefined): boolean {
  return status === 'sent' || (status !== undefined && isReceipt(status));
}

function isSecondSendAccepted({ records }: History, id: string): boolean {
  return records.some(
    ({ topic, headers }) =>
      COMMANDS.has(topic) &&
      headerText(headers, HEADER.notificationId) === id &&
      headerText(headers, HEADER.redriveUnknown) === 'true',
  );
}

/** A round that was given up, its owner cut off for longer than its lease, counts as concluded, even if its outcome follows. */
const orderPerReceiver: Rule = {
  name: 'a notification is attempted only when earlier ones of its receiver are concluded',
  source: `${DELIVERY}, Retry tiers and the order of a receiver`,
  atEnd: (_end, { history, mayLoseOrder }) => {
    if (mayLoseOrder) return [];
    const starts = firstStarts(history.providerCalls);
    const findings: Finding[] = [];
    for (const ids of commandsByReceiver(history).values()) {
      let last: { readonly id: string; readonly atMs: number } | undefined;
      for (const id of ids) {
        const startedAtMs = starts.get(id);
        if (last !== undefined && startedAtMs !== undefined && startedAtMs < last.atMs) {
          const detail = `${id} was attempted before ${last.id}, whose command is earlier on the log, was concluded`;
          findings.push(finding(detail, last.id, id));
        }
        const atMs = history.concludedAtMs.get(id) ?? (history.states.has(id) ? Infinity : 0);
        if (last === undefined || atMs > last.atMs) last = { id, atMs };
      }
    }
    return findings;
  },
};

function firstStarts(calls: readonly ProviderCall[]): ReadonlyMap<string, number> {
  return new Map(calls.toReversed().map(({ notificationId, startedAtMs }) => [notificationId, startedAtMs]));
}

/** Ids in the order of their first command, by partition and key, without redriven ones, whose order starts again. */
function commandsByReceiver({ records }: History): ReadonlyMap<string, ReadonlySet<string>> {
  const redriven = new Set(records.filter(isRedriven).map((record) => idOfCommand(record)));
  const byReceiver = new Map<string, Set<string>>();
  const commands = records.filter(
    ({ topic, value, key }) => COMMANDS.has(topic) && value !== null && key !== undefined,
  );
  for (const record of commands.toSorted((one, other) => one.offset - other.offset)) {
    const id = idOfCommand(record);
    if (id === undefined || redriven.has(id)) continue;
    const receiver = `${partitionId(record.topic, record.partition)} ${record.key}`;
    const ids = byReceiver.get(receiver) ?? new Set();
    byReceiver.set(receiver, ids.add(id));
  }
  return byReceiver;
}

export function isRedriven({ topic, headers }: SeenRecord): boolean {
  return COMMANDS.has(topic) && (headerNumber(headers, HEADER.redriveCount) ?? 0) > 0;
}

export function idOfCommand({ headers, value }: SeenRecord): string | undefined {
  const id = headerText(headers, HEADER.notificationId);
  if (id !== undefined) return id;
  return /c0000000-0000-4000-8000-[0-9a-f]{12}/.exec(value?.toString('latin1') ?? '')?.[0];
}

const repeatsAgree: Rule = {
  name: 'repeats of an Idempotency-Key get the first answer, and other requests under it a conflict',
  source: 'N3',
  atEnd: (_end, { history }) => {
    const byKey = Map.groupBy(
      history.notifications.filter(({ call }) => call.key !== undefined),
      ({ call }) => call.id,
    );
    return [...byKey].flatMap(([id, exchanges]): readonly Finding[] => {
      const ids = new Set(exchanges.flatMap(({ notificationId }) => notificationId ?? []));
      if (ids.size <= 1) return [];
      return [finding(`one Idempotency-Key was answered with ${[...ids].join(' and ')}`, id, ...ids)];
    });
  },
};

/** An instance knows an acceptance within this time after it was written, even if it has to repeat several fetches. */
const KNOWN_AFTER_MS = 30_000;

const conflictIsNoticed: Rule = {
  name: 'another request under an accepted Idempotency-Key is a conflict',
  source: 'N3, docs/api.md Repeating a request',
  atEnd: (_end, { history: { notifications, records } }) => {
    const accepted = notifications.filter(({ notificationId }) => notificationId !== undefined);
    return [...Map.groupBy(accepted, ({ call }) => call.id)].flatMap(
      ([id, exchanges]): readonly Finding[] => {
        const { notificationId } = exchanges[0] ?? {};
        const acceptance = records.find(({ topic, key }) => topic === ACCEPTANCES && key === notificationId);
        if (acceptance === undefined || notificationId === undefined) return [];
        // Different requests that came together may all be accepted; later ones only if they repeat the first on the log.
        const isLate = ({ sentAtMs }: NotificationExchange): boolean =>
          sentAtMs > acceptance.seenAtMs + KNOWN_AFTER_MS;
        const late = new Set(exchanges.filter((one) => isLate(one)).map(({ isOther }) => isOther));
        const early = new Set(exchanges.filter((one) => !isLate(one)).map(({ isOther }) => isOther));
        const isMixed = late.size > 1 || [...late].some((isOther) => !early.has(isOther));
        return isMixed
          ? [finding(`different requests of ${id} were accepted under one key`, id, notificationId)]
          : [];
      },
    );
  },
};

const acceptanceIsAnswered: Rule = {
  name: 'a notification is answered by its acceptance or refusal',
  source: 'N3, docs/api.md Notifications',
  onNotificationAnswer: ({ call, answer, isOther }, { isCalm }) => {
    if (answer === undefined)
      return isLastCall(call.id) ? finding(`${call.id} got no answer`, call.id) : undefined;
    const { status } = answer;
    const isExpected = call.isValid
      ? status === 202 || (status === 409 && call.repeats.some((one) => one.isOther))
      : status === 400;
    const isTransient = !isCalm && !isLastCall(call.id) && (status === 503 || status === 504);
    if (isExpected || isTransient) return undefined;
    const which = `${call.id}${isOther ? ' (changed)' : ''}`;
    return finding(`${which} was answered with ${status}: ${answer.body.slice(0, 200)}`, call.id);
  },
};

const stateNeverGoesBack: Rule = {
  name: 'an instance that has shown a notification as sent never shows a status from before that',
  source: 'N3, docs/api.md Status',
  atEnd: (_end, { history }) => {
    const sent = new Map<string, number>();
    const findings: Finding[] = [];
    for (const { notificationId, ingress, answer, sentAtMs, answeredAtMs } of history.looks) {
      if (answer.status !== 200) continue;
      const { status } = JSON.parse(answer.body) as { readonly status: NotificationStatus };
      const place = `${notificationId} ${ingress}`;
      const sentSinceMs = sent.get(place);
      if (isAccepted(status)) sent.set(place, Math.min(sentSinceMs ?? Infinity, answeredAtMs));
      else if (sentSinceMs !== undefined && sentAtMs > sentSinceMs) {
        const detail = `${ingress} showed ${notificationId} as sent and then as ${status}`;
        findings.push(finding(detail, notificationId));
      }
    }
    return findings;
  },
};

const lastLooksAgree: Rule = {
  name: 'every instance shows the status that is on the log when everything has settled',
  source: 'N3, docs/api.md Status',
  atEnd: (_end, { history }) =>
    history.lastLooks.flatMap(({ notificationId, ingress, answer }): readonly Finding[] => {
      const wanted = currentState(history, notificationId)?.status;
      const { status: shown } = answer.status === 200 ? (JSON.parse(answer.body) as { status?: string }) : {};
      if (wanted === undefined || shown === wanted) return [];
      const what = shown ?? `${answer.status} ${answer.body}`;
      return [finding(`${ingress} shows ${notificationId} as ${what} instead of ${wanted}`, notificationId)];
    }),
};

const lastRecordHolds: Rule = {
  name: 'the last record of a notification on its compacted topic has its status',
  source: `${DELIVERY}, How long an id is known`,
  atEnd: atEndOfEach(idsOnLog, (id, { history }) => {
    const last = history.states.get(id)?.findLast((state) => !isReceipt(state.status))?.status;
    const status = currentState(history, id)?.status;
    // A receipt has a key of its own.
    return last === status || (status !== undefined && isReceipt(status))
      ? undefined
      : `compaction would leave ${id} as ${last} instead of ${status}`;
  }),
};

const ageFailsOnlyTheAttempted: Rule = {
  name: 'the time limit of a notification ends only one that was attempted',
  source: `${DELIVERY}, Clocks`,
  atEnd: atEndOfEach(idsOnLog, (id, { history }) => {
    const { status, code } = currentState(history, id) ?? {};
    const isAttempted = history.providerCalls.some(({ notificationId }) => notificationId === id);
    const isWrong = status === 'failed' && code === TIME_LIMIT && !isAttempted;
    return isWrong ? `${id} failed for its age, and no provider was called` : undefined;
  }),
};

/** All processes work again this long after the start of a run. */
const RECOVERED_MS = 75_000;
/** Longest time of a due copy until it is on its command topic, behind others of its receiver. */
const RETURN_MS = 10_000;
const TIER = /\.retry\.(\d+)s(?:\.urgent)?\.v1$/;

const copiesReturnInTime: Rule = {
  name: 'a copy returns from its retry tier after the delay of the tier at the latest',
  source: `${DELIVERY}, Clocks`,
  atEnd: (_end, { history: { records, byId } }) =>
    records.flatMap((copy): readonly Finding[] => {
      const delayS = TIER.exec(copy.topic)?.[1];
      const id = idOfCommand(copy);
      if (delayS === undefined || id === undefined) return [];
      const untilMs = Math.max(copy.seenAtMs, RECOVERED_MS) + Number(delayS) * 1_000 + RETURN_MS;
      const returned = (byId.get(id) ?? []).find(
        ({ topic, seenAtMs }) => COMMANDS.has(topic) && seenAtMs > copy.seenAtMs,
      );
      if (returned === undefined || returned.seenAtMs <= untilMs) return [];
      const waitedMs = Math.round(returned.seenAtMs - copy.seenAtMs);
      return [finding(`${id} waited ${waitedMs} ms on ${copy.topic}`, id)];
    }),
};

const countedOnce: Rule = {
  name: 'the quotas count each notification once, in every process',
  source: 'N6, docs/notification-delivery.md Quotas',
  atEnd: ({ unsettled }, { history }) => {
    if (unsettled.length > 0) return [];
    const usage = history.records.filter(({ topic }) => topic === TOPIC.notificationUsage);
    const counted = new Set(usage.map(({ key }) => key));
    const missing = [...acceptedIds(history)].filter((id) => !counted.has(id));
    const findings = missing.map((id): Finding => finding(`${id} was not counted`, id));
    for (const [process, messages] of history.counted) {
      // An ingress also counts a message whose acceptance was answered with 504 and may not be stored.
      const mayBeMore = process.startsWith('ingress') || process === 'engine';
      if (mayBeMore ? messages >= counted.size : messages === counted.size) continue;
      findings.push(finding(`${process} counted ${messages} messages of ${counted.size}`));
    }
    return findings;
  },
};

const receiptsCount: Rule = {
  name: 'a notification has the strongest state that its provider reported',
  source: 'N7',
  atEnd: atEndOfEach(
    ({ reported }) => reported.keys(),
    (id, { history }) => {
      const strongest = RECEIPT_STATUSES.findLast((status) => history.reported.get(id)?.has(status));
      const status = currentState(history, id)?.status;
      return status === strongest ? undefined : `${id} is ${status}, and its provider reported ${strongest}`;
    },
  ),
};

export const NOTIFICATION_RULES: readonly Rule[] = [
  receiptsCount,
  ageFailsOnlyTheAttempted,
  countedOnce,
  copiesReturnInTime,
  lastLooksAgree,
  lastRecordHolds,
  acceptedNotificationsEnd,
  endIsDeserved,
  statusIsTrue,
  noSecondSend,
  orderPerReceiver,
  repeatsAgree,
  conflictIsNoticed,
  acceptanceIsAnswered,
  stateNeverGoesBack,
];
