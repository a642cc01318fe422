import { useState } from 'preact/hooks';
import { TableFrame } from '../design/components.tsx';
import { formatAmount, formatNumber, formatPercent } from '../format.ts';
import { decimalsOfCurrency } from '../schedules/loan.ts';
import { periodicityText } from './field-values.ts';
import { exceptionText, paymentLabel } from '../schedules/payment-text.ts';
import {
  offerFigures,
  ONCE,
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
  const label = currency === undefined ? t('results') : `${t('results')} (${currency})`;
  const decimals = decimalsOfCurrency(currency ?? '');
  const headings = [t('payment'), t('total'), t('rate'), t('irr'), t('fees'), t('insurance')];
  return (
    <TableFrame label={label}>
      <table class="table product-offers">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{t('costs')}</th>
            {headings.map((heading) => (
              <th key={heading} scope="col" class="number">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        {offers.map((offer, index) => (
          <OfferBody
            key={`${offer.InterestId} ${offer.InterestCommissionItemId}`}
            offer={offer}
            decimals={decimals}
            columns={headings.length + 1}
            isOpenFirst={offers.length === 1}
            number={index + 1}
          />
        ))}
      </table>
    </TableFrame>
  );
}

function OfferBody(props: {
  offer: SimulatedOffer;
  decimals: number;
  columns: number;
  isOpenFirst: boolean;
  number: number;
}) {
  const { offer, decimals, columns, number } = props;
  const [isOpen, setOpen] = useState(props.isOpenFirst);
  const parts = readOffer(offer);
  const { commissions } = parts;
  const { payment, total, fees, insurance } = offerFigures(offer, parts, decimals);
  const amount = (value: number): string => formatAmount(value, decimals);
  const notes = [paymentLabel(payment), exceptionText(payment, amount)].filter(Boolean);
  const cell = (sum: OfferSum) => (
    <Amount
      text={amount(sum.amount)}
      notes={sum.atStart === 0 ? [] : [t('atStart', { amount: amount(sum.atStart) })]}
    />
  );
  return (
    <tbody>
      <tr>
        <th scope="row">
          {commissions.length === 0 && t('none')}
          {commissions.map((charge, index) => (
            <div key={index}>
              {charge.name} <span class="product-price soft small">{priceLine(charge, decimals)}</span>
            </div>
          ))}
          <button type="button" class="fold small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('offerParts')}
            <span class="visually-hidden"> {t('offerNumber', { number })}</span>
          </button>
        </th>
        <Amount text={amount(payment.amount)} notes={notes} />
        {cell(total)}
        <td class="number">{percentText(offer.InterestPercent)}</td>
        <td class="number">{percentText(offer.IRR)}</td>
        {cell(fees)}
        {cell(insurance)}
      </tr>
      {isOpen && (
        <tr class="product-offer-parts">
          <td colSpan={columns}>
            <Parts offer={offer} parts={parts} decimals={decimals} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** An amount, and below it what differs or is part of it. */
function Amount({ text, notes }: { text: string; notes: readonly string[] }) {
  return (
    <td class="number">
      {text}
      {notes.map((note) => (
        <div key={note} class="figure-note">
          {note}
        </div>
      ))}
    </td>
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

function priceLine({ value, percent, periodicity }: OfferCharge, decimals: number): string {
  return `${priceOf(value, percent, decimals)}, ${periodicityText(periodicity)}`;
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
      {commissions.some(({ periodicity }) => periodicity === ONCE) && (
        <p class="small soft">{t('paidOnce')}</p>
      )}
      <Rows rows={rows} decimals={decimals} />
    </div>
  );
}

function Charges({ charges, decimals }: { charges: readonly OfferCharge[]; decimals: number }) {
  return (
    <table class="table table-dense">
      <caption>{t('charges')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col">{t('periodicity')}</th>
          <th scope="col" class="number">
            {t('beforeDiscounts')}
          </th>
          <th scope="col" class="number">
            {t('price')}
          </th>
        </tr>
      </thead>
      <tbody>
        {charges.map(({ name, periodicity, value, percent, baseValue, basePercent }, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{periodicityText(periodicity)}</td>
            <td class="number">{priceOf(baseValue, basePercent, decimals)}</td>
            <td class="number">{priceOf(value, percent, decimals)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The instalments, and the down payment if there is one. */
function Rows({ rows, decimals }: { rows: readonly OfferRow[]; decimals: number }) {
  const [first, ...others] = rows;
  const shown = first !== undefined && first.totalInstallment > 0 ? rows : others;
  const headings = [
    t('principal'),
    t('rate'),
    t('fees'),
    t('insurance'),
    t('instalmentTotal'),
    t('balanceBefore'),
  ];
  return (
    <div class="product-instalments" role="region" aria-label={t('instalments')} tabIndex={0}>
      <table class="table table-dense">
        <caption>{t('instalments')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('instalment')}</th>
            {headings.map((heading) => (
              <th key={heading} scope="col" class="number">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.InstallmentNo}>
              <th scope="row">
                {row.InstallmentNo === 0 ? t('downPayment') : formatNumber(row.InstallmentNo)}
              </th>
              {[
                row.principal,
                row.interest,
                row.managementFee,
                row.insurance ?? 0,
                row.totalInstallment,
                row.remainingValue,
              ].map((value, index) => (
                <td key={index} class="number">
                  {formatAmount(value, decimals)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
