/** The client of the engine, with the token of this tab. */
import { signal } from '@preact/signals';
import { createClient } from '../../../../shared/client/client.ts';
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
