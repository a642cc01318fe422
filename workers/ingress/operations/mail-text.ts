/** The readable text of a message in the local outbox. */
export interface MailText {
  /** Header lines, unfolded. */
  readonly head: readonly string[];
  /** Plain text, or the source of HTML if there is no other. */
  readonly text: string;
  readonly html: string | undefined;
  /** Names of the attached files. */
  readonly files: readonly string[];
}

/** Our messages have fewer levels; the limit bounds the work for malicious files. */
const MAX_DEPTH = 5;
const FOLD = /\r?\n(?=[ \t])/g;

export async function readMailText(content: Buffer): Promise<MailText> {
  const { default: mail } = await import('postal-mime');
  const { headerLines, text, html, attachments } = await mail.parse(content, { maxNestingDepth: MAX_DEPTH });
  return {
    head: headerLines.map(({ line }) => line.replaceAll(FOLD, '')),
    text: text ?? html ?? '',
    html,
    files: attachments.map(({ filename }) => filename ?? 'file'),
  };
}
