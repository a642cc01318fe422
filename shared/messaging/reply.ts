import type { Problem } from '../platform/problem.ts';

/** What a reply may report in a message header of its own: the holiday calendar in plat-holiday-calendar (H2). */
export type AnswerHeader = 'holidayCalendar';

/** The content of a reply message: the payload, and what its headers add. */
export interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  /** Record name in the list of messages. */
  readonly type: string;
  readonly payload: unknown;
  /** Warnings as in header plat-warnings (E3). */
  readonly warnings?: string;
}

/** The answer to a request, as its requester receives it: the reply, or the worker's problem. */
export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** The answer as JSON text, where it was rendered elsewhere; `payload` is undefined then. */
      readonly body?: Uint8Array;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };
