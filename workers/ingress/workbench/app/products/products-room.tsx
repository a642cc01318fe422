import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { Badge, Failure, Field, Loading, RoomHead, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatAmount, formatDate, formatPercent } from '../format.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';
import { lookUp } from './look-up.ts';
import { OfferSimulation } from './offer-simulation.tsx';
import {
  describeInterest,
  fieldAsWords,
  plainFields,
  valueInForce,
  type Offer,
  type Product,
  type ProductDocument,
  type ValueOverTime,
} from './product-types.ts';
import { t } from './texts.ts';

const DEFAULT_CODE = 'TL-PERSONAL';

/** Looks up the product of the address (/workbench/products/CODE). */
export function ProductsRoom() {
  const { path, route } = useLocation();
  const code = decodeURIComponent(path.slice(`${WORKBENCH_PATH}/products/`.length)) || DEFAULT_CODE;
  const [typed, setTyped] = useState(code);
  const show = (event: Event): void => {
    event.preventDefault();
    if (typed.trim() !== '') route(`${WORKBENCH_PATH}/products/${encodeURIComponent(typed.trim())}`);
  };
  return (
    <>
      <RoomHead title={t('title')} lead={t('lead')} />
      <div class="stack">
        <form class="card card-tight product-search" onSubmit={show}>
          <Field label={t('code')} hint={t('codeHint')}>
            {(control) => (
              <input
                {...control}
                class="input"
                maxLength={64}
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
          <button class="button button-primary" type="submit">
            {t('show')}
          </button>
        </form>
        <ProductView key={code} code={code} />
      </div>
    </>
  );
}

function ProductView({ code }: { code: string }) {
  const [loaded, reload] = useLoaded(
    (signal) =>
      Promise.all([
        lookUp<Product>(
          'plat_bp_getbankingproductbycode',
          { BankingProductCode: code, displayBPAvailability: true, displayInterestsAndCommissions: true },
          signal,
        ),
        lookUp<readonly ProductDocument[]>('plat_bp_getproductdocuments', { productCode: code }, signal),
      ]),
    [code],
  );
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={reload} />;
  const [product, documents] = loaded.value;
  const { BankingProduct: head, Availability: availability = {}, Dimensions: dimensions } = product;
  return (
    <>
      <ProductHead head={head} availability={availability} />
      <OfferSimulation code={code} availability={availability} />
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

function ProductHead(props: {
  head: Product['BankingProduct'];
  availability: Readonly<Record<string, unknown>>;
}) {
  const { head, availability } = props;
  return (
    <section class="card stack">
      <div class="row-between">
        <h2>
          {head.Name} <span class="soft">{head.BankingProductCode}</span>
        </h2>
        <Badge tone="accent">{head.BankingProductType}</Badge>
      </div>
      <p>
        {t('validity')} {head.StartDate === null ? '' : t('from', { day: formatDate(head.StartDate) })}{' '}
        {head.EndDate === null ? t('open') : t('to', { day: formatDate(head.EndDate) })}
      </p>
      <h3>{t('availability')}</h3>
      <dl class="figure-list">
        {plainFields(availability).map(([name, value]) => (
          <div key={name}>
            <dt>{fieldAsWords(name)}</dt>
            <dd>
              {typeof value === 'number' ? formatAmount(value, Number.isInteger(value) ? 0 : 2) : value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function OfferView({ offer }: { offer: Offer }) {
  return (
    <section class="product-offer">
      <InterestTable offer={offer} />
      <CommissionTable offer={offer} />
    </section>
  );
}

function InterestTable({ offer }: { offer: Offer }) {
  const today = new Date().toISOString().slice(0, 10);
  const caption = `${offer.InterestCommissionItemName}: ${t('interests')}`;
  return (
    <TableFrame label={caption}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('type')}</th>
            <th scope="col" class="number">
              {t('value')}
            </th>
            <th scope="col">{t('since')}</th>
          </tr>
        </thead>
        <tbody>
          {offer.Interests.map((interest) => {
            const { name, type, values, bands } = describeInterest(interest);
            const value = valueInForce(values, today);
            return (
              <tr key={name}>
                <th scope="row">
                  {name} {interest.IsDefault === true && <Badge tone="accent">{t('default')}</Badge>}
                  <div class="small soft">{interest.Description}</div>
                </th>
                <td>{type}</td>
                <td class="number">
                  {bands.length === 0 && renderValue(value, true)}
                  {bands.map((band) => (
                    <div key={band.InterestName}>
                      {band.InterestName}: {formatPercent(band.Value, 4)}
                    </div>
                  ))}
                </td>
                <td>{renderSince(value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}

function CommissionTable({ offer }: { offer: Offer }) {
  const today = new Date().toISOString().slice(0, 10);
  const caption = `${offer.InterestCommissionItemName}: ${t('commissions')}`;
  return (
    <TableFrame label={caption}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('periodicity')}</th>
            <th scope="col" class="number">
              {t('value')}
            </th>
            <th scope="col">{t('since')}</th>
          </tr>
        </thead>
        <tbody>
          {offer.Commissions.map((commission) => {
            const value = valueInForce(commission.Values, today);
            return (
              <tr key={commission.Name}>
                <th scope="row">
                  {commission.Name} {commission.MandatoryForApplicant && <Badge>{t('mandatory')}</Badge>}
                </th>
                <td>{commission.PeriodicityType}</td>
                <td class="number">
                  {renderValue(value, commission.ValueIsPercent)}{' '}
                  {commission.ValueIsPercent ? '' : (commission.Currency ?? '')}
                </td>
                <td>{renderSince(value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}

function renderValue(value: ValueOverTime | undefined, isPercent: boolean): string {
  const figure = value?.Value ?? (isPercent ? value?.CommissionPercent : value?.CommissionValue);
  if (figure === undefined || figure === null) return '–';
  return isPercent ? formatPercent(figure, 4) : formatAmount(figure);
}

function renderSince(value: ValueOverTime | undefined): string {
  const day = value?.ValueValidFrom?.invariantDate;
  return day === undefined ? '–' : formatDate(day);
}
