import { Readable } from 'node:stream';
import type { MailMessage } from 'nodemailer';
import type { MimeNodeEnvelope } from 'nodemailer/lib/mime-node';
import { composeText } from './compose-text.ts';

/** Chunks are joined up to this size, so that a message without attachments is written in one chunk. */
const GATHERED_BYTES = 64 * 1_024;

/** Records the stream to which it is piped: nodemailer's encoder, which is piped to the socket. */
class Body extends Readable {
  connection: Readable | undefined;

  override pipe<T extends NodeJS.WritableStream>(to: T, options?: { end?: boolean }): T {
    if (to instanceof Readable) this.connection = to;
    return super.pipe(to, options);
  }
}

/** The progress of the transmission of one message. */
export interface BodyWatch {
  /** The whole message was written to the connection, so that its final dot follows immediately. */
  isBodyOut: boolean;
  /** The server rejected the receiver but accepted a copy; the message was withheld. */
  receiverFault: object | undefined;
}

/** The envelope that nodemailer uses while sending, with the server's reply to each address. */
interface RunningEnvelope {
  readonly rejectedErrors?: readonly (object & { readonly recipient?: string })[];
}

/**
 * Tracks the transmission of a message, which nodemailer's errors do not report. When the first byte is read, the server has
 * replied to all addresses. If it rejected the receiver but accepted a copy (cc, bcc), the message is not sent, so that a
 * retry does not deliver the copies twice. A message that was sent completely is never sent on a second connection. A
 * signed message is composed by nodemailer's streams, a plain text without them.
 */
export function watchMessageBody(
  mail: MailMessage,
  watch: BodyWatch,
  { isSigned }: { readonly isSigned: boolean },
): void {
  const { message } = mail;
  if (message === null) throw new Error('the message is not composed yet');
  const envelope: MimeNodeEnvelope & RunningEnvelope = message.getEnvelope();
  message.getEnvelope = () => envelope;
  const create = message.createReadStream.bind(message);
  message.createReadStream = () => {
    let source: Readable | undefined;
    let isBegun = false;
    const body = new Body({
      read: () => {
        if (isBegun) {
          source?.resume();
          return;
        }
        isBegun = true;
        source = begin(body);
      },
      destroy: (error, done) => {
        source?.destroy();
        done(error);
      },
    });
    return body;
  };
  const begin = (body: Body): Readable | undefined => {
    if (watch.isBodyOut) return fail(body, 'the message was already sent');
    // The receiver is the first address of the envelope, whose domain is encoded as on the wire.
    const [receiver] = envelope.to;
    watch.receiverFault = envelope.rejectedErrors?.find((fault) => fault.recipient === receiver);
    if (watch.receiverFault !== undefined) return fail(body, 'the receiver is rejected');
    const onEnd = (): void => {
      watch.isBodyOut = true;
    };
    const composed = isSigned ? undefined : composeText(message);
    if (composed !== undefined) {
      // Not within the read, which would leave it in the buffer of the stream.
      setImmediate(passWhole, composed, body, onEnd);
      return undefined;
    }
    const source = create();
    passOn(source, body, onEnd);
    return source;
  };
}

function fail(body: Body, text: string): undefined {
  body.destroy(new Error(text));
}

function passWhole(composed: Buffer, body: Body, onEnd: () => void): void {
  if (body.destroyed) return;
  body.push(composed);
  endWhenTaken(body, onEnd);
}

/** Forwards the chunks of a message; small ones are joined, since each costs a write to the connection. */
function passOn(source: Readable, body: Body, onEnd: () => void): void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const push = (): boolean => {
    const all = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
    return body.push(all);
  };
  source.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= GATHERED_BYTES && !push()) source.pause();
  });
  source.once('end', () => {
    if (bytes > 0) push();
    endWhenTaken(body, onEnd);
  });
  source.once('error', (error) => body.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) body.destroy(new Error('the message ended early'));
  });
}

/** Ends the body once all its chunks have left the buffers of the stream and of the connection. */
function endWhenTaken(body: Body, onEnd: () => void): void {
  if (body.destroyed) return;
  const full = [body, body.connection].find((stream) => stream !== undefined && isWaiting(stream));
  if (full !== undefined) {
    full.once('resume', () => setImmediate(endWhenTaken, body, onEnd));
    return;
  }
  onEnd();
  body.push(null);
}

function isWaiting({ readableFlowing, readableLength }: Readable): boolean {
  return readableFlowing === false || readableLength > 0;
}
