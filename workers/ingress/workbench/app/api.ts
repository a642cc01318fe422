/** The client of the engine, with the token of this tab. */
import { signal } from '@preact/signals';
import { createClient, type CallOptions } from '../../../../shared/client/client.ts';
import { BASE_PATH } from './page-settings.ts';
import { token } from './preferences.ts';

/** True after a response said that the token is missing or no longer valid. */
export const tokenRefused = signal(false);

export const engine = createClient({
  baseUrl: BASE_PATH,
  token: () => (token.value === '' ? undefined : token.value),
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 401) tokenRefused.value = true;
    return response;
  },
});

/** The reply of a call, without what its headers say. */
export async function replyOf<Reply>(answer: Promise<{ readonly reply: Reply }>): Promise<Reply> {
  return (await answer).reply;
}

/** Calls an address and returns the JSON of its response. */
export function callJson<Reply>(
  path: string,
  {
    method = 'GET',
    ...options
  }: CallOptions & { readonly method?: 'GET' | 'POST'; readonly body?: unknown } = {},
): Promise<Reply> {
  return replyOf(callAny(method.toLowerCase(), path, options)) as Promise<Reply>;
}

/** An address whose types are those of the caller. */
function callAny(...input: [string, string, object]): Promise<{ readonly reply: unknown }> {
  return engine.call(...(input as unknown as Parameters<typeof engine.call<'get', '/metrics'>>));
}
