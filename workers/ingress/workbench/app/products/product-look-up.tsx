import { callAction } from '../api.ts';
import { Badge, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatAmount, formatDate, formatPercent } from '../format.ts';
import { decimalsOfCurrency } from '../schedules/loan.ts';
import { fieldName, daysText, periodicityText, valueLines } from './field-values.ts';
import { currentDay } from './product-search.tsx';
import {
  describeInterest,
  plainFields,
  valueInForce,
  type Offer,
  type Product,
  type ProductDocument,
} from './product-types.ts';
import { t } from './texts.ts';

/** What callers get today. */
export interface FoundProduct {
  readonly product: Product;
  readonly documents: readonly ProductDocument[];
}

const SHOWN = {
  displayBPAvailability: true,
  displayBPDetails: true,
  displayDiscounts: true,
  displayInterestsAndCommissions: true,
  displayPaymentScheduleTypes: true,
};

/** Looks a product up by its code, as every caller can. */
export function useProduct(code: string) {
  return useLoaded(
    async (signal): Promise<FoundProduct> => {
      const [product, documents] = await Promise.all([
        callAction<Product>(
          'plat_bp_getbankingproductbycode',
          { BankingProductCode: code, ...SHOWN },
          { signal },
        ),
        callAction<readonly ProductDocument[]>(
          'plat_bp_getproductdocuments',
          { productCode: code },
          { signal },
        ),
      ]);
      return { product: product.reply, documents: documents.reply };
    },
    [code],
  );
}

/** The valid version as look-ups return it: values of today. */
export function ProductLookUp({ found: { product, documents } }: { found: FoundProduct }) {
  const { BankingProduct: head, Availability: availability = {}, Dimensions: dimensions } = product;
  const currency = 'Currency' in availability ? (availability.Currency ?? '') : '';
  return (
    <>
      <section class="card stack">
        <div class="row-between">
          <h2>
            {head.Name} <span class="soft">{head.BankingProductCode}</span>
          </h2>
          <Badge tone="accent">{head.BankingProductType}</Badge>
        </div>
        <p>
          {t('validity')} {daysText(head.StartDate, head.EndDate) || t('always')}
        </p>
        <h3>{t('availability')}</h3>
        <dl class="figure-list">
          {plainFields(availability).map(([name, value]) => (
            <div key={name}>
              <dt>{fieldName(name)}</dt>
              <dd>{valueLines(name, value, currency).join('')}</dd>
            </div>
          ))}
        </dl>
      </section>
      {(dimensions?.InterestsAndCommissions ?? []).map((offer) => (
        <OfferView key={offer.InterestCommissionItemName} offer={offer} />
      ))}
      <section class="card stack">
        <h2>{t('documents')}</h2>
        {documents.length === 0 ? (
          <p>{t('none')}</p>
        ) : (
          <ul class="product-documents">
            {documents.map(({ Doc, Report }) => (
              <li key={Doc.ReportId} class="row">
                {Report.DisplayName} {Doc.IsMandatory && <Badge>{t('mandatory')}</Badge>}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

/** A row of a table of values: an interest or a commission. */
interface PricedRow {
  readonly name: string;
  readonly badge: string | undefined;
  readonly description?: string | null | undefined;
  /** Type of an interest, periodicity of a commission. */
  readonly kind: string;
  readonly values: readonly string[];
  readonly since: string;
}

function OfferView({ offer }: { offer: Offer }) {
  const { InterestCommissionItemName: name, Interests, Commissions } = offer;
  const today = currentDay();
  return (
    <section class="product-offer">
      <PriceTable
        caption={`${name}: ${t('interests')}`}
        kind={t('type')}
        rows={Interests.map((interest) => interestRow(interest, today))}
      />
      <PriceTable
        caption={`${name}: ${t('commissions')}`}
        kind={t('periodicity')}
        rows={Commissions.map((commission) => commissionRow(commission, today))}
      />
    </section>
  );
}

function interestRow(interest: Offer['Interests'][number], today: string): PricedRow {
  const { name, type, values, bands } = describeInterest(interest);
  const value = valueInForce(values, today);
  const ofBands = bands.map((band) => `${band.InterestName}: ${formatPercent(band.Value, 4)}`);
  return {
    name,
    badge: interest.IsDefault === true ? t('default') : undefined,
    description: interest.Description,
    kind: type,
    values: bands.length > 0 ? ofBands : [percentOf(value?.Value)],
    since: renderSince(value),
  };
}

function commissionRow(commission: Offer['Commissions'][number], today: string): PricedRow {
  const { Name, PeriodicityType, Currency, ValueIsPercent, MandatoryForApplicant, Values } = commission;
  const value = valueInForce(Values, today);
  return {
    name: Name,
    badge: MandatoryForApplicant ? t('mandatory') : undefined,
    kind: periodicityText(PeriodicityType),
    values: [
      ValueIsPercent ? percentOf(value?.CommissionPercent) : amountOf(value?.CommissionValue, Currency),
    ],
    since: renderSince(value),
  };
}

function PriceTable(props: { caption: string; kind: string; rows: readonly PricedRow[] }) {
  const { caption, kind, rows } = props;
  return (
    <TableFrame label={caption}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{kind}</th>
            <th scope="col" class="number">
              {t('value')}
            </th>
            <th scope="col">{t('since')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name} {row.badge !== undefined && <Badge>{row.badge}</Badge>}
                <div class="small soft">{row.description}</div>
              </th>
              <td>{row.kind}</td>
              <td class="number">
                {row.values.map((value) => (
                  <div key={value}>{value}</div>
                ))}
              </td>
              <td>{row.since}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function percentOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : formatPercent(value, 4);
}

function amountOf(value: number | null | undefined, currency: string): string {
  return value === null || value === undefined
    ? '–'
    : `${formatAmount(value, decimalsOfCurrency(currency))} ${currency}`;
}

function renderSince(
  value: { readonly ValueValidFrom: { readonly invariantDate: string } | null } | undefined,
): string {
  const day = value?.ValueValidFrom?.invariantDate;
  return day === undefined ? '–' : formatDate(day);
}
