import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import type { SendResult } from '../../../shared/notification/provider.ts';
import type { Expected } from '../workload/expected-answers.ts';
import type { Activity, NotificationCall, UpstreamRequest } from '../workload/plan.ts';
import type { Answer } from '../ingress-call.ts';

/** An HTTP call of an action, or the fetch of its result. */
export interface ActionExchange {
  readonly id: string;
  readonly sentAtMs: number;
  readonly expected: Expected;
  readonly isAsync: boolean;
  /** The last answer: of the call, or of the fetch of its result; undefined while there is none. */
  answer?: Answer | undefined;
  answeredAtMs?: number;
  /** For how long the ingress had not reached the broker at the time of the answer, in milliseconds; Infinity: it does not run. */
  absentMs?: number;
  /** The result was promised with 202. */
  acceptedAtMs?: number;
}

export interface ProcessLook {
  readonly process: string;
  readonly isReady: boolean;
  /** For how long it has not reached the broker, in milliseconds. */
  readonly absentMs: number;
}

export interface NotificationExchange {
  readonly call: NotificationCall;
  readonly isOther: boolean;
  /** The text of the message, by which a provider's call is assigned to this exchange. */
  readonly text: string;
  readonly sentAtMs: number;
  answer?: Answer | undefined;
  answeredAtMs?: number;
  notificationId?: string;
}

export interface StateLook {
  readonly notificationId: string;
  readonly ingress: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly answer: Answer;
}

export interface ProviderCall {
  readonly provider: string;
  readonly notificationId: string;
  readonly text: string;
  readonly startedAtMs: number;
  /** When the provider sent the message on; undefined: never. */
  deliveredAtMs?: number;
  result?: SendResult;
}

/** A record of a topic, as a reader without faults sees it. */
export interface SeenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | undefined;
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
  readonly timestampMs: number;
  readonly seenAtMs: number;
}

/** A message that an upstream system writes. */
export interface UpstreamMessage {
  readonly id: string;
  readonly activity: Activity;
  /** Simulated time at which the broker acknowledged it; undefined: not yet. */
  acknowledgedAtMs?: number;
  wasRefused?: boolean;
  readonly expected: readonly Expected[];
}

/** Everything that callers, providers and a reader of the topics have seen. */
export class History {
  readonly actions: ActionExchange[] = [];
  readonly notifications: NotificationExchange[] = [];
  readonly looks: StateLook[] = [];
  /** The looks at every accepted notification through every instance, when everything had settled. */
  readonly lastLooks: StateLook[] = [];
  readonly providerCalls: ProviderCall[] = [];
  readonly records: SeenRecord[] = [];
  readonly byPlace = new Map<string, SeenRecord>();
  /** The records with a correlation id or a notification id, by it. */
  readonly byId = new Map<string, SeenRecord[]>();
  /** The states on the outcome topic by notification id, in the order of the log. */
  readonly states = new Map<string, NotificationState[]>();
  /** When the first final state of a notification was on the log. */
  readonly concludedAtMs = new Map<string, number>();
  readonly upstream: UpstreamMessage[] = [];
  /** How many notifications each process counted for its quotas when everything had settled; by its name. */
  readonly counted = new Map<string, number>();
}

/** The last calls have this before their ids. */
export const LAST = 'last-';

/** Whether a call was made when everything had settled, so that it must succeed. */
export function isLastCall(id: string): boolean {
  return id.startsWith(LAST);
}

export function placeOf(topic: string, partition: number, offset: number): string {
  return `${topic}/${partition}@${offset}`;
}

export function isRequest(activity: Activity): activity is UpstreamRequest {
  return activity.kind === 'request';
}
