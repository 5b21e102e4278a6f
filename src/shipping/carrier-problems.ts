// Maps a carrier's refusals and failures to problems for the client: one table by kind (decisions D27, D29).
import { CarrierError, type CarrierErrorKind } from '../carriers/carrier.ts';
import type { Reason } from '../model/record.ts';
import { Problem, type ProblemSlug } from '../model/problem.ts';
import type { AccountDependencies, OpenAccount } from './accounts.ts';
import type { DetailsByField } from './label-request.ts';

/** The problem reported to a client, by kind of error. */
export const carrierProblemSlugs: Readonly<Record<CarrierErrorKind, ProblemSlug>> = {
  invalid: 'validation-failed',
  refused: 'carrier-rejected',
  unknown: 'resource-not-found',
  configuration: 'carrier-unavailable',
  unavailable: 'carrier-unavailable',
  timeout: 'carrier-timeout',
};

/**
 * What to throw in place of a carrier error: a problem with the carrier's own code and wording, after a notice to the
 * operator when the account does not work. Any other error is returned unchanged.
 */
export function carrierProblem(
  error: unknown,
  { stored, carrier }: Pick<OpenAccount, 'stored' | 'carrier'>,
  { onFault }: Pick<AccountDependencies, 'onFault'>,
): unknown {
  if (!(error instanceof CarrierError)) return error;
  const { kind, carrierCode, carrierMessage, reasons } = error;
  if (kind === 'configuration')
    onFault({ activity: stored.activity, context: stored.context, carrier: carrier.name, detail: error.message });
  const detail =
    kind === 'configuration'
      ? `The account at the carrier does not work: ${error.message} Tell whoever runs the service.`
      : error.message;
  return new Problem(
    carrierProblemSlugs[kind],
    detail,
    {
      ...(kind === 'refused' || carrierCode !== null ? { carrierCode, carrierMessage } : {}),
      ...(kind === 'invalid' ? { errors: errorsByField(reasons, error.message) } : {}),
    },
    kind === 'unavailable' || kind === 'timeout' ? { 'retry-after': '30' } : {},
  );
}

/**
 * The same for the creation of a label. When a parcel may exist, the client must not simply repeat the request: the
 * problem says so, and is not one that invites a corrected request.
 */
export function labelProblem(
  error: unknown,
  opened: OpenAccount,
  dependencies: Pick<AccountDependencies, 'onFault'>,
): unknown {
  const problem = carrierProblem(error, opened, dependencies);
  if (!(error instanceof CarrierError) || error.acted === 'no' || !(problem instanceof Problem)) return problem;
  const advice =
    error.parcels.length > 0
      ? 'Fetch its label by number, where the carrier gives labels again, or ask whoever runs the service,'
      : 'Whether there is a parcel is not known: ask the carrier for it, by your nDossier,';
  const { errors: _errors, ...extra } = problem.extra;
  return new Problem(
    error.kind === 'timeout' ? 'carrier-timeout' : 'carrier-unavailable',
    `${problem.detail} ${advice} before you send the request under another Idempotency-Key.`,
    extra,
  );
}

/** Reasons as sentences by field; without fields, one general sentence. */
export function errorsByField(reasons: readonly Reason[], otherwise: string): DetailsByField {
  if (reasons.length === 0) return { '': [otherwise] };
  return Object.fromEntries(
    [...Map.groupBy(reasons, ({ pointer }) => pointer.slice(1))].map(([field, own]) => [
      field,
      own.map(({ detail }) => detail),
    ]),
  );
}
