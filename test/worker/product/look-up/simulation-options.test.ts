/** A caller who knows the base address only simulates every product on offer from what the actions tell. */

import { expect, it } from 'vitest';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import { startProductWorker } from '../../../../workers/product/main.ts';
import { startSimulationWorker } from '../../../../workers/simulation/main.ts';
import type {
  productListReply,
  simulationOptionsReply,
} from '../../../../shared/api/actions/product-list-actions.ts';
import type { z } from 'zod';
import { post } from '../../../support/builders/schedule-call.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import { startOverLog } from '../../../support/worlds/product-worker.ts';

type ProductList = z.infer<typeof productListReply>;
type Options = z.infer<typeof simulationOptionsReply>;
type Interest = Options['Interests'][number];

const PREFIX = '/platapi/automation-processors/actions/';

async function startEngine(): Promise<string> {
  const broker = await createSharedBroker(1);
  await startOverLog(broker, startProductWorker);
  await startOn(broker, startSimulationWorker);
  return (await startOn(broker, startIngressWorker)).url;
}

async function call<Answer>(url: string, action: string, body: object): Promise<Answer> {
  const response = await post(url, body, { path: PREFIX + action });
  const answer = (await response.json()) as Answer;
  expect([body, response.status, response.status === 200 ? '' : answer]).toEqual([body, 200, '']);
  // A discount of the product need not lower anything in an offer, and figures of filters may be left out (L4).
  const warnings = (response.headers.get('warnings') ?? '').split(', ');
  const others = warnings.filter(
    (warning) => !/^(no-effect;discount\[\d+\]|assumed;json\w+\.\w+)?$/.test(warning),
  );
  expect([body, others]).toEqual([body, []]);
  return answer;
}

async function listProducts(url: string): Promise<ProductList['Products']> {
  const products: ProductList['Products'][number][] = [];
  let page: ProductList = { Products: [], Next: '' };
  while (page.Next !== null) {
    const after = page.Next === '' ? undefined : page.Next;
    page = await call<ProductList>(url, 'PLAT_BP_GetProductList', { limit: 5, after });
    products.push(...page.Products);
  }
  return products;
}

interface Choice {
  readonly discounts: Options['Discounts'];
  readonly fees: Options['Commissions'];
  readonly covers: Options['Insurances'];
}

const NOTHING: Choice = { discounts: [], fees: [], covers: [] };

/** All that a request for the interest can choose. */
function everythingOf(options: Options, { CommissionListId }: Interest): Choice {
  return {
    discounts: options.Discounts.filter(({ IsOptionalDiscount }) => IsOptionalDiscount),
    fees: options.Commissions.filter((one) => one.IsOptional && one.CommissionListId === CommissionListId),
    covers: options.Insurances.filter(({ IsOptional }) => IsOptional),
  };
}

/** The fields that the options make mandatory, for an interest and what is chosen. */
function simulationOf(
  options: Options,
  type: Options['ScheduleTypes'][number],
  interest: Interest,
  { discounts, fees, covers } = NOTHING,
) {
  const { Product: product } = options;
  const insured =
    covers.length === 0 ? [] : options.Filters.filter(({ Field }) => Field === 'jsonInsuranceFilter');
  const least = insured.filter(({ Name }) => Name === 'Amount').map(({ From }) => From ?? 0);
  const amount = Math.max(product.MinimumAmount ?? 1000, ...least);
  const users = new Set([
    interest.InterestName,
    ...options.Commissions.filter(
      (one) => one.ComesWithContract && one.CommissionListId === interest.CommissionListId,
    ).map(({ FeeName }) => FeeName),
    ...options.Insurances.filter((one) => one.ComesWithContract).map(({ InsuranceName }) => InsuranceName),
    ...fees.map(({ FeeName }) => FeeName),
    ...covers.map(({ InsuranceName }) => InsuranceName),
    ...options.Discounts.filter((one) => !one.IsOptionalDiscount || discounts.includes(one)).map(
      ({ Name }) => Name,
    ),
  ]);
  const needed = options.FormulaInputs.filter(({ UsedBy }) => users.has(UsedBy));
  const parts = Map.groupBy(needed, ({ Part }) => Part);
  const jsonInputFormula = Object.fromEntries(
    [...parts].map(([part, inputs]) => [part, Object.fromEntries(inputs.map(({ Name }) => [Name, 5]))]),
  );
  const [fixed] = type.RequiresOneOf;
  return {
    productCode: product.BankingProductCode,
    amount,
    loanPeriod: type.MinimumLoanPeriod,
    scheduleType: type.PaymentScheduleTypeName,
    downPayment: (amount * (product.MinimumAdvance ?? 0)) / 100,
    interestType: interest.InterestTypeId,
    ...(fixed !== undefined && { [fixed]: amount }),
    ...(needed.length > 0 && { jsonInputFormula }),
    ...(interest.NeedsInterestRates && { jsonMultipleInterestRates: [{ InterestRate: 5 }] }),
    ...(discounts.length > 0 && {
      discount: discounts.map(({ ProductDiscountId }) => ({ ProductDiscountId })),
    }),
    OptionalCommissions: fees.map(({ FeeId }) => ({ FeeId })),
    OptionalInsurances: covers.map(({ InsuranceId }) => ({ InsuranceId })),
  };
}

