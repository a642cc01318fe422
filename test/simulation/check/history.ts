import type { LogMessage } from '../../../shared/messaging/message.ts';
import * as topics from '../../../shared/messaging/topics/topic-list.ts';
import type { NotificationState, ReceiptStatus } from '../../../shared/notification/notification-state.ts';
import type { SendResult } from '../../../shared/notification/provider.ts';
import type { Expected } from '../workload/expected-answers.ts';
import { REPLY_TOPICS, type Activity, type NotificationCall } from '../workload/plan.ts';
import type { Answer } from '../ingress-call.ts';

export interface ActionExchange {
  readonly id: string;
  readonly sentAtMs: number;
  readonly expected: Expected;
  readonly isAsync: boolean;
  answer?: Answer | undefined;
  answeredAtMs?: number;
  /** For how long the ingress had not reached the broker at the time of the answer, in milliseconds; Infinity: it does not run. */
  absentMs?: number;
  acceptedAtMs?: number;
}

export interface ProcessLook {
  readonly process: string;
  readonly isReady: boolean;
  readonly absentMs: number;
}

export interface NotificationExchange {
  readonly call: NotificationCall;
  readonly isOther: boolean;
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
  readonly notificationId: string;
  readonly provider: string;
  readonly text: string;
  readonly startedAtMs: number;
  deliveredAtMs?: number;
  result?: SendResult;
}

export interface VerificationExchange {
  readonly id: string;
  readonly verificationId: string;
  readonly checks: {
    readonly code: string;
    readonly sentAtMs: number;
    readonly answeredAtMs: number;
    readonly answer: Answer | undefined;
  }[];
}

export interface SeenRecord extends Omit<LogMessage, 'key'> {
  readonly key: string | undefined;
  readonly seenAtMs: number;
}

export interface UpstreamMessage {
  readonly id: string;
  readonly activity: Activity;
  acknowledgedAtMs?: number;
  wasRefused?: boolean;
  readonly expected: readonly Expected[];
}

export class History {
  readonly actions: ActionExchange[] = [];
  readonly notifications: NotificationExchange[] = [];
  readonly verifications: VerificationExchange[] = [];
  readonly looks: StateLook[] = [];
  readonly lastLooks: StateLook[] = [];
  readonly providerCalls: ProviderCall[] = [];
  readonly records: SeenRecord[] = [];
  readonly byPlace = new Map<string, SeenRecord>();
  readonly byId = new Map<string, SeenRecord[]>();
  readonly states = new Map<string, NotificationState[]>();
  readonly concludedAtMs = new Map<string, number>();
  /** What providers reported with success, by notification (N7). */
  readonly reported = new Map<string, Set<ReceiptStatus>>();
  readonly upstream: UpstreamMessage[] = [];
  /** How many notifications each process counted for its quotas when everything had settled; by its name. */
  readonly counted = new Map<string, number>();
}

export const COMMANDS: ReadonlySet<string> = new Set(topics.topicNames('', topics.COMMAND_TOPICS));
export const DEAD_LETTERS: ReadonlySet<string> = new Set(topics.topicNames('', topics.DEAD_LETTER_TOPICS));
export const UPSTREAM_REPLIES: ReadonlySet<string> = new Set(REPLY_TOPICS);

export function placeOf(topic: string, partition: number, offset: number): string {
  return `${topic}/${partition}@${offset}`;
}
