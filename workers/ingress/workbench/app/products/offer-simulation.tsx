import { useState } from 'preact/hooks';
import type { Schemas } from '../../../../../shared/client/client.ts';
import { engine } from '../api.ts';
import { asProblem, Failure, Field, Loading, TableFrame } from '../design/components.tsx';
import { formatAmount, formatPercent } from '../format.ts';
import { commissionNames } from './product-types.ts';
import { t } from './texts.ts';

interface Simulation {
  readonly offers?: readonly Schemas['SimulationRecord'][];
  readonly error?: unknown;
  readonly isRunning?: boolean;
}

/** Simulates the offers of a product for an amount and a period, at first between the bounds of its availability. */
export function OfferSimulation(props: { code: string; availability: Readonly<Record<string, unknown>> }) {
  const { code, availability } = props;
  const middle = (name: string, fallback: number): number => {
    const [from, to] = [availability[`Minimum${name}`], availability[`Maximum${name}`]];
    return typeof from === 'number' && typeof to === 'number' ? Math.round((from + to) / 2) : fallback;
  };
  const [amount, setAmount] = useState(String(middle('Amount', 10_000)));
  const [period, setPeriod] = useState(String(middle('Period', 12)));
  const [simulation, setSimulation] = useState<Simulation>({});
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSimulation({ isRunning: true });
    try {
      const { reply } = await engine.simulate({
        productCode: code,
        amount: readNumber(amount),
        loanPeriod: readNumber(period),
        scheduleType: 'EqualInstallments',
        jsonFilterCommission: [{ name: 'Amount', value: readNumber(amount) }],
      });
      setSimulation({ offers: reply.Records });
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
      <form class="product-search" onSubmit={(event) => void run(event)}>
        <NumberField label={t('amount')} value={amount} error={faultOf('amount')} onChange={setAmount} />
        <NumberField label={t('period')} value={period} error={faultOf('loanPeriod')} onChange={setPeriod} />
        <button class="button button-primary" type="submit">
          {t('run')}
        </button>
      </form>
      {simulation.isRunning === true && <Loading />}
      {simulation.error !== undefined && <Failure error={simulation.error} />}
      {simulation.offers !== undefined && (
        <Offers offers={simulation.offers} currency={availability['Currency']} />
      )}
    </section>
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

/** A number with the decimal sign of either language. */
function readNumber(text: string): number {
  return Number(text.trim().replace(',', '.'));
}

/** A percentage of a reply, such as 8.5000%; a dash where there is none. */
function percentText(text: string | null): string {
  if (text === null) return '–';
  const percent = Number(text.replace('%', ''));
  return Number.isNaN(percent) ? text : formatPercent(percent, 4);
}

function Offers({ offers, currency }: { offers: readonly Schemas['SimulationRecord'][]; currency: unknown }) {
  const label = typeof currency === 'string' ? `${t('results')} (${currency})` : t('results');
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
                    {formatAmount(value)}
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
