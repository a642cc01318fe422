import { describe, expect, it } from 'vitest';
import { Slots } from '../../../shared/platform/queues/slots.ts';

describe('slots', () => {
  it('hold the items that were not removed, and take further ones in free slots', () => {
    const slots = new Slots<string>();
    const [first, second] = [slots.add('first'), slots.add('second')];
    slots.remove('first', first);
    expect(slots.all()).toEqual(['second']);
    expect(slots.add('third')).toBe(first);
    slots.remove('second', second);
    slots.remove('first', first);
    expect(slots.all()).toEqual(['third']);
    expect(slots.size).toBe(1);
  });
});
