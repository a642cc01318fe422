import { useState } from 'preact/hooks';
import type { Schemas } from '../../../../../shared/client/client.ts';
import { engine, replyOf } from '../api.ts';
import { asProblem, Failure, Field, Loading, TableFrame } from '../design/components.tsx';
import { formatAmount, formatPercent } from '../format.ts';
import { decimalsOfCurrency, readNumber } from '../schedules/loan.ts';
import { commissionNames, type Product, type SimulatedOffer } from './product-types.ts';
import { t } from './texts.ts';

interface Simulation {
  readonly offers?: readonly SimulatedOffer[];
  readonly error?: unknown;
  readonly isRunning?: boolean;
}

/** Simulates the offers of a product for an amount and a period, at first between the bounds of its availability. */
export function OfferSimulation({ code, product }: { code: string; product: Product }) {
  const { Availability: availability = {}, Details: details } = product;
  const types = details?.AssociatedPaymentScheduleTypes ?? [];
  const [amount, setAmount] = useState(
    String(middle(availability.MinimumAmount, availability.MaximumAmount, 10_000)),
  );
  const [period, setPeriod] = useState(
    String(middle(availability.MinimumPeriod, availability.MaximumPeriod, 12)),
  );
  const [scheduleType, setScheduleType] = useState(types[0]?.PaymentScheduleCode ?? '');
  const [simulation, setSimulation] = useState<Simulation>({});
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSimulation({ isRunning: true });
    try {
      const { Records } = await replyOf(
        engine.simulate({
          productCode: code,
          amount: numberOf(amount),
          loanPeriod: numberOf(period),
          scheduleType,
          jsonFilterCommission: [{ name: 'Amount', value: numberOf(amount) }],
        }),
      );
      setSimulation({ offers: Records });
    } catch (error) {
      setSimulation({ error });
    }
  };
  const faults = simulation.error === undefined ? [] : (asProblem(simulation.error).errors ?? []);
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path.endsWith(field))?.message;
  return (
    <section class="card stack">
      <h2>{t('simulate')}</h2>
      <form class="product-simulation" onSubmit={(event) => void run(event)}>
        <NumberField label={t('amount')} value={amount} error={faultOf('amount')} onChange={setAmount} />
        <NumberField label={t('period')} value={period} error={faultOf('loanPeriod')} onChange={setPeriod} />
        <TypeField
          types={types}
          value={scheduleType}
          error={faultOf('scheduleType')}
          onChange={setScheduleType}
        />
        <button class="button button-primary" type="submit">
          {t('run')}
        </button>
      </form>
      {simulation.isRunning === true && <Loading />}
      {simulation.error !== undefined && <Failure error={simulation.error} />}
      {simulation.offers !== undefined && (
        <Offers offers={simulation.offers} currency={availability.Currency} />
      )}
    </section>
  );
}

function middle(from: number | null | undefined, to: number | null | undefined, fallback: number): number {
  return typeof from === 'number' && typeof to === 'number' ? Math.round((from + to) / 2) : fallback;
}

/** The schedule types of the product, its default first. */
function TypeField(props: {
  types: readonly Schemas['PaymentScheduleType'][];
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={t('scheduleType')} error={props.error}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          {props.types.map(({ PaymentScheduleCode: type, PaymentScheduleTypeName: name }) => (
            <option key={type} value={type} selected={type === props.value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function NumberField(props: {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} error={props.error}>
      {(control) => (
        <input
          {...control}
          class="input input-number"
          inputMode="decimal"
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** What is no number, or could be two, is sent as none, so that the engine says what is allowed. */
const numberOf = (text: string): number => readNumber(text) ?? Number.NaN;

/** A percentage of a reply, such as 8.5000%; null: there is none. */
function percentText(text: string | null): string {
  if (text === null) return '–';
  const percent = Number(text.replace('%', ''));
  return Number.isNaN(percent) ? text : formatPercent(percent, 4);
}

function Offers({ offers, currency }: { offers: readonly SimulatedOffer[]; currency: string | undefined }) {
  const label = currency === undefined ? t('results') : `${t('results')} (${currency})`;
  const decimals = decimalsOfCurrency(currency ?? '');
  const headings = [t('rate'), t('irr'), t('first'), t('fees'), t('insurance'), t('total')];
  return (
    <TableFrame label={label}>
      <table class="table">
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
        <tbody>
          {offers.map((offer) => (
            <tr key={`${offer.InterestId} ${offer.InterestCommissionItemId}`}>
              <th scope="row">{commissionNames(offer).join(', ') || t('none')}</th>
              <td class="number">{percentText(offer.InterestPercent)}</td>
              <td class="number">{percentText(offer.IRR)}</td>
              {[offer.FirstInstallment, offer.TotalFee, offer.TotalInsurance, offer.Total].map(
                (value, index) => (
                  <td key={headings[index + 2]} class="number">
                    {formatAmount(value, decimals)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
