/**
 * Detects the content type of an attachment from its first bytes; undefined if they do not identify it (text), so that its
 * name decides. Content takes precedence over the name: an executable named `invoice.pdf` is declared as an executable.
 */
export async function detectAttachmentType(content: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(content))?.mime;
}
