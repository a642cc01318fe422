import type { z } from 'zod';
import type { productByCodeReply } from '../../../../../shared/api/actions/product-by-code-reply.ts';
import type { productDocumentsReply } from '../../../../../shared/api/actions/look-up-actions.ts';
import { callAction } from '../api.ts';
import { Badge } from '../design/components.tsx';
import { useLoaded } from '../design/loaded.tsx';
import { dayText } from '../utc-days.ts';
import { productsText as t } from '../texts.ts';
import type { RecordFields } from './catalogue-calls.ts';
import { daysText } from './field-values.ts';
import { FieldList, ItemTable } from './version-sections.tsx';

export type Product = z.infer<typeof productByCodeReply>;
type Offer = NonNullable<NonNullable<Product['Dimensions']>['InterestsAndCommissions']>[number];

interface FoundProduct {
  readonly product: Product;
  readonly documents: z.infer<typeof productDocumentsReply>;
}

const SHOWN = {
  displayBPAvailability: true,
  displayBPDetails: true,
  displayDiscounts: true,
  displayInterestsAndCommissions: true,
  displayPaymentScheduleTypes: true,
};

/** Looks up the version of a product that is valid today, and its documents. These calls need no scope. */
export function useProduct(code: string) {
  return useLoaded(
    async (signal): Promise<FoundProduct> => {
      const request = { BankingProductCode: code, ...SHOWN };
      const [product, documents] = await Promise.all([
        callAction<Product>('plat_bp_getbankingproductbycode', request, { signal }),
        callAction<FoundProduct['documents']>(
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

/** Shows a product as look-ups return it, but of each interest and commission only the value in force today. */
export function ProductLookUp({ found: { product, documents } }: { found: FoundProduct }) {
  const { BankingProduct: head, Availability: availability = {}, Dimensions: dimensions } = product;
  const currency = 'Currency' in availability ? (availability.Currency ?? '') : '';
  const plain = Object.entries(availability).filter(([, value]) => typeof value !== 'object');
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
        <FieldList fields={Object.fromEntries(plain)} currency={currency} />
      </section>
      {(dimensions?.InterestsAndCommissions ?? []).map((offer) => (
        <section key={offer.InterestCommissionItemName} class="columns" style="--least: 30rem">
          <ItemTable
            label={`${offer.InterestCommissionItemName}: ${t('interests')}`}
            hasCaption
            items={offer.Interests.map(interestToday)}
            currency={currency}
          />
          <ItemTable
            label={`${offer.InterestCommissionItemName}: ${t('commissions')}`}
            hasCaption
            items={offer.Commissions.map(commissionToday)}
            currency={currency}
          />
        </section>
      ))}
      {documents.length > 0 && (
        <ItemTable
          label={t('documents')}
          hasCaption
          items={documents.map(({ Doc, Report }) => ({
            Name: Report.DisplayName,
            IsMandatory: Doc.IsMandatory,
          }))}
          currency=""
        />
      )}
    </>
  );
}

function interestToday(interest: Offer['Interests'][number]): RecordFields {
  const { Name, Type, Values, InterestName, InterestType, BandedInterests, IsDefault, Description } =
    interest;
  const value = valueInForce(Values ?? []);
  return {
    Name: Name ?? InterestName ?? '',
    Type: Type ?? InterestType,
    Percent: value?.Value,
    BandedInterests: BandedInterests?.map((band) => ({ Name: band.InterestName, Percent: band.Value })),
    ValidFrom: value?.ValueValidFrom?.invariantDate,
    IsDefault,
    Description,
  };
}

function commissionToday(commission: Offer['Commissions'][number]): RecordFields {
  const { Name, PeriodicityType, Values, ValueIsPercent, Currency, MandatoryForApplicant } = commission;
  const value = valueInForce(Values);
  return {
    Name,
    PeriodicityType,
    ...(ValueIsPercent ? { Percent: value?.CommissionPercent } : { Amount: value?.CommissionValue }),
    ValidFrom: value?.ValueValidFrom?.invariantDate,
    Currency,
    MandatoryForApplicant,
  };
}

type Day = { readonly invariantDate: string } | null;

function valueInForce<Value extends { readonly ValueValidFrom: Day; readonly ValueValidTo: Day }>(
  values: readonly Value[],
): Value | undefined {
  const day = dayText(Date.now());
  return values
    .filter(({ ValueValidFrom: from, ValueValidTo: to }) => {
      const isBegun = from === null || from.invariantDate.slice(0, 10) <= day;
      return isBegun && (to === null || day <= to.invariantDate.slice(0, 10));
    })
    .toSorted((one, other) =>
      (other.ValueValidFrom?.invariantDate ?? '').localeCompare(one.ValueValidFrom?.invariantDate ?? ''),
    )[0];
}
