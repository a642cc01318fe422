import { array, assert, boolean, constant, nat, oneof, property, record, type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { openTestIndex } from '../../../support/record-index/test-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const RETENTION_MS = 1_000;
const LIMITS = { waitingBytes: 3_000 };
const MAX_ID = 12;

const id = nat(MAX_ID);
const agoMs = oneof(constant(0), nat(600));
const PUT = record({ kind: constant('put' as const), id, agoMs, isOpen: boolean() });
const DELETE = record({ kind: constant('delete' as const), id });
const PASS = record({ kind: constant('pass' as const), ms: nat(500) });
const STEPS = array(
  oneof(
    { weight: 8, arbitrary: PUT },
    { weight: 1, arbitrary: DELETE },
    { weight: 3, arbitrary: PASS },
    { weight: 4, arbitrary: constant({ kind: 'fire' as const }) },
    { weight: 1, arbitrary: constant({ kind: 'reopen' as const }) },
  ),
  { minLength: 10, maxLength: 150 },
);

type Step = typeof STEPS extends Arbitrary<(infer T)[]> ? T : never;

/** The first differences between an index and a map after the same steps. */
function compare(steps: readonly Step[], folder: string | undefined): readonly unknown[] {
  const known = new Map<number, { readonly text: string; readonly atMs: number; readonly isOpen: boolean }>();
  let [nowMs, offset] = [10_000, 0];
  const options = { retentionMs: RETENTION_MS, limits: LIMITS, clock: { now: () => nowMs } };
  const open = () => openTestIndex({ ...options, ...(folder === undefined ? {} : { folder }) });
  let own = open();
  const perform = (step: Step): void => {
    if (step.kind === 'pass') nowMs += step.ms;
    else if (step.kind === 'fire') own.fire();
    else if (step.kind === 'reopen') {
      if (folder === undefined) return;
      own.index.close();
      own = open();
    } else {
      if (step.kind === 'delete') {
        own.index.delete(String(step.id));
        known.delete(step.id);
      } else {
        const put = { text: String(offset), atMs: nowMs - step.agoMs, isOpen: step.isOpen };
        known.set(step.id, put);
        own.put(String(step.id), put.text, put.atMs, put.isOpen);
      }
      offset += 1;
      own.index.passed({ topic: 't', partition: 0, offset });
    }
  };
  const differences = (): unknown[] => {
    const different: unknown[] = own.index.accepts() ? [] : ['the index accepts nothing'];
    const reached = own.index.positions[0]?.offset ?? 0;
    if (reached !== offset) different.push({ reached, expected: offset });
    for (let key = 0; key <= MAX_ID; key += 1) {
      const one = known.get(key);
      const isKept = one !== undefined && (one.isOpen || one.atMs >= nowMs - RETENTION_MS);
      const expected = isKept ? one.text : undefined;
      const found = own.find(String(key));
      if (found !== expected) different.push({ key, found, expected });
    }
    return different;
  };
  try {
    for (const step of steps) {
      perform(step);
      const different = differences();
      if (different.length > 0) return different;
    }
    return [];
  } finally {
    own.index.close();
  }
}

it('an index in memory finds what a map with the same records and retention has', () => {
  const holds = property(STEPS, (steps) => {
    expect(compare(steps, undefined)).toEqual([]);
  });
  expect(() => assert(holds, { numRuns: 60 })).not.toThrow();
});

it('an index on disk finds what a map with the same records and retention has, also after it was closed', () => {
  const holds = property(STEPS, (steps) => {
    expect(compare(steps, scratchFolder())).toEqual([]);
  });
  expect(() => assert(holds, { numRuns: 15 })).not.toThrow();
});
