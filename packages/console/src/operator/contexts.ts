// What every page for operators may use: the platform interface, and the rights of the signed-in operator.
import { createContext, useContext } from 'react';
import type { PlatformClient } from '../../../client/src/index.ts';

/** The user signed in to the platform interface. */
interface Operator {
  readonly platform: PlatformClient;
  readonly name: string;
  readonly roles: readonly string[];
  /** Null: every activity. */
  readonly activityCodes: readonly string[] | null;
}

export const OperatorContext = createContext<Operator | null>(null);

/** Only below the operator's sign-in. */
export function useOperator(): Operator {
  const operator = useContext(OperatorContext);
  if (operator === null) throw new Error('This is shown to operators alone.');
  return operator;
}
