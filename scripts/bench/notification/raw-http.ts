/**
 * Child process that uses undici with a pool, as in its documentation. Its arguments are the port of the HTTP server, the
 * number of connections, and the number of messages sent concurrently. For a request `{from, count}`, it sends these
 * messages.
 */
import { Pool } from 'undici';
import { answerParent } from '../processes.ts';
import { PROVIDER_PATH, sampleBody, sampleSms } from './sample-sms.ts';

const [port, connections = 1, window = 1] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
const headers = { 'content-type': 'application/json' };

answerParent(async ({ from, count }: { readonly from: number; readonly count: number }) => {
  let next = from;
  const sendOn = async (): Promise<void> => {
    while (next < from + count) {
      const sms = sampleSms(next);
      next += 1;
      const request = { method: 'POST', path: PROVIDER_PATH, headers, body: sampleBody(sms) } as const;
      const { body } = await pool.request(request);
      await body.json();
    }
  };
  await Promise.all(Array.from({ length: window }, sendOn));
  return undefined;
});
