/** Lists the names and ids that requests send and answers have (L7). */

import { BUILT_IN_CALENDARS, findBuiltInCalendar } from '../../lending/calendars/built-in-calendars.ts';
import { listLibraryCalendars } from '../../lending/calendars/library/library-calendars.ts';
import { INSTALLMENT_TYPE_IDS } from '../../lending/request/repayment-schedule.ts';
import { PRODUCT_TYPE_NAMES, type CompiledScheduleType } from '../../lending/schedule-types/schedule-type.ts';
import { fixedFieldsRead } from '../../lending/terms/repayment-terms.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import { INTEREST_OPTION_IDS, INTEREST_TYPES } from '../catalogue/list-records.ts';

type Lending = CatalogueView['lending'];

const REFERENCE_LISTS = {
  PaymentScheduleTypes: ({ scheduleTypes }: Lending) =>
    scheduleTypes.map((compiled) => ({
      ...describeScheduleType(compiled),
      ProductTypes: compiled.type.productTypes,
      InterestCalculationMethod: compiled.type.dayCount,
      MeasurementUnit: compiled.type.measurementUnit,
      UseMaturityDate: compiled.type.useMaturityDate,
      MaximumInstallments: compiled.type.maximumInstallments,
    })),
  Periodicities: ({ periodicities }: Lending) =>
    periodicities.map(({ name: Name, count: Count, unit: Unit }) => ({ Name, Count, Unit })),
  CountryCalendars: listCalendars,
  InstallmentTypes: () =>
    Object.entries(INSTALLMENT_TYPE_IDS).map(([Name, InstallmentTypeId]) => ({ InstallmentTypeId, Name })),
  InterestTypes: () => INTEREST_TYPES.map((Name) => ({ InterestTypeId: INTEREST_OPTION_IDS[Name], Name })),
  ProductTypes: () => Object.entries(PRODUCT_TYPE_NAMES).map(([Code, Name]) => ({ Code, Name })),
};
type ReferenceName = keyof typeof REFERENCE_LISTS;
type ReferenceLists = { readonly [Name in ReferenceName]: ReturnType<(typeof REFERENCE_LISTS)[Name]> };

/** The requested lists; an absent flag counts as false. */
export type ReferenceRequest = { readonly [Name in ReferenceName as `display${Name}`]?: boolean | undefined };

/** Returns the requested lists of what is in force, whatever the day. */
export function lookUpReferences(request: ReferenceRequest, { lending }: Pick<CatalogueView, 'lending'>) {
  const names = Object.keys(REFERENCE_LISTS) as readonly ReferenceName[];
  const requested = names.filter((name) => request[`display${name}`] === true);
  const lists = requested.map((name) => [name, REFERENCE_LISTS[name](lending)]);
  return Object.fromEntries(lists) as Partial<ReferenceLists>;
}

export function describeScheduleType(compiled: CompiledScheduleType) {
  const { id, name, code, installmentValueCustom } = compiled.type;
  return {
    PaymentScheduleTypeId: id,
    PaymentScheduleTypeName: name,
    PaymentScheduleCode: code,
    InstallmentValueCustom: installmentValueCustom,
    RequiresOneOf: fixedFieldsRead(compiled),
  };
}

/** Calendars of the catalogue first; one that replaces a country of the library takes its place (H2). */
function listCalendars({ records, calendars }: Lending) {
  const own = (records.calendars ?? []).map(({ record: { name, version, base } }) =>
    describeCalendar(name, base === undefined ? null : `Based on ${base}`, version, 'Catalogue'),
  );
  const builtIn = BUILT_IN_CALENDARS.map(({ codes: [code = ''], name, version }) =>
    describeCalendar(code, name, version, 'BuiltIn'),
  );
  const others = listLibraryCalendars()
    .filter(({ code }) => findBuiltInCalendar(code) === undefined && calendars.find(code) === undefined)
    .map(({ code, name, version }) => describeCalendar(code, name, version, 'Library'));
  return [...own, ...builtIn, ...others];
}

function describeCalendar(Name: string, Description: string | null, Version: string, Source: string) {
  return { Name, Description, Version, Source };
}
