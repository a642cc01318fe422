import { MESSAGES } from '../../../schemas/messages.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { partitionId, type LogMessage, type PartitionOffset } from '../../../shared/messaging/message.ts';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import type { ProcessStop } from '../restarting-process.ts';
import { placeOf, type ActionExchange, type History, type NotificationExchange } from './history.ts';
import type { ProcessLook, ProviderCall, SeenRecord } from './history.ts';
import { digest, type Journal } from './journal.ts';
import { FINAL, idOfCommand, NOTIFICATION_RULES } from './notification-rules.ts';
import { finding, type End, type Finding, type Loss } from './rule.ts';
import type { Rule, RuleContext, Violation } from './rule.ts';
import { REQUEST_RULES } from './request-rules.ts';
import { SYSTEM_RULES } from './system-rules.ts';
import { VERIFICATION_RULES } from './verification-rules.ts';

const RULES: readonly Rule[] = [
  ...NOTIFICATION_RULES,
  ...VERIFICATION_RULES,
  ...REQUEST_RULES,
  ...SYSTEM_RULES,
];
const MIN_AVRO_BYTES = 5;
const MAX_KEY_LENGTH = 40;
const AVRO_MAGIC = 0;
const TYPES = new Map(MESSAGES.map(({ localSchemaId, type }) => [localSchemaId, type]));

export type Watcher = ReturnType<typeof createWatcher>;

interface WatcherOptions extends Pick<
  RuleContext,
  'unknownPolicy' | 'isCalm' | 'isEmbedded' | 'mayEvictResults' | 'mayLoseOrder'
> {
  readonly history: History;
  readonly journal: Journal;
  readonly codec: MessageCodec;
  readonly elapsedMs: () => number;
}

export function createWatcher(options: WatcherOptions) {
  const { history, journal, codec, elapsedMs } = options;
  const violations: Violation[] = [];
  const decode: RuleContext['decode'] = (record) => decodeNow(codec, record);
  const context: RuleContext = { ...options, decode };
  const found = ({ name, source }: Pick<Rule, 'name' | 'source'>, one: Finding): void => {
    violations.push({ rule: name, source, atMs: elapsedMs(), ...one });
    journal.note('check', `VIOLATED: ${name}: ${one.detail}`, ...one.ids);
  };
  const check = <Event>(
    select: (rule: Rule) => ((event: Event, own: RuleContext) => Finding | undefined) | undefined,
  ) => {
    const checks = RULES.flatMap((rule) => {
      const one = select(rule);
      return one === undefined ? [] : [{ rule, one }];
    });
    return (event: Event): void => {
      for (const { rule, one } of checks) {
        const broken = one(event, context);
        if (broken !== undefined) found(rule, broken);
      }
    };
  };
  const committed = new Map<string, number>();
  const checkRecord = check((rule) => rule.onRecord);
  const checkCommit = check((rule) => rule.onCommit);
  return {
    violations: violations as readonly Violation[],
    onRecord: (message: LogMessage, by: string) => {
      const record = { ...message, key: message.key?.toString('latin1'), seenAtMs: elapsedMs() };
      const isState = record.topic === TOPIC.notificationOutcomes;
      const state = isState ? (decode(record)?.payload as NotificationState | undefined) : undefined;
      keepRecord(history, record);
      noteRecord(journal, record, { by, details: state?.status });
      if (state !== undefined) keepState(history, state, elapsedMs());
      checkRecord(record);
    },
    onCommit: (groupId: string, { topic, partition, offset }: PartitionOffset, by: string) => {
      const place = `${groupId} ${partitionId(topic, partition)}`;
      const from = committed.get(place) ?? 0;
      committed.set(place, offset);
      journal.note(by, `commits ${topic}/${partition} up to ${offset} of ${groupId}`);
      checkCommit({ groupId, topic, partition, from, offset, by });
    },
    onLoss: check<Loss>((rule) => rule.onLoss),
    /** A request was read, could not be stored, and is no longer on its log. */
    onUnstored: ({ topic, partition, offset }: PartitionOffset) =>
      forgetRecord(history, history.byPlace.get(placeOf(topic, partition, offset))),
    onLook: check<ProcessLook>((rule) => rule.onLook),
    onStop: check<ProcessStop>((rule) => rule.onStop),
    onDelivery: check<ProviderCall>((rule) => rule.onDelivery),
    onActionAnswer: check<ActionExchange>((rule) => rule.onActionAnswer),
    onNotificationAnswer: check<NotificationExchange>((rule) => rule.onNotificationAnswer),
    atEnd: (end: End) => {
      for (const rule of RULES) for (const one of rule.atEnd?.(end, context) ?? []) found(rule, one);
    },
    report: (name: string, detail: string) => found({ name, source: 'CONTRIBUTING.md' }, finding(detail)),
  };
}

interface Writing {
  readonly by: string;
  readonly details: string | undefined;
}

function keepRecord({ records, byPlace, byId }: History, record: SeenRecord): void {
  const { topic, partition, offset, headers } = record;
  records.push(record);
  byPlace.set(placeOf(topic, partition, offset), record);
  for (const id of new Set([headerText(headers, HEADER.correlationId), idOfCommand(record)])) {
    if (id === undefined) continue;
    const known = byId.get(id) ?? [];
    known.push(record);
    byId.set(id, known);
  }
}

function forgetRecord({ byId }: History, record: SeenRecord | undefined): void {
  const id = record && headerText(record.headers, HEADER.correlationId);
  if (id !== undefined) byId.set(id, byId.get(id)?.filter((known) => known !== record) ?? []);
}

function keepState({ states, concludedAtMs }: History, state: NotificationState, nowMs: number): void {
  const { notificationId } = state;
  const known = states.get(notificationId) ?? [];
  known.push(state);
  if (FINAL.has(state.status) && !concludedAtMs.has(notificationId)) concludedAtMs.set(notificationId, nowMs);
  states.set(notificationId, known);
}

function noteRecord(journal: Journal, record: SeenRecord, { by, details }: Writing): void {
  const { topic, partition, offset, headers, value, key } = record;
  const shortKey = key !== undefined && key.length <= MAX_KEY_LENGTH ? key : undefined;
  const ids = [headerText(headers, HEADER.correlationId), idOfCommand(record), shortKey].filter(
    (id) => id !== undefined,
  );
  const what = value === null ? 'tombstone' : (typeOf(record) ?? 'record');
  const code = headerText(headers, HEADER.errorCode) ?? headerText(headers, HEADER.deadLetterCode) ?? details;
  const text = [what, code, digest(value ?? '')].filter((part) => part !== undefined).join(' ');
  journal.note(by, `writes ${text} to ${topic}/${partition}@${offset}`, ...new Set(ids));
}

function typeOf({ headers, value }: SeenRecord): string | undefined {
  const named = headerText(headers, HEADER.messageType);
  if (named !== undefined || value === null || value.length < MIN_AVRO_BYTES || value[0] !== AVRO_MAGIC)
    return named;
  return TYPES.get(value.readUInt32BE(1));
}

function decodeNow(codec: MessageCodec, { value, headers }: SeenRecord): ReturnType<RuleContext['decode']> {
  if (value === null) return undefined;
  const decoded = codec.decode({ value, headers });
  if (decoded instanceof Promise || decoded.kind !== 'decoded') return undefined;
  const { type, payload } = decoded;
  return { type, payload };
}
