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

/** The end of a run, after everything had time to settle. */
export interface End {
  /** Whether the run had no faults, so that every call must succeed. */
  readonly isCalm: boolean;
  /** What still waited when the run ended; empty: nothing. */
  readonly unsettled: readonly string[];
}

export interface RuleContext {
  readonly history: History;
  readonly unknownPolicy: 'park' | 'resend';
  readonly isCalm: boolean;
  /** Whether the broker is embedded in the only process. */
  readonly isEmbedded: boolean;
  /** Whether results may be evicted from memory before they expire. */
  readonly mayEvictResults: boolean;
  /** Whether the hold topic may have no room for the head of a receiver, so that later messages do not wait for it. */
  readonly mayLoseOrder: boolean;
  readonly decode: (record: SeenRecord) => { readonly type: string; readonly payload: unknown } | undefined;
}

type Check<Event> = (event: Event, context: RuleContext) => Finding | undefined;

export interface Commit extends PartitionOffset {
  readonly groupId: string;
  /** The offset that was committed before. */
  readonly from: number;
  readonly by: string;
}

/** A log ends at this offset although records up to `seen` could be read before. */
export interface Loss extends PartitionOffset {
  readonly seen: number;
}

/** One promise of the system, with the place where it is made. Checks of single events take constant time. */
export interface Rule {
  readonly name: string;
  /** A rule id, or a page of the documents. */
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
