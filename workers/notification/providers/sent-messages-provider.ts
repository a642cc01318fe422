import type { Outbound } from '../../../shared/notification/notification-command.ts';
import { openSentMessages } from '../../../shared/notification/sent-messages.ts';
import type { Provider, SendResult } from '../../../shared/notification/provider.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { mailContent } from './mail-content.ts';

const DEFAULT_SENDERS = { email: 'no-reply@platrealm.invalid', sms: 'platrealm' } as const;

/** Writes e-mail as it would be sent (.eml), and SMS as text. It is idempotent: a repeated id overwrites its file. */
export function createSentMessagesProvider(
  settings: { readonly name: string; readonly channel: 'sms' | 'email'; readonly folder: string },
  deps: { readonly clock: Clock },
): Provider {
  const { name, channel } = settings;
  const folder = openSentMessages(settings.folder);
  let composer: ReturnType<typeof loadComposer> | undefined;

  const compose = async (message: Outbound): Promise<Buffer | SendResult> => {
    const defaultSender = DEFAULT_SENDERS[channel];
    const sentAt = new Date(deps.clock.now());
    if (message.channel === 'sms') return smsText(message, defaultSender, sentAt);
    const content = await mailContent(message, { defaultSender }, sentAt);
    if (content.kind !== 'mail') return { kind: 'permanent', code: content.code };
    const transport = await (composer ??= loadComposer());
    const { message: composed } = await transport.sendMail(content.options);
    return composed as Buffer;
  };

  return {
    name,
    channel,
    isIdempotent: true,
    send: async (message) => {
      const composed = await compose(message);
      if (!Buffer.isBuffer(composed)) return composed;
      try {
        await folder.write(message.id, message.channel, composed);
        return { kind: 'sent', providerMessageId: message.id };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return code === 'ENOSPC' || code === 'EMFILE'
          ? { kind: 'transient', code: `outbox-${code.toLowerCase()}` }
          : { kind: 'misconfigured', code: 'outbox-not-writable' };
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Loads nodemailer with the first e-mail: loading takes a tenth of the processor time of a start. */
async function loadComposer() {
  const { createTransport } = await import('nodemailer');
  return createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
}

/** Renders a header and the text. Control characters in sender or receiver become spaces. */
function smsText(message: Outbound, defaultSender: string, sentAt: Date): Buffer {
  const head = [
    `From: ${onOneLine(message.sender ?? defaultSender)}`,
    `To: ${onOneLine(message.receiver)}`,
    `Date: ${sentAt.toUTCString()}`,
  ];
  return Buffer.from(`${head.join('\n')}\n\n${message.message}\n`);
}

function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
