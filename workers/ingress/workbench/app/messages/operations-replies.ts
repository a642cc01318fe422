/** The replies of the calls of this room, as far as it uses them; a test compares them with the contract. */

type Channel = 'sms' | 'email';

interface Moment {
  /** ISO 8601 in UTC. */
  readonly at: string;
}

export type TimelineEvent =
  | (Moment & { readonly event: 'accepted' })
  | (Moment & {
      readonly event: 'attempt';
      readonly round: number;
      readonly provider: string;
      readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
      readonly code?: string | undefined;
    })
  | (Moment & {
      readonly event: 'sending';
      readonly round: number;
      readonly providers: readonly string[];
      readonly until?: string | undefined;
    })
  | (Moment & { readonly event: 'retry'; readonly round: number })
  | (Moment & {
      readonly event: 'sent' | 'failed' | 'parked';
      readonly code?: string | undefined;
      readonly providerMessageId?: string | undefined;
    });

export interface FoundNotification {
  readonly notificationId: string;
  readonly channel: Channel;
  readonly status: 'accepted' | 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';
  readonly updatedAt: string;
}

export interface NotificationTimeline extends FoundNotification {
  readonly code?: string | undefined;
  readonly events: readonly TimelineEvent[];
  readonly hasEarlierAttempts: boolean;
  readonly deadLetters?: string | undefined;
}

export type LetterStatus = 'open' | 'redrive-begun' | 'edit-begun' | 'redriven' | 'edited' | 'discarded';

export interface ListedLetter {
  readonly id: string;
  readonly at: string;
  readonly code: string;
  readonly reason: string;
  readonly type?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly from?: string | undefined;
  readonly attempts: number;
  readonly redrives: number;
  readonly status: LetterStatus;
}

export interface LetterPage {
  readonly letters: readonly ListedLetter[];
  readonly count: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly handled: number;
  readonly isComplete: boolean;
  readonly isAuditComplete: boolean;
  readonly nextCursor?: string | undefined;
}

export interface ShownLetter {
  readonly id: string;
  readonly code: string;
  readonly reason: string;
  readonly at: string;
  readonly from?: string | undefined;
  readonly fromAt?: string | undefined;
  readonly group?: string | undefined;
  readonly attempts: number;
  readonly redrives: number;
  readonly notificationId?: string | undefined;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly history: readonly string[];
  readonly payload: {
    readonly type?: string | undefined;
    readonly format?: string | undefined;
    readonly bytes: number;
    readonly content?: unknown;
    readonly isHidden?: true | undefined;
    readonly notes: readonly string[];
  };
  readonly status: LetterStatus;
  readonly audit: readonly {
    readonly action: 'redrive' | 'edit' | 'discard';
    readonly stage: 'begun' | 'done' | 'failed';
    readonly operator: string;
    readonly at: string;
    readonly reason?: string | undefined;
    readonly result?: string | undefined;
    readonly members?: readonly string[] | undefined;
    readonly overrides?: readonly string[] | undefined;
  }[];
  readonly isAuditComplete: boolean;
}

export interface ActionReply {
  readonly run: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly notListed: number;
  readonly letters: readonly {
    readonly id: string;
    readonly code: string;
    readonly result:
      | 'redriven'
      | 'edited'
      | 'discarded'
      | 'would-redrive'
      | 'would-edit'
      | 'would-discard'
      | 'skipped'
      | 'refused'
      | 'failed';
    readonly to?: string | undefined;
    readonly why?: string | undefined;
    readonly override?: 'again' | 'force' | 'acceptDuplicates' | undefined;
    readonly warnings?: readonly string[] | undefined;
  }[];
}

interface OutboxHead {
  readonly id: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly receiver: string;
  readonly subject: string;
}

export interface OutboxList {
  readonly messages: readonly (OutboxHead & { readonly writtenAt: string })[];
}

export interface OutboxMail extends OutboxHead {
  readonly headers: readonly string[];
  readonly text: string;
  readonly htmlAddress?: string | undefined;
  readonly files: readonly string[];
  readonly source?: string | undefined;
}