/** For each filter of the item, a figure that passes. */
function passingFigures({ Filters }: Options, field: string, item: string) {
  return Filters.filter(({ Field, UsedBy }) => Field === field && UsedBy === item).map((filter) => ({
    name: filter.Name,
    value: filter.From ?? filter.To ?? filter.Values[0],
  }));
}

interface Simulated {
  readonly Records: readonly {
    readonly OutputCommissionJson: string;
    readonly OutputInsuranceJson: string;
    readonly InterestId: string;
    readonly InterestListId: string;
    readonly InterestCommissionItemId: string;
    readonly CommissionListId: string | null;
  }[];
}

it('every product on offer can be simulated with each schedule type and interest, for the shortest term, and the longest with all that can be chosen (L5, L6)', async () => {
  const url = await startEngine();
  const products = await listProducts(url);
  expect(products.length).toBeGreaterThanOrEqual(10);
  const codes = products.map(({ BankingProductCode }) => BankingProductCode);
  expect(codes).toEqual([...new Set(codes)].toSorted());
  for (const { ProductId: productId, PaymentScheduleTypes } of products) {
    const options = await call<Options>(url, 'PLAT_BP_GetSimulationOptions', { productId });
    expect(options.ScheduleTypes).toHaveLength(PaymentScheduleTypes.length);
    expect(options.ScheduleTypes.length * options.Interests.length).toBeGreaterThan(0);
    for (const type of options.ScheduleTypes) {
      for (const interest of options.Interests) {
        const base = simulationOf(options, type, interest);
        const jsonFilterCommission = passingFigures(
          options,
          'jsonFilterCommission',
          interest.InterestCommissionItemName,
        );
        const shortest = await call<Simulated>(url, 'PLAT_BP_Simulate', { ...base, jsonFilterCommission });
        const { InterestId, InterestListId, InterestCommissionItemId, CommissionListId } = interest;
        const offer = { InterestId, InterestListId, InterestCommissionItemId, CommissionListId };
        expect(shortest.Records).toEqual(expect.arrayContaining([expect.objectContaining(offer)]));
        const chosen = everythingOf(options, interest);
        const request = simulationOf(options, type, interest, chosen);
        const longest = { ...request, loanPeriod: type.MaximumLoanPeriod };
        const { Records } = await call<Simulated>(url, 'PLAT_BP_Simulate', longest);
        const record = Records.find((one) => one.InterestId === interest.InterestId);
        const shown = `${record?.OutputCommissionJson}${record?.OutputInsuranceJson}`;
        const ids = [
          ...chosen.fees.map(({ FeeId }) => FeeId),
          ...chosen.covers.map(({ InsuranceId }) => InsuranceId),
        ];
        expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
      }
    }
  }
}, 60_000);

it('discounts are chosen by their published ids, and a term outside the published ones is refused (L6)', async () => {
  const url = await startEngine();
  const productCode = 'TL-PERSONAL';
  const options = await call<Options>(url, 'PLAT_BP_GetSimulationOptions', { productCode });
  const optional = options.Discounts.filter(({ IsOptionalDiscount }) => IsOptionalDiscount);
  expect(optional.map(({ Name }) => Name)).toEqual(['Salary client', 'Healthy living']);
  const interest = options.Interests.find(({ IsDefault }) => IsDefault);
  const [type] = options.ScheduleTypes;
  if (interest === undefined || type === undefined) throw new Error('TL-PERSONAL has no interest or type');
  const simulated = await call<{ readonly Records: readonly { readonly InterestPercent: string }[] }>(
    url,
    'PLAT_BP_Simulate',
    simulationOf(options, type, interest, { ...NOTHING, discounts: optional }),
  );
  // 8.5 % less the 0.55 points of Salary client.
  expect(simulated.Records[0]?.InterestPercent).toBe('7.9500%');
  for (const loanPeriod of [(type.MinimumLoanPeriod ?? 0) - 1, (type.MaximumLoanPeriod ?? 0) + 1]) {
    const request = { ...simulationOf(options, type, interest), loanPeriod };
    expect((await post(url, request, { path: `${PREFIX}PLAT_BP_Simulate` })).status).toBe(422);
  }
});
