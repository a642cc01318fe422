/** Decimals of Avro records (logical type `decimal`): a whole number in two's complement, divided by a power of ten. */

const BYTE_BITS = 8;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The bytes of a decimal such as `100.50`, with as many decimals as its schema states. Throws if it has more. */
export function decimalBytes(text: string, scale: number): Buffer {
  const [, sign = '', whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) {
    throw new RangeError(`must be a decimal with at most ${scale} decimals`);
  }
  const number = BigInt(sign + whole + fraction.padEnd(scale, '0'));
  let bytes = 1;
  while (BigInt.asIntN(bytes * BYTE_BITS, number) !== number) bytes += 1;
  const unsigned = BigInt.asUintN(bytes * BYTE_BITS, number);
  return Buffer.from(unsigned.toString(16).padStart(bytes * 2, '0'), 'hex');
}

/** The text of a decimal with `scale` decimals. */
export function decimalText(bytes: Uint8Array, scale: number): string {
  const unsigned = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  const number = BigInt.asIntN(bytes.length * BYTE_BITS, unsigned);
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const sign = number < 0n ? '-' : '';
  return scale === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-scale)}`;
}
