/** Simulations as text, for tables of tests. */

import { isDeepStrictEqual } from 'node:util';
import { INTEREST_OPTION_IDS } from '../../../shared/product/catalogue/list-records.ts';
import type { SimulateRequest } from '../../../shared/product/simulation/simulation.ts';
import {
  commission,
  discount,
  guid,
  insurance,
  interest,
  type Offering,
  price,
  rate,
  simulated,
} from '../worlds/simulated-product.ts';
import { decimal } from './lending-loan.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads JSON in which names need no quotes; `"#7"` is the id 7. */
function readFields(text: string): unknown {
  const named = text.replaceAll(/([{,]\s*)(\w+):/g, '$1"$2":');
  return JSON.parse(named.replaceAll(/"#(\d+)"/g, (_, id) => JSON.stringify(guid(Number(id))))) as unknown;
}

const ALWAYS_IN = { CollectionValidFrom: null, CollectionValidTo: null };
const ALWAYS = { ValidFrom: null, ValidTo: null };
const formulaOf = ([Expression, ...Inputs]: readonly string[]) => ({
  UseBankingFormula: true,
  Values: [],
  Formula: { Name: 'F', Expression, Inputs },
});
const STEP = { InterestStartDate: null, InterestEndDate: null };
const stepsOf = (steps: readonly Fields[keyof Fields][][]) => ({
  Type: 'Collection',
  Values: [],
  CollectionInterests: steps.map(([InterestName, InterestStartPeriod, InterestEndPeriod]) => ({
    ...STEP,
    InterestName,
    InterestStartPeriod,
    InterestEndPeriod,
  })),
});
const BAND = { ...ALWAYS_IN, InterestName: 'Band', IsForOverdraft: false, ValueMessage: null };
const bandsOf = (bands: readonly Fields[keyof Fields][][]) => ({
  Type: 'Collection',
  Values: [],
  BandedInterests: bands.map(([MinUtilizedAmount, MaxUtilizedAmount, Value = 12, others = {}]) => ({
    ...BAND,
    MinUtilizedAmount,
    MaxUtilizedAmount,
    Value,
    ...(others as object),
  })),
});

/** Short names of fields, with the fields for which they stand. */
const SHORT: Readonly<Record<string, (value: never) => object>> = {
  rate,
  formula: formulaOf,
  steps: stepsOf,
  bands: bandsOf,
  price: (value: number) => price(value),
  fee: (percent: number) => ({ ValueIsPercent: true, ...price(null, percent) }),
  premiumPercent: (Value: number) => ({
    ValueIsPercentage: true,
    Values: [{ Value, Status: 'Active', ...ALWAYS }],
  }),
  percent: (DiscountValue: number) => ({ DiscountValue, IsPercentage: true }),
  value: (DiscountValue: number) => ({ DiscountValue, IsPercentage: false }),
};
const BUILDERS: Readonly<Record<string, (changes: object) => object>> = {
  interest,
  commission,
  insurance,
  discount,
};

/** An item of a list; those after the first one have another id and name. */
function itemOf(kind: string, place: number, fields: Fields): Fields {
  const changes = Object.entries(fields).map(
    ([name, value]) => SHORT[name]?.(value as never) ?? { [name]: value },
  );
  const own = { ...BUILDERS[kind]!(Object.assign({}, ...changes) as object) } as Fields;
  const nameField = kind === 'insurance' ? 'InsuranceName' : 'Name';
  const others = {
    Id: guid(Number(String(own['Id']).slice(-12)) + place),
    [nameField]: `${String(own[nameField])} ${place}`,
  };
  return { ...own, ...(place === 0 ? {} : others), ...fields };
}

/** A request with exact decimals, ids of interest types and lists of arguments. */
function requestOf(fields: Fields): Partial<SimulateRequest> {
  return JSON.parse(JSON.stringify(fields), (name, value: unknown) => {
    const isAmount = /^(?:amount|downPayment|installmentValue|principalValue|InterestRate)$/.test(name);
    if (isAmount) return decimal(value as number);
    if (name === 'interestType') return INTEREST_OPTION_IDS[value as 'Fixed'] ?? value;
    if (!name.endsWith('Input') || Array.isArray(value)) return value;
    const inputs = Object.entries(value as Readonly<Record<string, number>>);
    return inputs.map(([input, figure]) => ({ name: input, value: decimal(figure) }));
  }) as Partial<SimulateRequest>;
}

interface Scene {
  readonly title: string;
  readonly sent: string;
  readonly outcome: string;
}

/**
 * Reads blocks of a title and indented scenes such as `commission {price: 100}; discount {percent: 10} => firstFee = 9000` or
 * `request {loanPeriod: 0} => ! loanPeriod out-of-range: must be …`; a name alone stands for a given offering.
 */
export function scenesOf(text: string): readonly Scene[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .flatMap((block) => {
      const [title = '', ...scenes] = block.split(/\n {2}(?! )/);
      return scenes.map((scene) => {
        const [sent = '', outcome = ''] = scene.replaceAll(/\n\s+/g, ' ').split(' => ');
        return { title, sent, outcome };
      });
    });
}

function call(sent: string, given: Readonly<Record<string, Offering>>): Parameters<typeof simulated> {
  const offering: Record<string, unknown> = {};
  const request = {};
  for (const part of sent.split('; ')) {
    const [, count = '1', word = '', text] = /^(?:(\d+) )?(\w+)(?: (.*))?$/s.exec(part) ?? [];
    const fields = text === undefined ? undefined : readFields(text);
    if (fields === undefined) Object.assign(offering, given[word]);
    else if (word === 'request') Object.assign(request, requestOf(fields as Fields));
    else if (word in BUILDERS) {
      const list = ((offering[`${word}s`] as Fields[] | undefined) ?? []).slice();
      for (let left = Number(count); left > 0; left -= 1)
        list.push(itemOf(word, list.length, fields as Fields));
      offering[`${word}s`] = list;
    } else offering[word] = fields;
  }
  return [offering, request];
}

const patternOf = (message: string) =>
  new RegExp(`^${message.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', '.*')}$`, 's');

/** Fields of a schedule request that a simulation request does not have. */
const SCHEDULE_FIELDS =
  /\b(Amount|InstallmentsNo|ProductType|InterestPercent|MultipleInterestRates|BandedInterestRates|MinUtilizedAmount|MaxUtilizedAmount|HolidayCountry|HolidayMethod|AllowNegativeAmortisation|UpFrontValue|SourceValue|SourcePercent|FeePeriodicityType|FeeDate|ActivationDate|FirstDueDate|Commission\[\d+\]|Insurance\[\d+\])/;

/** The outcome of a scene in its own words: where it is not as expected, what is found instead. */
export function outcomeOf({ sent, outcome }: Scene, given: Readonly<Record<string, Offering>> = {}): string {
  const result = simulated(...call(sent, given));
  if (result.kind === 'refused') {
    const expected = outcome.slice(2).split(' & ');
    const faults = result.faults.map(({ path, code, status, message }, place) => {
      const [, wanted = '…'] = expected[place]?.split(/: (.*)/s) ?? [];
      const found = `${path} ${code}${status === 422 ? '' : ` ${status}`}`;
      if (!patternOf(wanted).test(message) || SCHEDULE_FIELDS.test(message)) return `${found}: ${message}`;
      return wanted === '…' ? found : `${found}: ${wanted}`;
    });
    return `! ${faults.join(' & ')}`;
  }
  const warnings = result.warnings.map(({ code, path }) => `${code} ${path}`);
  const record = { ...result.records[0], records: result.records, warnings };
  const answer: unknown = JSON.parse(JSON.stringify(record));
  const figures = outcome.split('; ').map((figure) => {
    const [path = '', value = ''] = figure.split(' = ');
    const found = path
      .match(/[^.[\]]+/g)
      ?.reduce((part, name) => (part as Fields | undefined)?.[name], answer);
    const isFound = isDeepStrictEqual(found, value === 'undefined' ? undefined : readFields(value));
    return isFound ? figure : `${path} = ${JSON.stringify(found)}`;
  });
  return figures.join('; ');
}
