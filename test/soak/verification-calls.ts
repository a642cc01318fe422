import { sleep } from '../support/conformance/wait.ts';
import type { ProviderStandIn } from '../support/fakes/provider-stand-in.ts';

const PATH = '/api/notifications/v1/verifications';
const CALL_LIMIT_MS = 20_000;
const REPEAT_PAUSE_MS = 500;
/** A code that has not arrived after so many pauses is not checked. */
const MAX_PAUSES = 120;
const FIRST_RECEIVER = 40_733_120_000;
const CODE = /^verification (\d+): (\d{10})$/;

export interface VerificationFigures {
  readonly verificationsStarted: number;
  readonly codesAccepted: number;
  /** Verifications whose code was accepted by a second check, or that took a wrong code. */
  readonly codesAcceptedWrongly: number;
}

/** Starts verifications over a failing network, checks a wrong code, then the one that arrived, and that one again. */
export class VerificationCaller {
  readonly #urls: readonly string[];
  readonly #provider: ProviderStandIn;
  readonly #figures = { verificationsStarted: 0, codesAccepted: 0, codesAcceptedWrongly: 0 };
  #isOver = false;

  constructor(urls: readonly string[], provider: ProviderStandIn) {
    this.#urls = urls;
    this.#provider = provider;
  }

  /** Resolves when verification `number` has ended or is given up. */
  async verify(number: number): Promise<void> {
    const receiver = `+${FIRST_RECEIVER + number}`;
    const body = { receiver, message: `verification ${number}: {{code}}`, length: 10, validSeconds: 3_600 };
    const id = (await this.#call(number, '', body, { 'idempotency-key': `soak-${number}` }))?.verificationId;
    if (id === undefined) return;
    this.#figures.verificationsStarted += 1;
    const code = await this.#codeOf(number);
    if (code === undefined) return;
    const check = (typed: string) => this.#call(number, `/${id}/check`, { code: typed });
    const wrong = await check(code === '0000000000' ? '1111111111' : '0000000000');
    const right = await check(code);
    // A repeat after a lost answer is another request, so the first of them may have been the one that counted.
    const again = right?.status === 'approved' ? await check(code) : undefined;
    if (right?.status === 'approved') this.#figures.codesAccepted += 1;
    if (wrong?.status === 'approved' || again?.status === 'approved') this.#figures.codesAcceptedWrongly += 1;
  }

  giveUp(): void {
    this.#isOver = true;
  }

  figures(): VerificationFigures {
    return { ...this.#figures };
  }

  async #codeOf(number: number): Promise<string | undefined> {
    for (let pauses = 0; pauses < MAX_PAUSES && !this.#isOver; pauses += 1) {
      for (const { body } of this.#provider.requests) {
        const { text } = JSON.parse(body.toString()) as { readonly text: string };
        const [, of, code] = CODE.exec(text) ?? [];
        if (of === String(number)) return code;
      }
      await sleep(REPEAT_PAUSE_MS);
    }
    return undefined;
  }

  /** Repeats a call at the other ingress until it is answered; undefined once it is given up. */
  async #call(number: number, path: string, body: object, headers: Record<string, string> = {}) {
    for (let attempt = 0; !this.#isOver; attempt += 1) {
      const url = this.#urls[(number + attempt) % this.#urls.length] ?? '';
      const response = await fetch(url + PATH + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
      }).catch(() => undefined);
      if (response !== undefined && response.status < 500)
        return (await response.json().catch(() => undefined)) as
          | { readonly verificationId?: string; readonly status?: unknown }
          | undefined;
      await sleep(REPEAT_PAUSE_MS);
    }
    return undefined;
  }
}
