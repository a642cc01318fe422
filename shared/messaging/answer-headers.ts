/** What an answer tells of itself beside its body, and the message headers that carry it from worker to requester. */

import { safeHeaderText } from '../platform/header-text.ts';
import { HEADER } from './header-names.ts';
import { headerText } from './headers.ts';
import type { MessageHeaders } from './message.ts';

/** A thing to tell. */
export type AnswerHeader = 'holidayCalendar';

/** Values of one line each; what has nothing to tell is absent. */
export type AnswerHeaders = Readonly<Partial<Record<AnswerHeader, string>>>;

const CARRIED_BY: Readonly<Record<AnswerHeader, string>> = { holidayCalendar: HEADER.holidayCalendar };

/** Everything that may be told. */
export const ANSWER_HEADERS = Object.keys(CARRIED_BY) as readonly AnswerHeader[];

/** The message headers of what is told, fit to be sent: ASCII, of limited length. */
export function writeAnswerHeaders(told: AnswerHeaders | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (told === undefined) return headers;
  for (const name of ANSWER_HEADERS) {
    const value = told[name];
    if (value !== undefined) headers[CARRIED_BY[name]] = safeHeaderText(value);
  }
  return headers;
}

/** What a message tells, whoever sent it: ASCII, of limited length. Undefined when it tells nothing. */
export function readAnswerHeaders(headers: MessageHeaders): AnswerHeaders | undefined {
  let told: Partial<Record<AnswerHeader, string>> | undefined;
  for (const name of ANSWER_HEADERS) {
    const value = headerText(headers, CARRIED_BY[name]);
    if (value === undefined || value === '') continue;
    told ??= {};
    told[name] = safeHeaderText(value);
  }
  return told;
}
