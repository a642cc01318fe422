import { sleep } from '../../../shared/platform/system-ports.ts';
import type { VerificationExchange } from '../check/history.ts';
import type { Answer, Call } from '../ingress-call.ts';
import type { VerificationCall } from './plan.ts';
import { receiverOf } from './callers.ts';
import type { World } from './world.ts';

const VERIFICATIONS = '/api/notifications/v1/verifications';
const REPEAT_MS = 2_000;
const MAX_REPEATS = 6;
const CODE = /^code of (\S+): (\d{10})$/;

/** Starts a verification and then checks codes and asks for new ones as planned, at any instance. */
export async function verify(world: World, call: VerificationCall): Promise<void> {
  const { id, channel, receiver } = call;
  const post = async (ingress: number, path: string, body?: object): Promise<Answer | undefined> => {
    const headers: Call['headers'] = path === '' ? { 'idempotency-key': id } : {};
    const url = VERIFICATIONS + path;
    const answer = await world.call(ingress, { method: 'POST', url, headers, body });
    world.journal.note('caller', `got ${answer?.status ?? 'no answer'} of ${url}`, id);
    return answer;
  };
  const message = `code of ${id}: {{code}}`;
  const start = { receiver: receiverOf(channel, receiver), message, length: 10, validSeconds: 3_600 };
  let started: Answer | undefined;
  for (let attempt = 0; attempt <= MAX_REPEATS && started?.status !== 202; attempt += 1) {
    if (attempt > 0) await sleep(world.system.timers, REPEAT_MS);
    started = await post(call.ingress + attempt, '', start);
  }
  if (started?.status !== 202) return;
  const { verificationId } = JSON.parse(started.body) as { readonly verificationId: string };
  const exchange: VerificationExchange = { id, verificationId, checks: [] };
  world.history.verifications.push(exchange);
  await Promise.all(
    call.steps.map(async ({ afterMs, ingress, what }) => {
      await sleep(world.system.timers, afterMs);
      if (what === 'resend') {
        await post(ingress, `/${verificationId}/resend`);
        return;
      }
      const codes = codesOf(world, id);
      const code =
        (what === 'newest' ? codes.at(-1) : what === 'oldest' ? codes[0] : undefined) ?? '0000000000';
      const sentAtMs = world.system.monotonic.elapsedMs();
      const answer = await post(ingress, `/${verificationId}/check`, { code });
      const answeredAtMs = world.system.monotonic.elapsedMs();
      exchange.checks.push({ code, sentAtMs, answeredAtMs, answer });
    }),
  );
}

/** The codes that the providers sent, in the order of their calls. */
export function codesOf({ history }: Pick<World, 'history'>, id: string): readonly string[] {
  return history.providerCalls.flatMap(({ text, deliveredAtMs }) => {
    const [, of, code = ''] = CODE.exec(text) ?? [];
    return of === id && deliveredAtMs !== undefined ? [code] : [];
  });
}
