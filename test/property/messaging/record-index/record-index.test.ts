import { array, assert, boolean, constant, nat, oneof, property, record, type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { openTestIndex } from '../../../support/record-index/test-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const RETENTION_MS = 1_000;
const LIMITS = { waitingBytes: 3_000 };
const MAX_ID = 12;

interface Known {
  readonly text: string;
  readonly atMs: number;
  readonly isOpen: boolean;
}

interface Put {
  readonly kind: 'put';
  readonly id: number;
  readonly agoMs: number;
  readonly isOpen: boolean;
}

type Step =
  | Put
  | { readonly kind: 'delete'; readonly id: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'fire' }
  | { readonly kind: 'reopen' };

const id = nat(MAX_ID);
const agoMs = oneof(constant(0), nat(600));
const PUT: Arbitrary<Step> = record({ kind: constant('put'), id, agoMs, isOpen: boolean() });
const DELETE: Arbitrary<Step> = record({ kind: constant('delete'), id });
const PASS: Arbitrary<Step> = record({ kind: constant('pass'), ms: nat(500) });
const STEPS = array(
  oneof(
    { weight: 8, arbitrary: PUT },
    { weight: 1, arbitrary: DELETE },
    { weight: 3, arbitrary: PASS },
    { weight: 4, arbitrary: constant<Step>({ kind: 'fire' }) },
    { weight: 1, arbitrary: constant<Step>({ kind: 'reopen' }) },
  ),
  { minLength: 10, maxLength: 150 },
);

/** An index beside a map with the same records. */
class Compared {
  readonly #folder: string | undefined;
  #index: ReturnType<typeof openTestIndex>;
  readonly #known = new Map<string, Known>();
  #nowMs = 10_000;
  #offset = 0;

  constructor(folder: string | undefined) {
    this.#folder = folder;
    this.#index = this.#open();
  }

  /** Performs the step. Returns what differs then. */
  step(step: Step): readonly unknown[] {
    switch (step.kind) {
      case 'pass':
        this.#nowMs += step.ms;
        break;
      case 'fire':
        this.#index.fire();
        break;
      case 'reopen':
        if (this.#folder !== undefined) this.#reopen();
        break;
      case 'delete':
        this.#index.index.delete(String(step.id));
        this.#known.delete(String(step.id));
        this.#pass();
        break;
      case 'put':
        this.#put(step);
        this.#pass();
        break;
      default:
        step satisfies never;
    }
    return this.#differences();
  }

  close(): void {
    this.#index.index.close();
  }

  #open() {
    return openTestIndex({
      retentionMs: RETENTION_MS,
      limits: LIMITS,
      clock: { now: () => this.#nowMs },
      ...(this.#folder === undefined ? {} : { folder: this.#folder }),
    });
  }

  #reopen(): void {
    this.#index.index.close();
    this.#index = this.#open();
  }

  #put({ id: key, agoMs: ago, isOpen }: Put): void {
    const known = { text: String(this.#offset), atMs: this.#nowMs - ago, isOpen };
    this.#known.set(String(key), known);
    this.#index.put(String(key), known.text, known.atMs, isOpen);
  }

  #pass(): void {
    this.#offset += 1;
    this.#index.index.passed({ topic: 't', partition: 0, offset: this.#offset });
  }

  #differences(): unknown[] {
    const { index, find } = this.#index;
    const differences: unknown[] = [];
    if (!index.accepts()) differences.push('the index accepts nothing');
    const reached = index.positions[0]?.offset ?? 0;
    if (reached !== this.#offset) differences.push({ reached, expected: this.#offset });
    for (let key = 0; key <= MAX_ID; key += 1) {
      const known = this.#known.get(String(key));
      const isKept = known !== undefined && (known.isOpen || known.atMs >= this.#nowMs - RETENTION_MS);
      const expected = isKept ? known.text : undefined;
      const found = find(String(key));
      if (found !== expected) differences.push({ key, found, expected });
    }
    return differences;
  }
}

/** The first differences between an index and a map after the same steps. */
function compare(steps: readonly Step[], folder: string | undefined): readonly unknown[] {
  const compared = new Compared(folder);
  try {
    for (const step of steps) {
      const differences = compared.step(step);
      if (differences.length > 0) return differences;
    }
    return [];
  } finally {
    compared.close();
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
