/**
 * Child process that uses nodemailer with a pool, as in its documentation. Its arguments are the port of the mail
 * server, the number of connections, and the number of messages sent concurrently. For a request `{from, count}`, it
 * sends these messages.
 */
import { createTransport } from 'nodemailer';
import { answerParent } from '../processes.ts';
import { messageIdOf, sampleMail, SENDER } from './sample-mail.ts';

const [port, maxConnections, window] = process.argv.slice(2).map(Number);
const transport = createTransport({ pool: true, host: '127.0.0.1', port, maxConnections, ignoreTLS: true });

answerParent(async ({ from, count }: { readonly from: number; readonly count: number }) => {
  let next = from;
  const sendOn = async (): Promise<void> => {
    while (next < from + count) {
      const mail = sampleMail(next);
      next += 1;
      await transport.sendMail({
        from: SENDER,
        to: mail.receiver,
        subject: mail.subject,
        text: mail.message,
        messageId: messageIdOf(mail),
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    }
  };
  await Promise.all(Array.from({ length: window ?? 1 }, sendOn));
  return undefined;
});
