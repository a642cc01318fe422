import { describe, expect, it } from 'vitest';
import { BrokerClock } from '../../../../shared/messaging/clock/broker-clock.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';

const HOUR_MS = 3_600_000;
const BROKER_MS = 1_700_000_000_000;

/** A process whose clock is ahead of the broker's by `aheadMs`, and its clock for the time of the broker. */
function setUp(aheadMs: number) {
  const system = virtualTime({ wallMs: BROKER_MS + aheadMs });
  const clock = new BrokerClock(system);
  let brokerAheadMs = 0;
  const brokerMs = (): number => system.time.elapsedMs + BROKER_MS + brokerAheadMs;
  /** A reading that arrives at the broker after `thereMs`, and whose response takes `backMs`. */
  const read = (thereMs: number, backMs: number): number => {
    const sentMs = system.time.elapsedMs;
    system.pass(thereMs);
    const atMs = Math.floor(brokerMs());
    system.pass(backMs);
    return clock.add({ brokerMs: atMs, sentMs, receivedMs: system.time.elapsedMs });
  };
  const setBroker = (byMs: number): void => {
    brokerAheadMs += byMs;
  };
  return { system, clock, read, brokerMs, setBroker };
}

describe('BrokerClock', () => {
  it('is the local clock before the first reading', () => {
    const { clock, system } = setUp(HOUR_MS);
    expect([clock.now(), clock.offset()]).toEqual([system.time.wallMs, undefined]);
  });

  it.each([0, 1_000, 60_000, HOUR_MS, 24 * HOUR_MS, -1_000, -60_000, -HOUR_MS, -24 * HOUR_MS])(
    'tells the time of the broker in a process whose clock is ahead by %i ms',
    (aheadMs) => {
      const { clock, system, read, brokerMs } = setUp(aheadMs);
      read(4, 4);
      system.pass(30_000);
      expect(Math.abs(clock.now() - brokerMs())).toBeLessThanOrEqual(11);
      const { offsetMs = 0, errorMs = 0, ageMs } = clock.offset() ?? {};
      expect(Math.abs(offsetMs + aheadMs)).toBeLessThanOrEqual(errorMs);
      expect([errorMs < 12, ageMs]).toEqual([true, 30_000]);
    },
  );

  it.each([
    [200, 0],
    [0, 200],
    [150, 50],
  ])(
    'contains the true offset within its error when a request takes %i ms and its response %i ms',
    (...ms) => {
      const { clock, read } = setUp(5_000);
      read(...ms);
      const { offsetMs = 0, errorMs = 0 } = clock.offset() ?? {};
      expect(Math.abs(offsetMs + 5_000)).toBeLessThanOrEqual(errorMs);
      expect(errorMs).toBe(100.5);
    },
  );

  it('becomes more exact with each reading, and is not made worse by a slow one', () => {
    const { clock, read } = setUp(0);
    const errors = [read(300, 0), read(3, 1), read(0, 900), read(0, 4)].map(() => 0);
    expect(errors).toEqual([0, 0, 0, 0]);
    expect(clock.offset()?.errorMs).toBeLessThan(3);
  });

  it('states a larger error the longer the last reading was ago', () => {
    const { clock, read, system } = setUp(0);
    read(1, 1);
    system.pass(HOUR_MS);
    expect(clock.offset()?.errorMs).toBeCloseTo(1.5 + HOUR_MS * 0.000_2, 1);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'ignores that the local clock is set by %i ms between two readings',
    (byMs) => {
      const { clock, read, system, brokerMs } = setUp(0);
      read(1, 1);
      system.time.wallMs += byMs;
      expect(Math.abs(clock.now() - brokerMs())).toBeLessThan(3);
      expect(clock.offset()?.offsetMs).toBeCloseTo(-byMs, -1);
    },
  );

  it.each([HOUR_MS, -HOUR_MS])(
    'reports that the clock of the broker was set by %i ms, and follows it',
    (byMs) => {
      const { clock, read, brokerMs, setBroker } = setUp(0);
      read(1, 1);
      setBroker(byMs);
      expect(Math.abs(read(1, 1) - byMs)).toBeLessThan(3);
      expect(Math.abs(clock.now() - brokerMs())).toBeLessThan(3);
    },
  );
});
