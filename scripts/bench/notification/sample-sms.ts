import type { SmsCommand } from '../../../shared/notification/command.ts';
import { sampleId } from './sample-mail.ts';

/** The path of the provider. */
export const PROVIDER_PATH = '/messages';
export const SMS_SENDER = 'YourBank';
/** A valid Romanian mobile number; the last digits distinguish the receivers. */
const FIRST_NUMBER = 40_720_000_000;
const NUMBERS = 10_000_000;
const TEXT = 'Your card ending in 1234 was used for 45.00 EUR. If it was not you, call us now.';

/** The `payload-template` of the provider. */
export const PAYLOAD_TEMPLATE = {
  from: 'SENDER_PLACEHOLDER',
  to: 'RECEIVER_PLACEHOLDER',
  text: 'MESSAGE_PLACEHOLDER',
  reference: 'ID_PLACEHOLDER',
} as const;

/** One of ten million SMS that differ in receiver and id. */
export function sampleSms(index: number): SmsCommand & { readonly notificationId: string } {
  return {
    notificationId: sampleId(index),
    sender: SMS_SENDER,
    receiver: `+${FIRST_NUMBER + (index % NUMBERS)}`,
    message: TEXT,
  };
}

/** The body that the template makes of an SMS. */
export function sampleBody(sms: SmsCommand & { readonly notificationId: string }): string {
  const { sender, receiver, message, notificationId } = sms;
  return JSON.stringify({ from: sender, to: receiver, text: message, reference: notificationId });
}
