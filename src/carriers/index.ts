// Every carrier that the program knows, by the name in the path.
import type { Carrier } from './carrier.ts';

export const carriers: readonly Carrier[] = [];
