import type { SendResult } from '../../../../shared/notification/provider.ts';
import {
  DEFAULT_CONNECTOR,
  type ConnectorSettings,
} from '../../../../shared/notification/provider-configuration-shape.ts';
import { type CallOutcome, unansweredResult } from '../http/http-call.ts';
import { classifyHttpResponse } from '../http/classify-http-response.ts';
import type { SensitiveTexts } from '../common/sanitise-provider-text.ts';

/** Invalid sender, or sender of another account. */
const SENDER_CODES = [21212, 21603, 21606, 21659, 21660, 21661];

/**
 * How Twilio's responses are classified. According to its documentation the message may have been sent despite a 500 (error
 * 20500), so 5xx are unknown, and sending is not idempotent; 429 and 503 were not accepted. A message may be rejected in the
 * response that creates it.
 */
const TWILIO: ConnectorSettings = {
  ...DEFAULT_CONNECTOR,
  success: {
    status: ['2xx'],
    tests: [{ pointer: '/status', oneOf: ['queued', 'accepted', 'scheduled', 'sending', 'sent'] }],
  },
  id: { pointer: '/sid' },
  errorCode: ['/code', '/error_code'],
  failures: [
    { tests: [{ pointer: '/status', oneOf: ['failed', 'undelivered'] }], result: 'permanent' },
    { status: ['2xx'], result: 'sent' },
    // Queue of the sender full, daily limit, or maintenance.
    { code: [20429, 21611, 21730, 14107, 63038], result: 'transient' },
    { status: [408, 429, 503], result: 'transient' },
    { status: ['5xx'], result: 'unknown' },
    // The account or its credentials.
    { code: [10001, 20003, 20005, 20008, 20404], result: 'misconfigured' },
    { code: SENDER_CODES, result: 'permanent' },
  ],
};

/** Classifies the outcome of sending one SMS. The rejection of a default sender is caused by the settings. */
export function classifyTwilioResponse(
  outcome: CallOutcome,
  nowMs: number,
  sensitive: SensitiveTexts,
): SendResult {
  if (outcome.kind !== 'response') return unansweredResult(outcome);
  const result = classifyHttpResponse(outcome.response, TWILIO, { nowMs, sensitive, isUrlOfMessage: false });
  const isOfSettings =
    result.kind === 'permanent' &&
    sensitive.message.sender === undefined &&
    SENDER_CODES.some((code) => result.code.endsWith(`-${code}`));
  return isOfSettings ? { ...result, kind: 'misconfigured' } : result;
}
