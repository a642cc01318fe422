import type { PartitionOffset } from '../../../shared/messaging/message.ts';
import type { ProcessStop } from '../restarting-process.ts';
import type {
  ActionExchange,
  History,
  NotificationExchange,
  ProcessLook,
  ProviderCall,
  SeenRecord,
} from './history.ts';

export interface Finding {
  readonly detail: string;
  readonly ids: readonly string[];
}

export function finding(detail: string, ...ids: readonly string[]): Finding {
  return { detail, ids };
}

export interface Violation extends Finding {
  readonly rule: string;
  readonly source: string;
  readonly atMs: number;
}

export interface End {
  readonly isCalm: boolean;
  readonly unsettled: readonly string[];
}

export interface RuleContext {
  readonly history: History;
  readonly unknownPolicy: 'park' | 'resend';
  readonly isCalm: boolean;
  readonly isEmbedded: boolean;
  readonly mayEvictResults: boolean;
  readonly mayLoseOrder: boolean;
  readonly decode: (record: SeenRecord) => { readonly type: string; readonly payload: unknown } | undefined;
}

type Check<Event> = (event: Event, context: RuleContext) => Finding | undefined;

export interface Commit extends PartitionOffset {
  readonly groupId: string;
  readonly from: number;
  readonly by: string;
}

export interface Loss extends PartitionOffset {
  readonly seen: number;
}

export interface Rule {
  readonly name: string;
  readonly source: string;
  readonly onActionAnswer?: Check<ActionExchange>;
  readonly onNotificationAnswer?: Check<NotificationExchange>;
  readonly onDelivery?: Check<ProviderCall>;
  readonly onRecord?: Check<SeenRecord>;
  readonly onCommit?: Check<Commit>;
  readonly onLoss?: Check<Loss>;
  readonly onLook?: Check<ProcessLook>;
  readonly onStop?: Check<ProcessStop>;
  readonly atEnd?: (end: End, context: RuleContext) => readonly Finding[];
}
