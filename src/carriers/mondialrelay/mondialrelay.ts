// Mondial Relay: labels by version 2 (REST) or version 1 (SOAP) of its interface, tracking by version 1.
import { noDryRun } from '../desk.ts';
import type { PickupPoint, PointTask } from '../points.ts';
import { textBlock } from '../../model/text-block.ts';
import type { LabelRequest, Tracking } from '../../model/shipping.ts';
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
  reasonAt,
} from '../carrier.ts';
import { originsOfAccount, restAccount, accountSettings, soapAccount, versionOf, versions } from './account.ts';
import { title } from './errors.ts';
import { createRestLabel } from './rest.ts';
import { findRelays } from './relays.ts';
import { restOutputs } from './rest-request.ts';
import { restReasons } from './rest-rules.ts';
import { createSoapLabel, fetchSoapLabel, probeSoap, trackSoapParcel } from './soap.ts';
import { soapReasons } from './soap-rules.ts';
import { ownList } from '../desk.ts';
import { withRedaction } from '../redaction.ts';
import type { Reason } from '../../model/record.ts';

/** The carrier. Its answers echo the password of version 2; its errors here never do. */
export const mondialrelay: Carrier = withRedaction({
  name: 'mondialrelay',
  title,
  settings: accountSettings,
  needs: {
    labels: [
      ['login', 'password', 'customerId'],
      ['enseigne', 'privateKey'],
    ],
    tracking: [['enseigne', 'privateKey']],
  },
  outputs: restOutputs,
  origins: originsOfAccount,
  check,
  createLabel,
  fetchLabel,
  track,
  probe,
  desk: {
    findPoints,
    dryRun: noDryRun(title),
    voidLabel: {
      instead: textBlock`
        Mondial Relay has no request that takes a label back, in neither version. Destroy the label; where its portal
        (Connect) offers to cancel the shipment, do so there.
      `,
    },
    // LCC: a parcel that somebody hands in for the merchant.
    handover: { ...ownList, isReturn: ({ modeLiv }) => modeLiv === 'LCC' },
  },
});

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

function check(request: LabelRequest, account: CarrierAccount): readonly Reason[] {
  const version = versionOf(request.apiVersion, account);
  if (version === null)
    return [reasonAt('apiVersion', 'unknown-code', `apiVersion must be one of ${Object.keys(versions).join(', ')}.`)];
  const soap = soapAccount(account);
  const rest = restAccount(account);
  if (version === '1' && soap !== null) return soapReasons(request, soap);
  if (version === '2' && rest !== null) return restReasons(request);
  const names = version === '1' ? 'enseigne and privateKey' : 'login, password and customerId';
  if (request.apiVersion === '' || (soap === null && rest === null))
    throw new CarrierError('configuration', `Labels by version ${version} need settings that it lacks: ${names}.`);
  return [
    reasonAt(
      'apiVersion',
      'not-configured',
      textBlock`
        apiVersion ${version} needs settings that this account does not have: ask for version
        ${version === '1' ? '2' : '1'}, or let the operator set ${names}.
      `,
    ),
  ];
}

function* createLabel({ request, account }: LabelTask): Talk<CarrierLabel> {
  const reasons = check(request, account);
  const rest = restAccount(account);
  const soap = soapAccount(account);
  if (reasons.length === 0 && versionOf(request.apiVersion, account) === '1' && soap !== null)
    return yield* createSoapLabel(request, soap);
  if (reasons.length === 0 && rest !== null) return yield* createRestLabel(request, rest, soap !== null);
  throw new CarrierError('invalid', `${title} would not take the request.`, { reasons });
}

function* fetchLabel(task: ParcelTask): Talk<CarrierLabel> {
  const soap = soapAccount(task.account);
  if (soap === null)
    throw new CarrierError(
      'unknown',
      `${title} gives labels again by version 1 alone, which this account is not configured for.`,
    );
  return yield* fetchSoapLabel(task, soap);
}

function* track(task: ParcelTask): Talk<Tracking> {
  const soap = soapAccount(task.account);
  if (soap === null)
    throw new CarrierError(
      'configuration',
      `${title} tracks parcels by version 1 alone: the operator must set enseigne and privateKey of this account.`,
    );
  return yield* trackSoapParcel(task, soap);
}

/** Only version 1 has points. */
function* findPoints(task: PointTask): Talk<readonly PickupPoint[]> {
  const soap = soapAccount(task.account);
  if (soap === null)
    throw new CarrierError(
      'configuration',
      `${title} gives points by version 1 alone: the operator must set enseigne and privateKey of this account.`,
    );
  return yield* findRelays(task, soap);
}

function* probe(account: CarrierAccount): Talk<string> {
  const soap = soapAccount(account);
  const rest = restAccount(account);
  const untried = textBlock`
    Version 2 of ${title} has no request that makes nothing: its login shows with the first label, in the sandbox if you
    like.
  `;
  if (soap === null && rest === null)
    throw new CarrierError(
      'configuration',
      textBlock`
        The account has no version of ${title}: set login, password and customerId (version 2), enseigne and privateKey
        (version 1), or all.
      `,
    );
  if (soap === null) return untried;
  const tried = yield* probeSoap(soap);
  return rest === null ? tried : `${tried} ${untried}`;
}
