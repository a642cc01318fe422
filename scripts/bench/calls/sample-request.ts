/** The request that the round trips carry: twelve instalments with the effective rate, a typical consumer loan. */
export const SAMPLE_BODY = JSON.stringify({
  jsonParam: {
    ScheduleType: 'EqualInstallments',
    ProductType: 'TL',
    InterestPercent: 7.25,
    Amount: 12_500,
    InstallmentsNo: 12,
    PeriodicityType: 'Monthly',
    InstallmentDay: 15,
    ActivationDate: '2024-01-10',
    CalculateDAE: 2,
  },
});

export const ACTION_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule';
