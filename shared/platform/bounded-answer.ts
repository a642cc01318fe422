/** Limit for answers of key sets, registries, token endpoints and other processes. Usual answers have about 10 KiB. */
const MAX_ANSWER_BYTES = 1_048_576;

/** The text of an answer, or undefined above 1 MiB, where reading stops. Rejects if the connection fails. */
export async function readAnswer({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The parsed JSON of an answer. Rejects if it exceeds 1 MiB or is not JSON, or if the connection fails. */
export async function readJsonAnswer(response: Response): Promise<unknown> {
  const text = await readAnswer(response);
  if (text === undefined) throw new Error('the answer is longer than 1 MiB');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The error of the parser quotes the answer, which may contain a secret.
    throw new Error('the answer is not JSON');
  }
}
