import { Readable } from 'node:stream';
import type { MailMessage } from 'nodemailer';

export interface BodyWatch {
  /** The last part of the message was passed to the connection, so that its final dot follows. */
  isBodyOut: boolean;
  /** The server rejected the receiver but accepted a copy; the message was withheld. */
  receiverFault: object | undefined;
}

/** The envelope that nodemailer uses while sending, with the server's reply to each address. */
interface RunningEnvelope {
  readonly rejectedErrors?: readonly (object & { readonly recipient?: string })[];
}

/** Bytes that are read ahead of the connection: of these it is not known whether the server has them. */
const READ_AHEAD_BYTES = 16_384;

/**
 * Tracks the transmission of a message, which nodemailer's errors do not report. When the first byte is read, the server has
 * replied to all addresses. If it rejected the receiver but accepted a copy (cc, bcc), the message is not sent, so that a
 * retry does not deliver the copies twice. A message that was sent completely is never sent on a second connection.
 */
export function watchMessageBody({ message }: MailMessage, watch: BodyWatch): void {
  if (message === null) throw new Error('the message is not composed yet');
  const envelope: ReturnType<typeof message.getEnvelope> & RunningEnvelope = message.getEnvelope();
  message.getEnvelope = () => envelope;
  const create = message.createReadStream.bind(message);
  async function* read(): AsyncGenerator<Buffer> {
    if (watch.isBodyOut) throw new Error('the message was already sent');
    // The receiver is the first address of the envelope, whose domain is encoded as on the wire.
    const [receiver] = envelope.to;
    watch.receiverFault = envelope.rejectedErrors?.find((fault) => fault.recipient === receiver);
    if (watch.receiverFault !== undefined) throw new Error('the receiver is rejected');
    yield* create() as AsyncIterable<Buffer>;
    watch.isBodyOut = true;
  }
  message.createReadStream = () =>
    Readable.from(read(), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
}
