import { TWO_READINGS } from '../../../../shared/portfolio/csv-notation.ts';
import { DEFAULT_CURRENCY_DIGITS } from '../../../../shared/lending/numbers/money.ts';

const THOUSAND_DIGITS = 3;
const NUMBER_TEXT = /^-?\d+(?:\.\d+)?$/;
/** Thousands with a separator, and possibly decimals after a different sign: `1 250 000`, `1.250,50`. */
const GROUPED = /^(-?\d{1,3})((?:([ \u00A0\u202F'’.,])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d+))?$/;
const GROUP_LENGTH = 4;

/**
 * Reads a number; undefined if the text is not one or has two readings. In text such as `25.000`, the sign separates
 * thousands if it is `group` and `decimals` is below 3, or decimals if it is not `group` and `decimals` is at least 3.
 */
export function readNumber(
  text: string,
  decimals: number = DEFAULT_CURRENCY_DIGITS,
  group = ',',
): number | undefined {
  const entered = text.trim();
  if (TWO_READINGS.test(entered)) {
    const isGroup = group !== '' && entered.includes(group);
    if (isGroup !== decimals < THOUSAND_DIGITS) return undefined;
    return Number(isGroup ? entered.replace(group, '') : entered.replace(',', '.'));
  }
  const plain = withoutGroups(entered) ?? entered.replace(',', '.');
  return NUMBER_TEXT.test(plain) ? Number(plain) : undefined;
}

/** The two readings of a text such as `25.000 EUR`: `25000`, and `25.00` for 2 `decimals`. Undefined for other text. */
export function twoReadings(text: string, decimals: number): readonly [string, string] | undefined {
  const entered = text.replaceAll(/[^\d.,-]/g, '');
  if (!TWO_READINGS.test(entered)) return undefined;
  return [entered.replace(/[.,]/, ''), Number(entered.replace(',', '.')).toFixed(decimals)];
}

/** Removes the separators of thousands. Undefined if there is none, or if the only one may be a decimal sign. */
function withoutGroups(text: string): string | undefined {
  const [, first, groups, separator, decimals] = GROUPED.exec(text) ?? [];
  if (first === undefined || groups === undefined || separator === undefined) return undefined;
  const isCertain = !'.,'.includes(separator) || groups.length > GROUP_LENGTH || decimals !== undefined;
  if (!isCertain) return undefined;
  const whole = first + groups.replaceAll(separator, '');
  return decimals === undefined ? whole : `${whole}.${decimals}`;
}
