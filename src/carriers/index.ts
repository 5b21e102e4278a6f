// Every carrier that the program knows, by the name in the path.
import type { Carrier } from './carrier.ts';
import { colissimo } from './colissimo/colissimo.ts';
import { gls } from './gls/gls.ts';
import { karrio } from './karrio/karrio.ts';
import { laposte } from './laposte/laposte.ts';
import { mondialrelay } from './mondialrelay/mondialrelay.ts';
import { sandbox } from './sandbox/index.ts';

export const carriers: readonly Carrier[] = [sandbox, mondialrelay, laposte, colissimo, gls, karrio];
