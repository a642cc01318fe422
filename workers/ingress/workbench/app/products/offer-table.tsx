import { Table, useOpenRows } from '../design/table.tsx';
import { formatAmount, formatNumber, formatPercent } from '../format.ts';
import { decimalsOfCurrency } from '../schedules/loan.ts';
import { periodicityText } from './field-values.ts';
import type { LeadingPayment } from '../schedules/leading-payment.ts';
import { exceptionText, paymentLabel } from '../schedules/payment-text.ts';
import {
  offerFigures,
  ONCE,
  periodicityOf,
  readOffer,
  type OfferCharge,
  type OfferParts,
  type OfferRow,
  type OfferSum,
  type SimulatedOffer,
} from './product-types.ts';
import { t } from './texts.ts';

/** Decimals of rates and percentages of charges. */
const RATE_DECIMALS = 4;

/** The offers of a simulation; each opens its charges, discounts and instalments. */
export function OfferTable(props: { offers: readonly SimulatedOffer[]; currency: string | undefined }) {
  const { offers, currency } = props;
  const decimals = decimalsOfCurrency(currency ?? '');
  const [open, button] = useOpenRows(offers.length === 1 ? [0] : []);
  const amount = (value: number): string => formatAmount(value, decimals);
  const sum = ({ amount: all, atStart }: OfferSum) => (
    <Amount text={amount(all)} notes={atStart === 0 ? [] : [t('atStart', { amount: amount(atStart) })]} />
  );
  const payment = (leading: LeadingPayment) => (
    <Amount text={amount(leading.amount)} notes={[paymentLabel(leading), exceptionText(leading, amount)]} />
  );
  const costs = ({ parts }: { parts: OfferParts }, index: number) => (
    <>
      <Prices charges={parts.commissions} decimals={decimals} />
      {button(
        index,
        <span class="small">
          {t('offerParts')}
          <span class="visually-hidden"> {t('offerNumber', { number: index + 1 })}</span>
        </span>,
      )}
    </>
  );
  return (
    <Table
      label={currency === undefined ? t('results') : `${t('results')} (${currency})`}
      hasCaption
      rows={offers.map((offer) => {
        const parts = readOffer(offer);
        return { offer, parts, ...offerFigures(offer, parts, decimals) };
      })}
      details={({ offer, parts }, index) => open.has(index) && <Parts {...{ offer, parts, decimals }} />}
      columns={[
        [t('costs'), costs],
        [t('payment'), (one) => payment(one.payment), 'number'],
        [t('total'), ({ total }) => sum(total), 'number'],
        [t('rate'), ({ offer }) => percentText(offer.InterestPercent), 'number'],
        [t('irr'), ({ offer }) => percentText(offer.IRR), 'number'],
        [t('fees'), ({ fees }) => sum(fees), 'number'],
        [t('insurance'), ({ insurance }) => sum(insurance), 'number'],
      ]}
    />
  );
}

function Prices({ charges, decimals }: { charges: readonly OfferCharge[]; decimals: number }) {
  if (charges.length === 0) return <>{t('none')}</>;
  return (
    <>
      {charges.map((charge, index) => (
        <div key={index}>
          {charge.Name} <span class="soft small">{priceLine(charge, decimals)}</span>
        </div>
      ))}
    </>
  );
}

/** An amount, and below it what differs or is part of it. */
function Amount({ text, notes }: { text: string; notes: readonly string[] }) {
  return (
    <>
      {text}
      {notes.filter(Boolean).map((note) => (
        <div key={note} class="figure-note">
          {note}
        </div>
      ))}
    </>
  );
}

/** A percentage of a reply, such as 8.5000%; null: there is none. */
function percentText(text: string | null): string {
  if (text === null) return '–';
  const percent = percentOf(text);
  return Number.isNaN(percent) ? text : formatPercent(percent, RATE_DECIMALS);
}

const percentOf = (text: string): number => Number(text.replace('%', ''));

function priceOf(value: number | null, percent: number | null, decimals: number): string {
  if (value !== null) return formatAmount(value, decimals);
  return percent === null ? '–' : formatPercent(percent, RATE_DECIMALS);
}

function priceLine(charge: OfferCharge, decimals: number): string {
  return `${priceOf(charge.Value, charge.Percent, decimals)}, ${periodicityText(periodicityOf(charge))}`;
}

function Parts(props: { offer: SimulatedOffer; parts: OfferParts; decimals: number }) {
  const { offer, parts, decimals } = props;
  const { commissions, insurances, rows, baseRate } = parts;
  const isReduced = baseRate !== undefined && baseRate !== percentOf(offer.InterestPercent);
  const charges = [...commissions, ...insurances];
  return (
    <div class="stack">
      {isReduced && (
        <p>
          {t('reducedRate', {
            rate: percentText(offer.InterestPercent),
            before: formatPercent(baseRate, RATE_DECIMALS),
          })}
        </p>
      )}
      {charges.length > 0 && <Charges charges={charges} decimals={decimals} />}
      {commissions.some((charge) => periodicityOf(charge) === ONCE) && (
        <p class="small soft">{t('paidOnce')}</p>
      )}
      <Rows rows={rows} decimals={decimals} />
    </div>
  );
}

function Charges({ charges, decimals }: { charges: readonly OfferCharge[]; decimals: number }) {
  return (
    <Table
      label={t('charges')}
      class="table-dense"
      hasCaption
      rows={charges}
      columns={[
        [t('name'), ({ Name }) => Name],
        [t('periodicity'), (charge) => periodicityText(periodicityOf(charge))],
        [
          t('beforeDiscounts'),
          ({ BaseValue, BasePercent }) => priceOf(BaseValue, BasePercent, decimals),
          'number',
        ],
        [t('price'), ({ Value, Percent }) => priceOf(Value, Percent, decimals), 'number'],
      ]}
    />
  );
}

/** The instalments, and the down payment if there is one. */
function Rows({ rows, decimals }: { rows: readonly OfferRow[]; decimals: number }) {
  const [first, ...others] = rows;
  const amount = (head: string, of: (row: OfferRow) => number) =>
    [head, (row: OfferRow) => formatAmount(of(row), decimals), 'number'] as const;
  return (
    <div class="table-scroll">
      <Table
        label={t('instalments')}
        class="table-dense"
        hasCaption
        rows={first !== undefined && first.totalInstallment > 0 ? rows : others}
        columns={[
          [
            t('instalment'),
            ({ InstallmentNo: number }) => (number === 0 ? t('downPayment') : formatNumber(number)),
          ],
          amount(t('principal'), ({ principal }) => principal),
          amount(t('rate'), ({ interest }) => interest),
          amount(t('fees'), ({ managementFee }) => managementFee),
          amount(t('insurance'), ({ insurance = 0 }) => insurance),
          amount(t('instalmentTotal'), ({ totalInstallment }) => totalInstallment),
          amount(t('balanceBefore'), ({ remainingValue }) => remainingValue),
        ]}
      />
    </div>
  );
}
