// Returns a label again: as stored when it was made, or else as the carrier still knows it.
import { v7 as uuidv7 } from 'uuid';
import { requireSettings } from '../../carriers/account-needs.ts';
import type { CarrierLabel } from '../../carriers/carrier.ts';
import { parcelNumber } from '../../carriers/label-outputs.ts';
import type { Answer, Call, Handling } from '../../http/route.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelResult } from '../../model/shipping.ts';
import type { NewLabel, StoredLabel } from '../../store/labels.ts';
import { accountFinder, createAccountChooser, type OpenAccount } from '../../shipping/accounts.ts';
import { carrierProblem } from '../../shipping/carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { expeditionOf, parcelTask } from '../../shipping/parcel-path.ts';
import { publishOutputs } from './label-files.ts';
import { type NegativeCache, createNegativeCache } from './unknown-parcels.ts';

/**
 * Makes the handler.
 * @returns handler that throws Problem `resource-not-found`, `carrier-unavailable`, `carrier-timeout`
 */
export function readLabel(dependencies: LabelDependencies): Handling {
  const findAccount = accountFinder(dependencies);
  const findAsker = createAccountChooser(dependencies);
  const askUnlessUnknown = createNegativeCache(dependencies.now);
  const handle = async (call: Call): Promise<Answer> => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const number = expeditionOf(call);
    const label = await dependencies.store.labels.find(opened.stored, number);
    if (label?.state === 'voided')
      throw new Problem('resource-not-found', `The label ${number} has been voided: it is not to be used any more.`);
    const stored = label === null ? null : storedBody(dependencies, label, opened);
    const body =
      (label === null || stored === null ? null : await withoutVoidParcels(dependencies, label, stored)) ??
      (await fetched(dependencies, {
        call,
        opened: await findAsker(opened, label, 'labels'),
        number: label?.expeditionNumber ?? number,
        before: label,
        askUnlessUnknown,
      }));
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body, type: null };
  };
  return { handle };
}

/**
 * Null when the carrier has to be asked: a label that was not made here is kept for as long as its files; a label whose
 * outcome an operator determined, or that the demonstration warehouse requested, has no files yet.
 */
function storedBody(
  { labelRetentionDays, now }: LabelDependencies,
  { createdAt, expeditionNumber, result, state }: StoredLabel,
  { carrier }: OpenAccount,
): string | null {
  // What was erased stays so, also if labels are kept for longer by now.
  const isKept = state !== 'past' && createdAt + labelRetentionDays * 86_400_000 > now();
  if (isKept && (result !== null || carrier.fetchLabel !== null)) return result;
  return state === 'made' || state === 'past'
    ? JSON.stringify({ status: '0', expeditionNumber: expeditionNumber ?? '', outputs: [] } satisfies LabelResult)
    : null;
}

/**
 * The stored result without what belongs to parcels that are void: an output that comes as often as there are parcels
 * is one for each, in their order. What comes once for all of them stays.
 */
async function withoutVoidParcels({ store }: LabelDependencies, label: StoredLabel, body: string): Promise<string> {
  if (label.state !== 'made' || !body.includes('"ParcelNumber"')) return body;
  const voided = (await store.labelVoids.find(label))?.voidedParcels ?? [];
  if (voided.length === 0) return body;
  const result: LabelResult = JSON.parse(body);
  const byName = Map.groupBy(result.outputs, ({ name }) => name);
  const numbers = (byName.get('ParcelNumber') ?? []).map(({ value }) => value);
  const isVoid = numbers.map((number) => voided.includes(number));
  const outputs = result.outputs.filter((output) => {
    const alike = byName.get(output.name) ?? [];
    return output.name === 'Warning' || alike.length !== numbers.length || isVoid[alike.indexOf(output)] !== true;
  });
  return JSON.stringify({ ...result, outputs } satisfies LabelResult);
}

interface LabelQuestion {
  readonly call: Call;
  readonly opened: OpenAccount;
  readonly number: string;
  /** The stored label, if it is too old or has no outputs. */
  readonly before: StoredLabel | null;
  readonly askUnlessUnknown: NegativeCache;
}

/** The label as the carrier returns it now, stored together with its files. */
async function fetched(
  dependencies: LabelDependencies,
  { call, opened, number, before, askUnlessUnknown }: LabelQuestion,
): Promise<string> {
  const { carrier, account, stored } = opened;
  const { fetchLabel } = carrier;
  const { store, callCarrier, now } = dependencies;
  // When parcel numbers are assigned here, nobody else knows of a parcel.
  const isUnknown = before === null && carrier.series !== undefined;
  if (
    fetchLabel === null ||
    isUnknown ||
    (await store.labels.isMadeByOthers({ activity: stored.activity, carrier: carrier.name }, number))
  )
    throw new Problem('resource-not-found', 'There is no label with this number in this activity.');
  try {
    requireSettings(carrier, account, 'labels');
    const fetchOne = (parcel: string): Promise<CarrierLabel> =>
      askUnlessUnknown(`${stored.id} ${parcel}`, () =>
        callCarrier(fetchLabel(parcelTask(account, parcel, before, now())), carrier.origins(account)),
      );
    const parcels = await parcelsInForce(dependencies, opened, before);
    const labels: CarrierLabel[] = [];
    for (const parcel of parcels ?? [number]) labels.push(await fetchOne(parcel));
    const expeditionNumber = parcels === null ? (labels[0]?.expeditionNumber ?? number) : number;
    const { outputs, files } = await publishOutputs(dependencies, {
      activity: stored.activity,
      expeditionNumber,
      given: [...labels.flatMap((label) => label.outputs), ...(parcels ?? []).map(parcelNumber)],
      types: Object.keys(carrier.outputs),
      unstored: 'throw',
    });
    const result = JSON.stringify({ status: '0', expeditionNumber, outputs } satisfies LabelResult);
    const kept: NewLabel =
      before?.state === 'made'
        ? { ...before, result }
        : {
            activity: stored.activity,
            id: before?.id ?? uuidv7(),
            accountId: stored.id,
            context: stored.context,
            carrier: carrier.name,
            expeditionNumber: number,
            state: 'fetched',
            fingerprint: '',
            request: '{}',
            result,
            operationId: uuidv7(),
            clientId: call.principal.clientId,
            createdAt: now(),
          };
    await store.records.submit([], (unit) => unit.putLabel(kept, files));
    return result;
  } catch (error) {
    throw carrierProblem(error, opened, dependencies);
  }
}

/**
 * The parcels of a shipment whose labels must be fetched one by one, without those that are void: of a label that was
 * settled, the carrier had given none. Null if its number stands for all of them.
 */
async function parcelsInForce(
  { store }: LabelDependencies,
  { carrier }: OpenAccount,
  before: StoredLabel | null,
): Promise<readonly string[] | null> {
  if (carrier.fetchesEachParcel !== true || before === null) return null;
  const known = await store.labelVoids.parcelNumbers(before);
  if (known.length === 0) return null;
  const voided = (await store.labelVoids.find(before))?.voidedParcels ?? [];
  const first = before.expeditionNumber === null ? [] : [before.expeditionNumber];
  const left = [...new Set([...first, ...known])].filter((parcel) => !voided.includes(parcel));
  return left.length === 0 ? null : left;
}
