/** Decimals of 7 or 48 digits could not be read: the additional byte for the sign of their largest values was not counted. */

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { bytesToDecimal, decimalToBytes } from '../../shared/messaging/codec/avro-types.ts';

it('reads back the largest and smallest value of every precision', () => {
  for (let precision = 1; precision <= 100; precision += 1) {
    const widest = '9'.repeat(precision);
    for (const text of [widest, `-${widest}`]) {
      const bytes = decimalToBytes(new Decimal(text), 0);
      expect(bytesToDecimal(bytes, { precision, scale: 0 }).toFixed()).toBe(text);
    }
  }
});
