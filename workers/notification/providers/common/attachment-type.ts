/**
 * The content type of an attachment by its first bytes; undefined where these do not identify it (text), so that its name
 * decides. Content takes precedence over the name: a program named `invoice.pdf` is declared as a program.
 */
export async function detectAttachmentType(content: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(content))?.mime;
}
