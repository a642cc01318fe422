import { callAction } from '../api.ts';
import { Badge, Definitions } from '../design/components.tsx';
import { useLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
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
        <Definitions
          class="figure-list"
          items={plainFields(availability).map(([name, value]) => [
            fieldName(name),
            valueLines(name, value, currency).join(''),
          ])}
        />
      </section>
      {(dimensions?.InterestsAndCommissions ?? []).map((offer) => (
        <OfferView key={offer.InterestCommissionItemName} offer={offer} />
      ))}
      <section class="card stack">
        <h2>{t('documents')}</h2>
        {documents.length === 0 ? (
          <p>{t('none')}</p>
        ) : (
          <ul class="stack tight">
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

function OfferView({ offer }: { offer: Offer }) {
  return (
    <section class="columns" style="--least: 30rem">
      <Interests offer={offer} />
      <Commissions offer={offer} />
    </section>
  );
}

function Interests({ offer }: { offer: Offer }) {
  const today = currentDay();
  const rows = offer.Interests.map((one) => {
    const described = describeInterest(one);
    return { ...one, ...described, value: valueInForce(described.values, today) };
  });
  const bands = (all: (typeof rows)[number]['bands']) =>
    all.map(({ InterestName, Value }) => (
      <div key={InterestName}>{`${InterestName}: ${formatPercent(Value, 4)}`}</div>
    ));
  return (
    <Table
      label={`${offer.InterestCommissionItemName}: ${t('interests')}`}
      hasCaption
      rows={rows}
      columns={[
        [
          t('name'),
          ({ name, IsDefault, Description }) => (
            <Named name={name} badge={IsDefault === true && t('default')} description={Description} />
          ),
        ],
        [t('type'), ({ type }) => type],
        [
          t('value'),
          (one) => (one.bands.length > 0 ? bands(one.bands) : percentOf(one.value?.Value)),
          'number',
        ],
        [t('since'), ({ value }) => sinceText(value)],
      ]}
    />
  );
}

function Commissions({ offer }: { offer: Offer }) {
  const today = currentDay();
  return (
    <Table
      label={`${offer.InterestCommissionItemName}: ${t('commissions')}`}
      hasCaption
      rows={offer.Commissions.map((one) => ({ ...one, value: valueInForce(one.Values, today) }))}
      columns={[
        [
          t('name'),
          ({ Name, MandatoryForApplicant }) => (
            <Named name={Name} badge={MandatoryForApplicant && t('mandatory')} />
          ),
        ],
        [t('periodicity'), ({ PeriodicityType }) => periodicityText(PeriodicityType)],
        [
          t('value'),
          ({ value, ValueIsPercent, Currency }) =>
            ValueIsPercent ? percentOf(value?.CommissionPercent) : amountOf(value?.CommissionValue, Currency),
          'number',
        ],
        [t('since'), ({ value }) => sinceText(value)],
      ]}
    />
  );
}

function Named(props: { name: string; badge: string | false; description?: string | null | undefined }) {
  return (
    <>
      {props.name} {props.badge !== false && <Badge>{props.badge}</Badge>}
      <div class="small soft">{props.description}</div>
    </>
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

function sinceText(
  value: { readonly ValueValidFrom: { readonly invariantDate: string } | null } | undefined,
): string {
  const day = value?.ValueValidFrom?.invariantDate;
  return day === undefined ? '–' : formatDate(day);
}
