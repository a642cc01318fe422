import { useLocation } from 'preact-iso';
import { Badge, Notice, PageHead, Button, Empty } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { useLoaded, WhenLoaded, type Loaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatDate } from '../format.ts';
import { DAY_MS, dayMs, dayText } from '../utc-days.ts';
import type {
  CatalogueProductReply,
  ListedVersion,
  ListedProduct,
  ProductPage,
} from '../../../../../shared/api/operations/product-lists.ts';
import { productsText as t } from '../texts.ts';
import {
  addressOf,
  codeOf,
  getProduct,
  versionOf,
  listProducts,
  NO_FILTERS,
  type ProductFilters,
} from './catalogue-calls.ts';
import { daysText, statusText } from './field-values.ts';
import { OfferSimulation } from './offer-simulation.tsx';
import { ProductLookUp, useProduct } from './product-look-up.tsx';
import { findBreaks, timeScale, versionOn } from './validity.ts';
import { VersionDifferences } from './version-differences.tsx';
import { VersionSections } from './version-sections.tsx';
import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../design/fields.tsx';

/** The views of a product. Look-up and offer use the actions; the others need the scope operations:read. */
const VIEWS = ['sections', 'differences', 'look-up', 'offer'] as const;
const PUBLIC_VIEWS = VIEWS.slice(2);

/** The catalogue (/workbench/products), or one product of it (/workbench/products/CODE). */
export function ProductsPage() {
  const code = codeOf(useLocation().path);
  return code === '' ? <ProductSearch /> : <ProductDetail key={code} code={code} />;
}

/** One product: its versions over time, their sections and differences, and what callers get. The address has the state. */
function ProductDetail({ code }: { code: string }) {
  const { query } = useLocation();
  const loaded = useLoaded((signal) => getProduct(code, signal), [code]);
  const product = loaded.value;
  const { name, type, currency } = product ?? {};
  return (
    <>
      <PageHead
        title={name ?? product?.code ?? code}
        lead={[product?.code ?? code, type, currency].filter((part) => part !== undefined).join(' · ')}
      >
        <a
          class="button"
          href={addressOf('', { search: query['search'] ?? '', validOn: query['validOn'] ?? '' })}
        >
          {t('allProducts')}
        </a>
      </PageHead>
      <div class="stack">
        <WhenLoaded
          loaded={loaded}
          failed={(error, notice) => (
            <>
              {notice}
              {asProblem(error).code !== 'unknown-product' && (
                <ProductViews code={code} product={undefined} />
              )}
            </>
          )}
        >
          {(found) => <ProductViews code={code} product={found} />}
        </WhenLoaded>
      </div>
    </>
  );
}

/** The views; without the versions of the product only those that look it up. */
function ProductViews({ code, product }: { code: string; product: CatalogueProductReply | undefined }) {
  const { query, route } = useLocation();
  const versions = product?.versions ?? [];
  const views = product === undefined ? PUBLIC_VIEWS : VIEWS;
  const view = views.find((one) => one === query['view']) ?? views[0] ?? 'look-up';
  const day = dayText(Date.now());
  const selected = versionOf(query['version']) ?? (versionOn(versions, day) ?? versions.at(-1))?.version ?? 1;
  const before = versionOf(query['compare']) ?? neighbourOf(versions, selected);
  const go = (changed: Readonly<Record<string, string>>): void =>
    route(addressOf(code, { ...query, ...changed }), true);
  return (
    <>
      {product !== undefined && <Versions {...{ product, day, selected, go }} />}
      <nav class="tabs" aria-label={t('views')}>
        {views.map((key) => (
          <button
            key={key}
            type="button"
            aria-current={key === view ? 'page' : undefined}
            onClick={() => go({ view: key })}
          >
            {t(key)}
          </button>
        ))}
      </nav>
      {view === 'sections' && <VersionSections code={code} version={selected} />}
      {view === 'differences' && (
        <VersionDifferences
          code={code}
          versions={versions}
          before={before}
          after={selected}
          onChoose={(one, other) => go({ compare: String(one), version: String(other) })}
        />
      )}
      {(view === 'look-up' || view === 'offer') && <LookedUp code={code} view={view} />}
    </>
  );
}

/** The version before another one, or else after it. */
function neighbourOf(versions: readonly ListedVersion[], selected: number): number {
  const others = versions.map(({ version }) => version).filter((version) => version !== selected);
  return others.findLast((version) => version < selected) ?? others[0] ?? selected;
}

function LookedUp({ code, view }: { code: string; view: 'look-up' | 'offer' }) {
  return (
    <WhenLoaded loaded={useProduct(code)}>
      {(found) =>
        view === 'look-up' ? (
          <ProductLookUp found={found} />
        ) : (
          <OfferSimulation code={code} product={found.product} />
        )
      }
    </WhenLoaded>
  );
}

interface VersionsProps {
  readonly product: CatalogueProductReply;
  readonly day: string;
  readonly selected: number;
  readonly go: (changed: Readonly<Record<string, string>>) => void;
}

function Versions({ product, day, selected, go }: VersionsProps) {
  const { versions, versionCount } = product;
  const breaks = findBreaks(versions);
  return (
    <section class="card stack">
      <h2>{t('versions')}</h2>
      {!product.isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      {versionCount > versions.length && (
        <Notice>{t('olderVersions', { count: versionCount - versions.length })}</Notice>
      )}
      {breaks.length > 0 && (
        <Notice tone="warn">
          <ul>
            {breaks.map(({ from, to, versions: [one, other] }) => (
              <li key={`${from} ${one}`}>
                {one === undefined || other === undefined
                  ? t('gap', { days: daysText(from, to) })
                  : t('overlapOf', { one, other, days: daysText(from, to) || t('always') })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {versions.every(({ status }) => status !== 'Approved') && <Notice>{t('noneApproved')}</Notice>}
      <VersionTable {...{ product, day, selected, go }} />
    </section>
  );
}

function VersionTable({ product: { versions }, day, selected, go }: VersionsProps) {
  const used = versionOn(versions, day);
  const scale = timeScale(versions, day);
  return (
    <Table
      label={t('versions')}
      rows={versions}
      rowClass={({ version }) => (version === selected ? 'product-row-selected' : undefined)}
      columns={[
        [
          t('versionHead'),
          ({ version }) => (
            <>
              <button
                type="button"
                class="link-button"
                aria-current={version === selected ? 'true' : undefined}
                onClick={() => go({ version: String(version) })}
              >
                {t('version', { version })}
              </button>{' '}
              {version === used?.version && <Badge tone="good">{t('today')}</Badge>}
            </>
          ),
        ],
        [t('status'), ({ status }) => statusText(status)],
        [t('validFrom'), ({ validFrom }) => (validFrom === null ? t('open') : formatDate(validFrom))],
        [t('validTo'), ({ validTo }) => (validTo === null ? t('open') : formatDate(validTo))],
        [
          <>
            <span class="visually-hidden">{t('versions')}</span>
            <ValidityAxis scale={scale} />
          </>,
          (one) => <ValidityBars versions={[one]} {...{ scale, day }} />,
        ],
        [t('name'), ({ name }) => name ?? '–'],
      ]}
    />
  );
}

/** A search begins when the user has not typed for this time. */
const TYPING_MS = 200;
const MAX_SEARCH = 100;

/** The catalogue, limited to what the user types and to what is valid on a day. The address keeps both. */
function ProductSearch() {
  const { query, route } = useLocation();
  const { search = '', validOn = '', cursor = '' } = query;
  const filters = { search, validOn, cursor };
  const loaded = useLoaded((signal) => listProducts(filters, signal), [search, validOn, cursor]);
  const filter = (changed: Partial<ProductFilters>): void =>
    route(addressOf('', { ...filters, cursor: '', ...changed }), true);
  const [typed, setTyped] = useState(search);
  const clear = (): void => {
    setTyped('');
    filter(NO_FILTERS);
  };
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div class="stack">
        <SearchForm {...{ filters, loaded, typed, setTyped, filter, clear }} />
        <WhenLoaded
          loaded={loaded}
          failed={(_, notice) => (
            <>
              {notice}
              <OpenByCode />
            </>
          )}
        >
          {(page) => <Results page={page} filters={filters} onClear={clear} />}
        </WhenLoaded>
      </div>
    </>
  );
}

function SearchForm(props: {
  filters: ProductFilters;
  loaded: Loaded<ProductPage>;
  typed: string;
  setTyped: (text: string) => void;
  filter: (changed: Partial<ProductFilters>) => void;
  clear: () => void;
}) {
  const { filters, loaded, typed, setTyped, filter, clear } = props;
  const { route } = useLocation();
  useEffect(() => {
    if (typed.trim() === filters.search) return undefined;
    const timer = setTimeout(() => filter({ search: typed.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, filters.search, filters.validOn]);
  const open = (event: Event): void => {
    event.preventDefault();
    const code = codeToOpen(loaded.value?.products ?? [], typed);
    if (code !== undefined) route(addressOf(code, { ...filters, search: typed.trim() }));
  };
  const faults = loaded.error === undefined ? [] : (asProblem(loaded.error).errors ?? []);
  const faultOf = (name: string) => faults.find(({ path }) => path === name)?.message;
  return (
    <form class="card card-tight search-form no-print" role="search" onSubmit={open}>
      <TextField
        label={t('search')}
        hint={t('searchHint')}
        error={faultOf('search')}
        type="search"
        maxLength={MAX_SEARCH}
        value={typed}
        onChange={setTyped}
      />
      <TextField
        label={t('validOn')}
        error={faultOf('validOn')}
        type="date"
        value={filters.validOn}
        onChange={(validOn) => filter({ validOn })}
      />
      {(typed !== '' || filters.validOn !== '') && (
        <Button kind="quiet" onClick={clear}>
          {t('clear')}
        </Button>
      )}
    </form>
  );
}

/** Enter opens the product with the typed code, or the only one that matches. */
function codeToOpen(products: readonly ListedProduct[], typed: string): string | undefined {
  const key = typed.trim().toLowerCase();
  const exact = products.find(({ code }) => code.toLowerCase() === key);
  return exact?.code ?? (products.length === 1 ? products[0]?.code : undefined);
}

/** Without the list a product can still be looked up by its code. */
function OpenByCode() {
  const { route } = useLocation();
  const [code, setCode] = useState('');
  const open = (event: Event): void => {
    event.preventDefault();
    if (code.trim() !== '') route(addressOf(code.trim(), {}));
  };
  return (
    <form class="card card-tight search-form" onSubmit={open}>
      <TextField label={t('code')} hint={t('codeHint')} maxLength={64} value={code} onChange={setCode} />
      <Button type="submit">{t('show')}</Button>
    </form>
  );
}

function Results(props: { page: ProductPage; filters: ProductFilters; onClear: () => void }) {
  const { page, filters, onClear } = props;
  const { products, count, total, nextCursor } = page;
  const day = filters.validOn === '' ? dayText(Date.now()) : filters.validOn;
  const all = products.flatMap(({ versions }) => versions);
  const scale = timeScale(all, day);
  return (
    <>
      {!page.isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      <p role="status">
        {count === total ? t('productCount', { total }) : t('productsFound', { count, total })}
      </p>
      {total === 0 && (
        <Empty title={t('emptyCatalogue')}>
          <p>
            {t('publish')} <code>npm run catalogue -- publish FOLDER</code>
          </p>
        </Empty>
      )}
      {total > 0 && count === 0 && (
        <Empty title={t('noneFound')}>
          <Button onClick={onClear}>{t('clear')}</Button>
        </Empty>
      )}
      {products.length > 0 && (
        <Table
          label={t('title')}
          class="product-list"
          rows={products}
          columns={[
            [t('product'), (product) => <Name product={product} filters={filters} />],
            [
              t('validOnDay', { day: formatDate(day) }),
              (product) => <Validity product={product} day={day} />,
            ],
            [
              <>
                <span class="visually-hidden">{t('versions')}</span>
                <ValidityAxis scale={scale} />
              </>,
              ({ versions }) => <ValidityBars {...{ versions, scale, day }} />,
              'wide-only',
            ],
          ]}
        />
      )}
      <div class="row no-print">
        {filters.cursor !== '' && <a href={addressOf('', { ...filters, cursor: '' })}>{t('firstPage')}</a>}
        {nextCursor !== undefined && (
          <a class="button" href={addressOf('', { ...filters, cursor: nextCursor })}>
            {t('nextPage')}
          </a>
        )}
      </div>
    </>
  );
}

function Name({ product, filters }: { product: ListedProduct; filters: ProductFilters }) {
  const { code, name, type, currency } = product;
  return (
    <>
      <a href={addressOf(code, { ...filters, cursor: '' })}>{name ?? code}</a>
      <div class="small soft">{[code, type, currency].filter((part) => part !== undefined).join(' · ')}</div>
    </>
  );
}

function Validity({ product: { versions, versionCount }, day }: { product: ListedProduct; day: string }) {
  const used = versionOn(versions, day);
  const last = versions.at(-1);
  const unused = last?.status === 'Approved' ? t('notValidOn', { day: formatDate(day) }) : undefined;
  return (
    <>
      {used === undefined ? (
        <Badge tone={unused === undefined ? 'neutral' : 'warn'}>
          {unused ?? statusText(last?.status ?? null)}
        </Badge>
      ) : (
        <Badge tone="good">{t('versionOf', { version: used.version, count: versionCount })}</Badge>
      )}
      <div class="small soft">
        {daysText((used ?? last)?.validFrom, (used ?? last)?.validTo) || t('always')}
      </div>
    </>
  );
}

type TimeScale = ReturnType<typeof timeScale>;

const TICKS = 5;

/** Versions as bars over time, in one row with a line for today. What is open continues to the end. */
function ValidityBars(props: { versions: readonly ListedVersion[]; scale: TimeScale; day: string }) {
  const { versions, scale, day } = props;
  const today = `${scale(dayMs(day))}%`;
  return (
    <svg class="validity-bars" aria-hidden="true">
      {scale.ticks(TICKS).map((tick) => (
        <line key={tick} class="grid" x1={`${scale(tick)}%`} x2={`${scale(tick)}%`} y1="0" y2="100%" />
      ))}
      {versions.toSorted(approvedLast).map(({ version, status, validFrom, validTo }) => {
        const left = scale(validFrom === null ? -Infinity : dayMs(validFrom));
        const right = scale(validTo === null ? Infinity : dayMs(validTo) + DAY_MS);
        const kind = status === 'Approved' ? 'approved' : status === 'Closed' ? 'closed' : 'draft';
        return (
          <rect
            key={version}
            class={`validity-${kind}`}
            x={`${left}%`}
            width={`${right - left}%`}
            y="20%"
            height="60%"
            rx="3"
          />
        );
      })}
      <line class="validity-today" x1={today} x2={today} y1="0" y2="100%" />
    </svg>
  );
}

/** A draft must not hide what is used. */
const approvedLast = (one: ListedVersion, other: ListedVersion): number =>
  Number(one.status === 'Approved') - Number(other.status === 'Approved');

/** The years or months above the bars. */
function ValidityAxis({ scale }: { scale: TimeScale }) {
  const ticks = scale.ticks(TICKS);
  const areYears = ticks.every((tick) => tick.getUTCMonth() === 0);
  return (
    <svg class="validity-bars" aria-hidden="true">
      {ticks.map((tick) => (
        <text key={tick} x={`${scale(tick)}%`} y="70%">
          {areYears ? tick.getUTCFullYear() : formatDate(dayText(tick)).replace(/^1 /, '')}
        </text>
      ))}
    </svg>
  );
}
