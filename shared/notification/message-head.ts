/** Sender, receiver and subject from the header of an e-mail (or of an SMS in the outbox). */
export interface MessageHead {
  readonly sender: string;
  readonly receiver: string;
  readonly subject: string;
}

const END = /\r?\n\r?\n/;

/** Reads From, To and Subject from the first bytes of a message; missing fields are empty. */
export async function readMessageHead(start: Buffer): Promise<MessageHead> {
  const { decodeWords, default: mail } = await import('postal-mime');
  const [head = ''] = start.toString('latin1').split(END, 1);
  const { headers } = await mail.parse(Buffer.from(head, 'latin1'));
  const value = (name: string): string => decodeWords(headers.find(({ key }) => key === name)?.value ?? '');
  return { sender: value('from'), receiver: value('to'), subject: value('subject') };
}
