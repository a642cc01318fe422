/** Notification commands as JSON messages: the members of the HTTP bodies, and the id. */

import type { EmailCommand, SmsCommand } from '../../notification/command.ts';

/** Writes an SMS command. */
export function renderSmsCommand({ notificationId, sender, message, receiver }: SmsCommand): string {
  return JSON.stringify({ notificationId, sender, message, receiver });
}

/** Writes an e-mail command; its files in base64. */
export function renderEmailCommand(command: EmailCommand): string {
  const { attachments, cc, bcc, ...members } = command;
  const files = attachments.map(({ name, content }) => ({ name, content: content.toString('base64') }));
  return JSON.stringify({
    ...members,
    cc: listOf(cc),
    bcc: listOf(bcc),
    attachmentList: files.length === 0 ? undefined : files,
  });
}

function listOf(addresses: readonly string[]): string | undefined {
  return addresses.length === 0 ? undefined : addresses.join('; ');
}
