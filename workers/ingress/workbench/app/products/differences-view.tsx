import { useMemo } from 'preact/hooks';
import { Badge, Button, Empty, type Tone } from '../design/components.tsx';
import { ChoiceField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatDate } from '../format.ts';
import type {
  CatalogueVersionReply,
  ListedVersion,
} from '../../../../../shared/api/operations/product-lists.ts';
import { getVersion } from './catalogue-api.ts';
import { fieldName, statusText, valueLines } from './field-values.ts';
import { currencyOf, Lines, ownCurrency, ReadingFaults } from './sections-view.tsx';
import { t } from './texts.ts';
import {
  findDifferences,
  type Difference,
  type SectionDifferences,
  type Step,
} from './version-differences.ts';
import { isFields, sectionsOf } from './version-sections.ts';

const TONES: Readonly<Record<Difference['kind'], Tone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'accent',
};

interface DifferencesProps {
  readonly code: string;
  readonly versions: readonly ListedVersion[];
  readonly before: number;
  readonly after: number;
  readonly onChoose: (before: number, after: number) => void;
}

/** The differences between two versions, which can be chosen. */
export function VersionDifferences({ code, versions, before, after, onChoose }: DifferencesProps) {
  const loaded = useLoaded(
    (signal) => Promise.all([getVersion(code, before, signal), getVersion(code, after, signal)]),
    [code, before, after],
  );
  if (versions.length < 2) return <Empty title={t('oneVersion')} />;
  const options = versions.map(({ version, status, validFrom }) => {
    const day = validFrom === null ? '' : `, ${t('from', { day: formatDate(validFrom) })}`;
    return [String(version), `${t('version', { version })} – ${statusText(status)}${day}`] as const;
  });
  return (
    <>
      <div class="search-form no-print">
        <ChoiceField
          label={t('before')}
          options={options}
          value={String(before)}
          onChange={(version) => onChoose(Number(version), after)}
        />
        <ChoiceField
          label={t('after')}
          options={options}
          value={String(after)}
          onChange={(version) => onChoose(before, Number(version))}
        />
        <Button onClick={() => onChoose(after, before)}>{t('swap')}</Button>
      </div>
      <WhenLoaded loaded={loaded}>{([one, other]) => <Differences before={one} after={other} />}</WhenLoaded>
    </>
  );
}

function Differences({ before, after }: { before: CatalogueVersionReply; after: CatalogueVersionReply }) {
  const sections = useMemo(() => findDifferences(sectionsOf(before), sectionsOf(after)), [before, after]);
  const all = sections.flatMap(({ differences }) => differences);
  const count = (kind: Difference['kind']): number =>
    all.filter((difference) => difference.kind === kind).length;
  const isReadable = before.product !== undefined && after.product !== undefined;
  return (
    <>
      {[before, after].map((version) => (
        <ReadingFaults key={version.version} version={version} />
      ))}
      {isReadable && (
        <p role="status">
          {all.length === 0
            ? t('noDifferences', { before: before.version, after: after.version })
            : t('differenceCount', {
                changed: count('changed'),
                added: count('added'),
                removed: count('removed'),
              })}
        </p>
      )}
      {isReadable &&
        sections.map((section) => (
          <SectionTable key={section.key} section={section} before={before} after={after} />
        ))}
      <p class="small soft">{t('listsNow')}</p>
    </>
  );
}

function SectionTable(props: {
  section: SectionDifferences;
  before: CatalogueVersionReply;
  after: CatalogueVersionReply;
}) {
  const { section, before, after } = props;
  const label = t(section.key);
  return (
    <section class="stack tight product-section">
      <h3>{label}</h3>
      <Table
        label={label}
        class="product-differences"
        rows={section.differences}
        columns={[
          [
            t('field'),
            ({ path, kind }) => (
              <>
                {path.map(stepText).join(' › ') || label} <Badge tone={TONES[kind]}>{t(kind)}</Badge>
              </>
            ),
          ],
          [
            t('version', { version: before.version }),
            (one) => <Side difference={one} side="before" currency={currencyOf(before)} />,
            'soft',
          ],
          [
            t('version', { version: after.version }),
            (one) => <Side difference={one} side="after" currency={currencyOf(after)} />,
            'strong',
          ],
        ]}
      />
    </section>
  );
}

/** The value on one side. An item that was added or removed is shown with all that it has. */
function Side(props: { difference: Difference; side: 'before' | 'after'; currency: string }) {
  const { difference, side } = props;
  const value = difference[side];
  const currency = difference.around.map(ownCurrency).findLast((own) => own !== undefined) ?? props.currency;
  if (isFields(value)) {
    const own = ownCurrency(value) ?? currency;
    const lines = Object.entries(value)
      .filter(([field, one]) => field !== 'Id' && one !== false && !isEmpty(one))
      .map(([field, one]) => `${fieldName(field)}: ${valueLines(field, one, own).join('; ')}`);
    return <Lines lines={lines} />;
  }
  const last = difference.path.findLast((step) => step.kind === 'field');
  return <Lines lines={valueLines(last?.name ?? '', value, currency)} />;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function stepText(step: Step): string {
  if (step.kind === 'field') return fieldName(step.name);
  if (step.kind === 'item') return step.name;
  return step.day === null ? t('always') : t('from', { day: formatDate(step.day) });
}
