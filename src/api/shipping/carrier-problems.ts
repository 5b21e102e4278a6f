// What a carrier's refusal or failure means to the client: one table from kind to problem (decisions D27, D29).
import type { CarrierError, CarrierErrorKind, FieldFault } from '../../carriers/carrier.ts';
import { Problem, type ProblemSlug } from '../../model/problem.ts';
import type { FieldErrors } from './label-request.ts';

const slugs: Readonly<Record<CarrierErrorKind, ProblemSlug>> = {
  invalid: 'validation-failed',
  refused: 'carrier-rejected',
  unknown: 'resource-not-found',
  configuration: 'carrier-unavailable',
  unavailable: 'carrier-unavailable',
  timeout: 'carrier-timeout',
};

/** The problem that an error of a carrier is answered with; the carrier's own code and wording go with it. */
export function carrierProblem(error: CarrierError): Problem {
  const { kind, carrierCode, carrierMessage, faults } = error;
  const detail = kind === 'configuration' ? `The account at the carrier does not work: ${error.message} Tell whoever runs the service.` : error.message;
  return new Problem(slugs[kind], detail, {
    ...(kind === 'refused' || carrierCode !== null ? { carrierCode, carrierMessage } : {}),
    ...(kind === 'invalid' ? { errors: faultErrors(faults, error.message) } : {}),
  }, kind === 'unavailable' || kind === 'timeout' ? { 'retry-after': '30' } : {});
}

/** Faults as sentences by field; without fields, the sentence as a whole. */
export function faultErrors(faults: readonly FieldFault[], otherwise: string): FieldErrors {
  if (faults.length === 0) return { '': [otherwise] };
  return Object.fromEntries([...Map.groupBy(faults, ({ field }) => field)].map(([field, own]) => [field, own.map(({ detail }) => detail)]));
}
