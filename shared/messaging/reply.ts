import type { Problem } from '../platform/problem.ts';

/** A field of a reply that has its own message header: the holiday calendar in plat-holiday-calendar (H2). */
export type AnswerHeader = 'holidayCalendar';

/** The content of a reply message: the payload, and the values of its headers. */
export interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  /** Record name in the list of messages. */
  readonly type: string;
  readonly payload: unknown;
  /** Warnings as in header plat-warnings (E3). */
  readonly warnings?: string;
}

/** The result of a request: the reply, or a problem. */
export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** The reply as JSON text if a thread has rendered it; `payload` is then undefined. */
      readonly body?: Uint8Array;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };
