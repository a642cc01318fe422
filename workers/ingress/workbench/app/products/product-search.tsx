import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { Badge, Button, Empty, Notice, PageHead } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { TextField } from '../design/fields.tsx';
import type { TimeScale } from '../charts/time-axis.ts';
import { useLoaded, WhenLoaded, type Loaded } from '../design/loaded.tsx';
import { formatDate } from '../format.ts';
import type { ListedProduct, ProductPage } from '../../../../../shared/api/operations/product-lists.ts';
import { listProducts, type ProductFilters } from './catalogue-api.ts';
import { daysText, statusText } from './field-values.ts';
import { addressOf, filtersOf } from './product-address.ts';
import { t } from './texts.ts';
import { TimelineAxis, TimelineBars } from './timeline-chart.tsx';
import { timelineDomain, versionOn } from './version-timeline.ts';

/** A search begins when the user has not typed for this time. */
const TYPING_MS = 200;
const MAX_SEARCH = 100;
const NO_FILTERS: ProductFilters = { search: '', validOn: '', cursor: '' };

/** The current day in UTC, on which look-ups decide. */
export function currentDay(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The catalogue, limited to what the user types and to what is valid on a day. The address keeps both. */
export function ProductSearch() {
  const { query, route } = useLocation();
  const filters = filtersOf(query);
  const loaded = useLoaded(
    (signal) => listProducts(filters, signal),
    [filters.search, filters.validOn, filters.cursor],
  );
  const filter = (changed: Partial<ProductFilters>): void =>
    route(addressOf('', { ...filters, cursor: '', ...changed }), true);
  const [typed, setTyped] = useState(filters.search);
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
  const day = filters.validOn === '' ? currentDay() : filters.validOn;
  const domain = timelineDomain(
    products.flatMap(({ versions }) => versions),
    day,
  );
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
        <div class="product-list">
          <div class="product-result product-result-head" aria-hidden="true">
            <span>{t('product')}</span>
            <span>{t('validOnDay', { day: formatDate(day) })}</span>
            <span class="product-bars">
              <TimelineAxis domain={domain} />
            </span>
          </div>
          <ul class="product-results" aria-label={t('title')}>
            {products.map((product) => (
              <Result key={product.code} product={product} filters={filters} day={day} domain={domain} />
            ))}
          </ul>
        </div>
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

function Result(props: { product: ListedProduct; filters: ProductFilters; day: string; domain: TimeScale }) {
  const { product, filters, day, domain } = props;
  const { code, name, type, currency, versions, versionCount } = product;
  const used = versionOn(versions, day);
  const last = versions.at(-1);
  return (
    <li class="product-result">
      <div>
        <a class="strong" href={addressOf(code, { ...filters, cursor: '' })}>
          {name ?? code}
        </a>
        <div class="small soft">
          {[code, type, currency].filter((part) => part !== undefined).join(' · ')}
        </div>
      </div>
      <div class="product-validity">
        {used === undefined ? (
          <Badge tone={last?.status === 'Approved' ? 'warn' : 'neutral'}>
            {last?.status === 'Approved'
              ? t('notValidOn', { day: formatDate(day) })
              : statusText(last?.status ?? null)}
          </Badge>
        ) : (
          <Badge tone="good">{t('versionOf', { version: used.version, count: versionCount })}</Badge>
        )}
        <span class="small soft">
          {daysText((used ?? last)?.validFrom, (used ?? last)?.validTo) || t('always')}
        </span>
      </div>
      <div class="product-bars" aria-hidden="true">
        <TimelineBars versions={versions} domain={domain} day={day} />
      </div>
    </li>
  );
}
