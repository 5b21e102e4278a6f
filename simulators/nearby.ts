// Where there are points: what the simulators of carriers with points have in common.

/** A postcode that no simulator has a point near. */
export const lonelyPostcode = '95999';

/** Shops that stand near every other postcode, by how far. */
export const nearbyShops = [
  { name: 'TABAC DE LA GARE', street: '4 PLACE DE LA GARE', meters: 350 },
  { name: 'FLEURS & JARDIN "CHEZ ZOÉ"', street: '12 BIS RUE DU MOULIN', meters: 627 },
  { name: 'LOCKER 24/7 HALLE', street: '1 PARVIS DE LA HALLE', meters: 1986 },
] as const;
