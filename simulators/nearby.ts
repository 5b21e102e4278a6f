// Where points are: what the simulators of carriers with points share.

/** A postcode near which no simulator has a point. */
export const lonelyPostcode = '95999';

/** Shops near every other postcode, by distance. */
export const nearbyShops = [
  { name: 'TABAC DE LA GARE', street: '4 PLACE DE LA GARE', meters: 350 },
  { name: 'FLEURS & JARDIN "CHEZ ZOÉ"', street: '12 BIS RUE DU MOULIN', meters: 627 },
  { name: 'LOCKER 24/7 HALLE', street: '1 PARVIS DE LA HALLE', meters: 1986 },
] as const;
