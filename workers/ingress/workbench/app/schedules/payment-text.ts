/** The words for the payment that stands for all of a loan, and for those that differ from it. */
import { exceptionsOf, type LeadingPayment } from './leading-payment.ts';
import { t } from './texts.ts';

const LABELS = {
  regular: 'regularPayment',
  highest: 'highestPayment',
  'highest-regular': 'highestRegular',
  single: 'singlePayment',
} as const;

export function paymentLabel({ kind }: Pick<LeadingPayment, 'kind'>): string {
  return t(LABELS[kind]);
}

/** The first, last, highest and lowest payment where they differ from the leading one; empty if none does. */
export function exceptionText(payment: LeadingPayment, amount: (value: number) => string): string {
  const { first, last, highest, lowest } = exceptionsOf(payment);
  return [
    first === undefined ? '' : t('firstPayment', { amount: amount(first) }),
    highest === undefined ? '' : t('highestIs', { amount: amount(highest) }),
    lowest === undefined ? '' : t('lowestIs', { amount: amount(lowest) }),
    last === undefined ? '' : t('lastPayment', { amount: amount(last) }),
  ]
    .filter(Boolean)
    .join(', ');
}
