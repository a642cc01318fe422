/** The longest answer of a key set, a schema registry, a token endpoint or another process; a usual one has some 10 KiB. */
const MAX_ANSWER_BYTES = 1_048_576;

/** The text of an answer; undefined if it is longer than 1 MiB, of which no more is read. Rejects when the connection fails. */
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

/** The parsed JSON of an answer. Rejects when it is longer than 1 MiB or is not JSON. */
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
