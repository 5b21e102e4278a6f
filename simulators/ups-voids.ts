// Voids in the simulator for UPS. Codes are from UPS's list of errors, the form of the answer from programs that read
// it.
import type { SimulatorAnswer } from './server.ts';

/** The parts of a shipment that a void reads and changes. */
interface VoidableShipment {
  readonly shipment: string;
  /** The recipient's name; TAKEN: the time for voids is over (190101). */
  readonly name: string;
  isVoid: boolean;
}

/** Answers `DELETE …/void/cancel/{number}`; the error code for a shipment that is already void is our own. */
export function voidShipment(number: string, known: readonly VoidableShipment[]): SimulatorAnswer {
  const shipment = known.find((each) => each.shipment === number);
  if (shipment === undefined) return failed('190100', 'Invalid ShipmentIdentificationNumber.');
  if (shipment.isVoid) return failed('190117', 'The shipment has already been voided.');
  if (shipment.name === 'TAKEN') return failed('190101', 'Time for voiding has expired.');
  shipment.isVoid = true;
  return {
    status: 200,
    body: {
      VoidShipmentResponse: {
        Response: { ResponseStatus: { Code: '1', Description: 'Success' } },
        SummaryResult: { Status: { Code: '1', Description: 'Voided' } },
      },
    },
  };
}

function failed(code: string, message: string): SimulatorAnswer {
  return { status: 400, body: { response: { errors: [{ code, message }] } } };
}
