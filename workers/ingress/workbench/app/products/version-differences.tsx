import { useMemo } from 'preact/hooks';
import type {
  CatalogueVersionReply,
  ListedVersion,
} from '../../../../../shared/api/operations/product-lists.ts';
import { Badge, Button, Empty } from '../design/components.tsx';
import { ChoiceField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatDate } from '../format.ts';
import { productsText as t } from '../texts.ts';
import { getVersion } from './catalogue-calls.ts';
import { fieldName, statusText, valueLines } from './field-values.ts';
import { findDifferences, type Difference, type Step } from './record-differences.ts';
import { sectionsOf } from './record-sections.ts';
import { currencyOf, Lines, ReadingFaults } from './version-sections.tsx';

const TONES = { added: 'good', removed: 'bad', changed: 'accent' } as const;

export function VersionDifferences(props: {
  code: string;
  versions: readonly ListedVersion[];
  before: number;
  after: number;
  choose: (sides: { before: number; after: number }) => void;
}) {
  const { code, versions, before, after, choose } = props;
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
        {(['before', 'after'] as const).map((side) => (
          <ChoiceField
            key={side}
            label={t(side)}
            options={options}
            value={String(props[side])}
            onChange={(version) => choose({ before, after, [side]: Number(version) })}
          />
        ))}
        <Button onClick={() => choose({ before: after, after: before })}>{t('swap')}</Button>
      </div>
      <WhenLoaded loaded={loaded}>{(sides) => <Differences sides={sides} />}</WhenLoaded>
    </>
  );
}

type Sides = readonly [before: CatalogueVersionReply, after: CatalogueVersionReply];

function Differences({ sides }: { sides: Sides }) {
  const [before, after] = sides;
  const sections = useMemo(() => findDifferences(sectionsOf(before), sectionsOf(after)), [before, after]);
  const kinds = sections.flatMap(({ differences }) => differences.map(kindOf));
  const count = (kind: keyof typeof TONES): number => kinds.filter((one) => one === kind).length;
  const counts = { changed: count('changed'), added: count('added'), removed: count('removed') };
  const versions = { before: before.version, after: after.version };
  const isReadable = before.product !== undefined && after.product !== undefined;
  return (
    <>
      {sides.map((version) => (
        <ReadingFaults key={version.version} version={version} />
      ))}
      {isReadable && (
        <p role="status">
          {kinds.length === 0 ? t('noDifferences', versions) : t('differenceCount', counts)}
        </p>
      )}
      {isReadable &&
        sections.map(({ key, differences }) => (
          <section key={key} class="stack tight product-section">
            <h3>{t(key)}</h3>
            <Table
              label={t(key)}
              class="product-differences"
              rows={differences}
              columns={[
                [
                  t('field'),
                  (one) => (
                    <>
                      {one.path.map(stepText).join(' › ')}{' '}
                      <Badge tone={TONES[kindOf(one)]}>{t(kindOf(one))}</Badge>
                    </>
                  ),
                ],
                [t('version', { version: before.version }), (one) => sideOf(one, 'before', before), 'soft'],
                [t('version', { version: after.version }), (one) => sideOf(one, 'after', after), 'strong'],
              ]}
            />
          </section>
        ))}
      <p class="small soft">{t('listsNow')}</p>
    </>
  );
}

function kindOf({ before, after }: Difference): keyof typeof TONES {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

function stepText(step: Step): string {
  if ('field' in step) return fieldName(step.field);
  if ('item' in step) return step.item;
  return step.from === null ? t('always') : t('from', { day: formatDate(step.from) });
}

function sideOf(difference: Difference, side: 'before' | 'after', version: CatalogueVersionReply) {
  const field = difference.path.findLast((step) => 'field' in step)?.field ?? '';
  const currency = difference.currency ?? currencyOf(version);
  return <Lines lines={valueLines(field, difference[side], currency)} />;
}
