import { describe, expect, it } from 'vitest';
import { BrokerClock } from '../../../../shared/messaging/clock/broker-clock.ts';
import { ClockWatch } from '../../../../shared/messaging/clock/clock-watch.ts';
import { silentLog, type Log } from '../../../../shared/platform/log.ts';
import { createMetrics } from '../../../../shared/platform/metrics.ts';
import { seededSystem } from '../../../simulation/seeded-system.ts';

const LIMIT_MS = 60_000;
const MINUTE_MS = 60_000;
const RUN_LIMIT_MS = 1_000;

/** A watch in a process whose clock is ahead of the broker's by a time that the test changes. */
function setUp({ limitMs = LIMIT_MS, hasBrokerTime = true } = {}) {
  const system = seededSystem(1);
  const state = { aheadMs: 0, fails: false, readings: 0 };
  const clock = { now: () => system.clock.now() + state.aheadMs };
  const ports = { ...system, clock };
  const brokerClock = new BrokerClock(ports);
  const lines: string[] = [];
  const write = (_: unknown, text: string): void => void lines.push(text);
  const log = { ...silentLog, info: write, warn: write } as Log;
  const metrics = createMetrics();
  const readTime = async (): Promise<number> => {
    state.readings += 1;
    if (state.fails) throw new Error('no leader');
    return system.clock.now();
  };
  const watch = new ClockWatch({
    ...ports,
    brokerClock,
    readTime: hasBrokerTime ? readTime : undefined,
    limitMs,
    log,
    metrics,
  });
  const start = () => system.run(watch.start(), RUN_LIMIT_MS);
  return { system, state, brokerClock, watch, lines, metrics, start };
}

describe('ClockWatch', () => {
  it.each([
    [0, 'ready'],
    [900, 'ready'],
    [-900, 'ready'],
    [1_100, 'degraded'],
    [-1_100, 'degraded'],
    [59_900, 'degraded'],
    [60_100, 'starting'],
    [-60_100, 'starting'],
    [24 * 3_600_000, 'starting'],
  ])('reports a clock that is ahead by %i ms as %s', async (aheadMs, status) => {
    const { watch, state, lines, start } = setUp();
    state.aheadMs = aheadMs;
    await start();
    expect(watch.health()?.status).toBe(status);
    expect(lines).toHaveLength(status === 'ready' ? 0 : 1);
  });

  it('names distance, direction, limit and remedy in log and health', async () => {
    const { watch, state, lines, start } = setUp();
    state.aheadMs = 90_000;
    await start();
    const text =
      "the clock of this machine is 90.00 s (± 0.00 s) ahead of the broker's, CLOCK_OFFSET_LIMIT_MS is 60000: synchronise both by NTP";
    expect([watch.health()?.reason, lines]).toEqual([text, [text]]);
  });

  it('stays ready to serve with a limit of 0', async () => {
    const { watch, state, start } = setUp({ limitMs: 0 });
    state.aheadMs = 24 * 3_600_000;
    await start();
    expect(watch.health()?.status).toBe('degraded');
  });

  it('reads once a minute, and at once when the local clock is set', async () => {
    const { system, state, watch, metrics, lines, start } = setUp();
    await start();
    expect(state.readings).toBe(1);
    await system.pass(10 * MINUTE_MS);
    expect(state.readings).toBe(11);
    state.aheadMs = -2 * LIMIT_MS;
    await system.pass(5_000);
    expect(state.readings).toBe(12);
    expect(watch.health()?.status).toBe('starting');
    expect(await metrics.text()).toContain('plat_clock_steps_total{clock="local"} 1');
    expect(lines[0]).toContain('the clock of this machine was set');
    state.aheadMs = 0;
    await system.pass(5_000);
    expect(watch.health()).toEqual({ status: 'ready' });
    expect(lines.at(-1)).toContain('agrees with the clock of the broker again');
  });

  it('shows the offset at the time of the scrape, its error and the age of the reading', async () => {
    const { system, state, metrics, start } = setUp();
    await start();
    await system.pass(2_000);
    state.aheadMs = 5_000;
    const text = await metrics.text();
    expect(text).toMatch(/plat_clock_offset_seconds -(?:5|4\.99)/);
    expect(text).toMatch(/plat_clock_offset_error_seconds 0\.00/);
    expect(text).toMatch(/plat_clock_reading_age_seconds 2/);
  });

  it('starts and stays degraded while the time of the broker cannot be read, and recovers', async () => {
    const { system, state, watch, brokerClock, lines, start } = setUp();
    state.fails = true;
    await start();
    const reason = 'the time of the broker cannot be read: no leader';
    expect(watch.health()).toEqual({ status: 'degraded', reason });
    await system.pass(MINUTE_MS);
    expect([lines.length, brokerClock.offset()]).toEqual([1, undefined]);
    state.fails = false;
    await system.pass(5_000);
    expect(watch.health()).toEqual({ status: 'ready' });
  });

  it('is degraded ten minutes after the last reading', async () => {
    const { system, state, watch, start } = setUp();
    await start();
    state.fails = true;
    await system.pass(9 * MINUTE_MS);
    expect(watch.health()).toEqual({ status: 'ready' });
    await system.pass(2 * MINUTE_MS);
    expect(watch.health()?.status).toBe('degraded');
  });

  it('watches only steps of the clock where the broker has the same one', async () => {
    const { system, state, watch, metrics, brokerClock, start } = setUp({ hasBrokerTime: false });
    await start();
    state.aheadMs = 3_600_000;
    await system.pass(5_000);
    expect([watch.health(), brokerClock.offset()]).toEqual([undefined, undefined]);
    expect(await metrics.text()).toContain('plat_clock_steps_total{clock="local"} 1');
  });

  it('ends its checks when it is stopped', async () => {
    const { system, state, watch, start } = setUp();
    await start();
    watch.stop();
    await system.pass(10 * MINUTE_MS);
    expect(state.readings).toBe(1);
  });
});
