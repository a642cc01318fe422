/** Periodicities that an institution adds to the built-in ones (D7), such as "Every 10 days". */

import { type CatalogueEntry, type CatalogueFault, isTold } from './catalogue-entry.ts';
import { BUILT_IN_PERIODICITIES, findPeriodicity, type Periodicity } from '../dates/periodicity.ts';

/** A periodicity as a catalogue holds it. */
export interface PeriodicityRecord {
  readonly name: string;
  /** Units from one due date to the next, from 1 on; left out with Once. */
  readonly count?: number | null | undefined;
  /** Days, Weeks, Months, Years or Once. */
  readonly unit: string;
}

const UNITS: readonly Periodicity['unit'][] = ['Days', 'Weeks', 'Months', 'Years', 'Once'];
/** More units than this lie between no two due dates of a contract. */
const LARGEST_COUNT = 1200;
const LONGEST_NAME = 200;

/** The built-in periodicities and those of a catalogue; reports the records that are wrong. */
export function cataloguePeriodicities(
  entries: readonly CatalogueEntry<PeriodicityRecord>[],
  faults: CatalogueFault[],
): readonly Periodicity[] {
  const known = [...BUILT_IN_PERIODICITIES];
  for (const entry of entries) {
    const { source, record } = entry;
    const report = (message: string): void => {
      if (isTold(entry, message)) faults.push({ source, record: record.name, message });
    };
    const periodicity = periodicityOf(record, report);
    const isTaken = findPeriodicity(record.name, known) !== undefined;
    if (isTaken) report('must have another name: this one is built in or used by another record');
    if (periodicity !== undefined && !isTaken) known.push(periodicity);
  }
  return known;
}

function periodicityOf(
  record: PeriodicityRecord,
  report: (message: string) => void,
): Periodicity | undefined {
  const name = record.name.trim();
  const isNamed = name.length > 0 && name.length <= LONGEST_NAME;
  if (!isNamed) report(`name must have from 1 to ${LONGEST_NAME} characters`);
  const unit = UNITS.find((known) => known.toLowerCase() === record.unit.trim().toLowerCase());
  if (unit === undefined) report(`unit must be one of ${UNITS.join(', ')}`);
  const count = record.count ?? 0;
  const isOnce = unit === 'Once';
  const isCounted = isOnce ? count === 0 : Number.isInteger(count) && count >= 1 && count <= LARGEST_COUNT;
  if (!isCounted) {
    report(
      isOnce ? 'count must be left out with Once' : `count must be a whole number from 1 to ${LARGEST_COUNT}`,
    );
  }
  return isNamed && unit !== undefined && isCounted ? { name, count, unit } : undefined;
}
