/**
 * Content type of an attachment by its first bytes; undefined where they tell nothing (text), then its name decides. What
 * it is goes before what it is called: a program named `invoice.pdf` is announced as a program.
 */
export async function detectAttachmentType(content: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(content))?.mime;
}
