/** What the fields of a schedule request are called in the form. A field without an entry is shown by its name. */

/** Label in English and in Romanian, and the help in Romanian; the English one is the description of the schema. */
type FieldText = readonly [english: string, romanian: string, romanianHelp: string];

const SOURCE_VALUE: FieldText = [
  'Amount',
  'Sumă',
  'Valoarea unei perceperi. Completați fie suma, fie procentul.',
];
const SOURCE_PERCENT: FieldText = [
  'or percentage',
  'sau procent',
  'Procentul unei perceperi, din suma creditului sau din baza aleasă. Completați fie suma, fie procentul.',
];
const UPFRONT: FieldText = [
  'In advance',
  'În avans',
  'Da: se percepe la începutul fiecărei perioade; nu: la sfârșitul ei. Nespecificat: ca în tipul de scadențar.',
];
const BASE: FieldText = [
  'Percentage of',
  'Procent din',
  'Baza procentului. Nespecificat: ca în catalog, altfel suma finanțată.',
];
const PER_ANNUM: FieldText = [
  'Percentage a year',
  'Procent anual',
  'Da: procentul este anual; nu: pe percepere. Nespecificat: ca în catalog, altfel nu.',
];
const WAIVED = 'Numărul primelor rate pentru care nu se percepe.';
const BLOCKED = 'Suma blocată, adăugată la prima rată a unei recalculări.';

