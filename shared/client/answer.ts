/** Reading answers: the body, and what the headers say about it. */

/** A field that was ignored, or used in an unexpected way (E3, E5). */
export interface AnswerWarning {
  readonly code: string;
  readonly path: string;
}

/** An answer with what its headers say. */
export interface Answer<Reply> {
  readonly reply: Reply;
  readonly warnings: readonly AnswerWarning[];
  /** Identifies the content of the reply, to ask later whether it has changed; of addresses that send one. */
  readonly etag?: string | undefined;
  /** Holiday calendar of the due dates, such as `RO;version=2026.1`. */
  readonly holidayCalendar: string | undefined;
  /** The id of the call in the logs of the engine. */
  readonly correlationId: string;
  /** How often the request was sent. */
  readonly attempts: number;
}

/** The answer of one call and the response that it was read from. */
export interface Received<Body> {
  readonly body: Body;
  readonly response: Response;
  readonly correlationId: string;
  readonly attempts: number;
}

/** A response that the engine did not write. */
export class UnreadableAnswer extends Error {}

/** Reads the JSON or plain text of an answer; undefined where it has no body. */
export async function readContent(
  response: Response,
  parseJson: (text: string) => unknown,
): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/plain\b/i.test(type)) return text;
  if (!/[/+]json\b/i.test(type)) throw new UnreadableAnswer(`the content type is ${type || 'missing'}`);
  try {
    return parseJson(text);
  } catch (error) {
    throw new UnreadableAnswer('the body is not JSON', { cause: error });
  }
}

/** The answer with what its headers say. */
export function toAnswer<Reply>({ body, response, ...others }: Received<unknown>): Answer<Reply> {
  return {
    reply: body as Reply,
    warnings: readWarnings(response.headers.get('warnings') ?? undefined),
    etag: response.headers.get('etag') ?? undefined,
    holidayCalendar: response.headers.get('holiday-calendar') ?? undefined,
    ...others,
  };
}

/** Reads a list of warnings: `code;path, code;path`, with other characters than visible ASCII percent-encoded. */
export function readWarnings(list = ''): readonly AnswerWarning[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [code = '', path = ''] = item.split(';');
      return { code, path: decoded(path) };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
