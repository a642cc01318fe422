import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { takeTurn } from '../delivery/admit-provider.ts';
import type { CommandCopy } from '../state/command-copy.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import { eligibleProviders } from '../delivery/eligible-providers.ts';

/** A message waits for a provider's turn in its place for so long, then it gives its place to others. */
export const TURN_LIMIT_MS = 10_000;
/** Whoever waits looks again at least so often: the providers may have been replaced. */
export const TURN_LOOK_MS = 1_000;

const NO_PROVIDERS: readonly GuardedProvider[] = [];

/** The providers that a round may ask, and the one whose turn was taken. */
export interface Turn {
  readonly providers: readonly GuardedProvider[];
  readonly first: number;
}

/** Whether the unknown may be sent again, by policy or because an operator accepts it. */
export function acceptsTwice(
  copy: CommandCopy,
  { unknownPolicy }: Pick<DeliveryParts, 'unknownPolicy'>,
): boolean {
  return unknownPolicy === 'resend' || copy.redriveUnknown;
}

/**
 * Waits a while for the turn of one of the copy's providers; undefined: none came. `parked`: no provider may get it, since
 * it may have been sent by one that is not there any more. `onLook` is called while it waits, `limitMs` at most.
 */
export async function awaitTurn(
  copy: CommandCopy,
  parts: DeliveryParts,
  onLook: () => void,
  limitMs = TURN_LIMIT_MS,
): Promise<Turn | 'parked' | undefined> {
  const { monotonic, closing, sleep } = parts;
  const untilMs = monotonic.elapsedMs() + limitMs;
  while (!closing.aborted) {
    const all = parts.providers.of(parts.channel);
    const providers =
      all.length === 0 ? NO_PROVIDERS : eligibleProviders(all, copy.history, acceptsTwice(copy, parts));
    if (all.length > 0 && providers.length === 0) return 'parked';
    const turn = takeTurn(providers);
    if (turn.kind === 'go') return { providers, first: turn.index };
    if (monotonic.elapsedMs() >= untilMs) return undefined;
    await sleep(Math.min(turn.afterMs, TURN_LOOK_MS), closing);
    onLook();
  }
  return undefined;
}