/** By the name of the field; fields of items by list and name. */
export const FIELD_LABELS: Readonly<Record<string, FieldText>> = {
  ScheduleType: [
    'Kind of instalments',
    'Tipul ratelor',
    'Numele sau codul tipului de scadențar. Catalogul poate avea și altele.',
  ],
  Amount: ['Amount', 'Suma', 'Suma finanțată, cu valoarea reziduală, fără avans. Mai mare decât zero.'],
  InstallmentsNo: ['Number of instalments', 'Număr de rate', 'Numărul de rate, de la 1 la 1200.'],
  PeriodicityType: ['Paid', 'Se plătește', 'Intervalul dintre rate. Catalogul poate avea și altele.'],
  InstallmentDay: [
    'Day of payment',
    'Ziua plății',
    'Ziua lunii în care e scadentă fiecare rată; în lunile mai scurte, ultima zi. Nu contează pentru intervale în zile sau săptămâni.',
  ],
  ProductType: [
    'Product type',
    'Tipul produsului',
    'Codul sau numele tipului de produs. Nespecificat: cel al tipului de scadențar.',
  ],
  InterestPercent: [
    'Interest, % a year',
    'Dobânda, % pe an',
    'Rata anuală a dobânzii. Poate lipsi doar dacă există rate pe intervale sau pe tranșe.',
  ],
  AdvanceAmount: [
    'Advance',
    'Avans',
    'Avansul; împreună cu suma dă valoarea creditului. Fără efect asupra scadențarului.',
  ],
  GracePeriodInterest: [
    'Instalments without interest',
    'Rate fără dobândă',
    'Numărul primelor rate în care nu se încasează dobândă.',
  ],
  GracePeriodPrincipal: [
    'Instalments without principal',
    'Rate fără principal',
    'Numărul primelor rate în care nu se rambursează principal.',
  ],
  ActivationDate: [
    'Start of the loan',
    'Începutul creditului',
    'Activarea contractului: de aici curge dobânda.',
  ],
  FirstDueDate: ['First due date', 'Prima scadență', 'Data primei rate. Gol: se calculează.'],
  MaturityDate: ['Maturity', 'Maturitatea', 'Sfârșitul contractului: înlocuiește data ultimei rate.'],
  HolidayShift: [
    'Move off holidays',
    'Mută din zilele libere',
    'Da: scadențele din zile nelucrătoare ale calendarului se mută.',
  ],
  HolidayCountry: [
    'Holiday calendar',
    'Calendar de sărbători',
    'Numele calendarului de sărbători, de exemplu RO, TARGET sau RO+TARGET.',
  ],
  HolidayMethod: [
    'Direction of the move',
    'Direcția mutării',
    'Unde se mută o scadență dintr-o zi nelucrătoare. Nespecificat: înainte.',
  ],
  DeferDueDate: [
    'Interest until the moved date',
    'Dobândă până la data mutată',
    'Da: dobânda curge până la data mutată; nu (implicit): se mută doar plata.',
  ],
  RealInstallmentNo: [
    'Ends after instalment',
    'Se încheie după rata',
    'Numărul real de rate: scadențarul se încheie acolo, iar ultima rată rambursează restul.',
  ],
  ContractPeriod: [
    'Contract periods',
    'Perioade de contract',
    'Numărul de perioade ale contractului. Fără efect asupra scadențarului.',
  ],
  CalculateDAE: [
    'Shown effective rate',
    'Rata efectivă afișată',
    'Gol: câmpuri cu majuscule și EIR. 0: câmpuri cu minuscule, fără dae; 1: doar dae; 2: câmpuri cu minuscule și dae.',
  ],
  InstallmentMethod: [
    'Month of the first instalment',
    'Luna primei rate',
    'Luna primei rate când lipsește prima scadență: luna activării sau cea următoare.',
  ],
  installmentValue: [
    'Fixed instalment',
    'Rată fixată',
    'Valoarea fixată a ratei (rate egale). Gol sau 0: se calculează.',
  ],
  principalValue: [
    'Fixed principal',
    'Principal fixat',
    'Valoarea fixată a principalului (principal egal). Gol sau 0: se calculează.',
  ],
  StartDateForUnusage: [
    'Interest on unused amount from',
    'Dobândă la suma neutilizată din',
    'Data de la care se calculează dobânda la suma neutilizată.',
  ],
  ExpiryDateForOD: ['Overdraft expires', 'Expirarea descoperitului', 'Ultima zi a descoperitului de cont.'],
  UnusedAmount: ['Unused amount', 'Suma neutilizată', 'Partea din limită care nu este utilizată.'],
  InterestCapitalization: [
    'Deposit: capitalise interest',
    'Depozit: capitalizează dobânda',
    'Depozite. Da: dobânda se adaugă la sold; nu: se plătește în fiecare perioadă.',
  ],
  UpFrontValue: [
    'Costs paid at the start',
    'Costuri plătite la început',
    'Comisioane, taxe și asigurări plătite o singură dată la început. Fără efect într-o recalculare.',
  ],
  ResidualValue: ['Residual value', 'Valoare reziduală', 'Valoarea reziduală, parte din sumă.'],
  ResidualInInstallment: [
    'Residual in last instalment',
    'Rezidual în ultima rată',
    'Da: ultima rată cuprinde valoarea reziduală; nu: un rând separat o rambursează.',
  ],
  CapitalPercent: [
    'Card: repaid, % of balance',
    'Card: rambursat, % din sold',
    'Card de credit: procentul din sold pe care îl rambursează fiecare rată.',
  ],
  Commission: ['Commissions', 'Comisioane', 'Comisioane care se percep repetat.'],
  Insurance: ['Insurances', 'Asigurări', 'Asigurări care se percep repetat.'],
  MultipleInterestRates: [
    'Rates by instalments',
    'Rate ale dobânzii pe intervale',
    'Rate ale dobânzii pe intervale de rate; împreună acoperă fiecare rată o singură dată.',
  ],
  BandedInterestRates: [
    'Rates by balance',
    'Rate ale dobânzii pe tranșe',
    'Rate ale dobânzii pe tranșe ale soldului.',
  ],
  LastDueDate: [
    'Last settled due date',
    'Ultima scadență achitată',
    'Recalculare: scadența ultimei rate care rămâne neschimbată. Suma este atunci restul.',
  ],
  BlockInstallmentNo: [
    'Settled instalments',
    'Rate achitate',
    'Recalculare: numărul de rate care rămân neschimbate.',
  ],
  IsLocked: [
    'Apply locked amounts',
    'Aplică sumele blocate',
    'Recalculare. Da: sumele blocate se aplică; nu: se ignoră.',
  ],
  BlockAmount: ['Locked principal', 'Principal blocat', 'Recalculare: principalul blocat, parte din sumă.'],
  BlockInterestAmount: [
    'Locked interest',
    'Dobândă blocată',
    'Recalculare: dobânda care se adaugă la prima rată.',
  ],
  InterestCalculationMethod: [
    'Day count',
    'Convenția zilelor',
    'Convenția de numărare a zilelor, în locul celei a tipului de scadențar.',
  ],
  Currency: [
    'Currency',
    'Moneda',
    'Codul ISO 4217, care stabilește zecimalele sumelor. Nespecificat: două zecimale.',
  ],
  GraceType: [
    'Interest of the grace period',
    'Dobânda din perioada de grație',
    'Ce se întâmplă cu dobânda unei perioade de grație. Nespecificat: amânată.',
  ],
  Precision: ['Decimals', 'Zecimale', 'Numărul de zecimale ale tuturor sumelor, în locul celor ale monedei.'],
  EarlyRepayments: ['Extra payments', 'Rambursări anticipate', 'Rambursări anticipate.'],
  AllowNegativeAmortisation: [
    'Allow a growing balance',
    'Permite creșterea soldului',
    'Da: o rată fixată poate fi mai mică decât dobânda.',
  ],
  BandMethod: [
    'Rate by balance applies to',
    'Rata pe tranșe se aplică',
    'O rată pentru întregul sold, în locul uneia pentru fiecare tranșă.',
  ],
  Explain: ['Explain figures', 'Explică cifrele', 'Da: fiecare rată arată cum se calculează cifrele ei.'],
  'Commission.SourceValue': SOURCE_VALUE,
  'Commission.SourcePercent': SOURCE_PERCENT,
  'Commission.FeePeriodicityType': [
    'Charged',
    'Se percepe',
    'Intervalul perceperii. Costurile unice se trec la costuri plătite la început.',
  ],
  'Commission.FeeDate': ['From', 'De la', 'Începutul primei perioade de comision.'],
  'Commission.FeeName': ['Name', 'Denumire', 'Numele comisionului. Completați numele sau identificatorul.'],
  'Commission.FeeId': [
    'Id',
    'Identificator',
    'Identificatorul comisionului. Completați numele sau identificatorul.',
  ],
  'Commission.GracePeriodFee': ['Waived instalments', 'Rate scutite', WAIVED],
  'Commission.BlockFeeAmount': ['Locked amount', 'Sumă blocată', BLOCKED],
  'Commission.IsUpfront': UPFRONT,
  'Commission.PercentAppliedTo': BASE,
  'Commission.PerAnnum': PER_ANNUM,
  'Commission.IsForUnusage': [
    'On the unused amount',
    'Din suma neutilizată',
    'Da: procentul este anual, din suma neutilizată. Nespecificat: ca în catalog, altfel nu.',
  ],
  'Insurance.SourceValue': SOURCE_VALUE,
  'Insurance.SourcePercent': SOURCE_PERCENT,
  'Insurance.InsurancePeriodicityType': [
    'Charged',
    'Se percepe',
    'Intervalul primei. Costurile unice se trec la costuri plătite la început.',
  ],
  'Insurance.InsuranceDate': ['From', 'De la', 'Începutul primei perioade de asigurare.'],
  'Insurance.InsuranceName': [
    'Name',
    'Denumire',
    'Numele asigurării. Completați numele ori identificatorul sau numele clasei.',
  ],
  'Insurance.InsuranceClassId': [
    'Id of the class',
    'Identificatorul clasei',
    'Identificatorul clasei elementului de scadențar.',
  ],
  'Insurance.InsuranceClassName': [
    'Name of the class',
    'Numele clasei',
    'Numele clasei elementului de scadențar.',
  ],
  'Insurance.GracePeriodInsurance': ['Waived instalments', 'Rate scutite', WAIVED],
  'Insurance.BlockInsuranceAmount': ['Locked amount', 'Sumă blocată', BLOCKED],
  'Insurance.IsUpfront': UPFRONT,
  'Insurance.PercentAppliedTo': BASE,
  'Insurance.PerAnnum': PER_ANNUM,
  'MultipleInterestRates.InterestRate': [
    'Interest, % a year',
    'Dobânda, % pe an',
    'Rata anuală a intervalului.',
  ],
  'MultipleInterestRates.FromInstNo': [
    'From instalment',
    'De la rata',
    'Prima rată a intervalului. Gol: 1, sau următoarea după intervalul anterior.',
  ],
  'MultipleInterestRates.ToInstNo': [
    'To instalment',
    'Până la rata',
    'Ultima rată a intervalului. Gol: ultima rată.',
  ],
  'BandedInterestRates.MinUtilizedAmount': [
    'From balance',
    'De la soldul',
    'Limita inferioară a tranșei. Gol: fără limită.',
  ],
  'BandedInterestRates.MaxUtilizedAmount': [
    'To balance',
    'Până la soldul',
    'Limita superioară a ultimei tranșe. Gol: fără limită.',
  ],
  'BandedInterestRates.Value': ['Interest, % a year', 'Dobânda, % pe an', 'Rata anuală a tranșei.'],
  'EarlyRepayments.Date': ['Date', 'Data', 'Ziua rambursării; sărbătorile nu o mută.'],
  'EarlyRepayments.Amount': ['Amount', 'Sumă', 'Principalul rambursat anticipat.'],
  'EarlyRepayments.DecreaseInstallment': [
    'Effect',
    'Efect',
    'Implicit durata rămâne și rata scade; altfel rata rămâne și durata se scurtează.',
  ],
};
