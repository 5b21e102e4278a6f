// The icons of the console: strokes on a grid of 24, drawn for the console.
import type { ReactElement } from 'react';

const paths = {
  overview: 'M4 4h7v7H4zM13 4h7v4h-7zM13 10h7v10h-7zM4 13h7v7H4z',
  articles: 'M12 3 20 7.5v9L12 21 4 16.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  stock: 'M3 21V8l9-5 9 5v13M7 21v-8h10v8M7 17h10',
  movements: 'M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4',
  orders: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  'order-reports': 'M5 4h14v17H5zM9 2h6v4H9zM8 13l3 3 5-6',
  procurements: 'M2 6h12v10H2zM14 10h4l4 4v2h-8zM6 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4M18 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  ship: 'M4 4h11l5 5v11H4zM15 4v5h5M8 13h1v4H8zM11 13h1v4h-1zM15 13h1v4h-1z',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  columns: 'M4 4h16v16H4zM10 4v16M15 4v16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  export: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  close: 'M6 6l12 12M18 6 6 18',
  add: 'M12 5v14M5 12h14',
  back: 'M19 12H5M11 6l-6 6 6 6',
  out: 'M10 4H4v16h6M15 8l4 4-4 4M19 12H9',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  empty: 'M4 13l3-9h10l3 9v7H4zM4 13h5l1 3h4l1-3h5',
  warning: 'M12 4 22 20H2zM12 10v5M12 17.5v.5',
  check: 'M5 13l4 4L19 7',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  feeds: 'M4 5h16M4 12h10M4 19h6M17 12v8M14 17l3 3 3-3',
  line: 'M5 4h14v16H5zM9 9l6 6M15 9l-6 6',
  outbox: 'M4 13v7h16v-7M12 15V4M7 9l5-5 5 5',
  scales: 'M12 3v18M7 21h10M4 7h16M4 7l-2 7h6zM20 7l-2 7h6',
  audit: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7',
  key: 'M8 17a5 5 0 1 1 4.6-7H21v4h-2v2h-4v-2h-2.4A5 5 0 0 1 8 17M8 12h.01',
  group: 'M9 11a3 3 0 1 0 0-7 3 3 0 0 0 0 7M2 20c0-4 3-6 7-6s7 2 7 6M16 4a3 3 0 0 1 0 7M18 15c2 1 4 2 4 5',
  building: 'M4 21V5l8-2v18M12 9l8 2v10M2 21h20M7 9h2M7 13h2M7 17h2M15 14h2M15 17h2',
  program: 'M3 5h18v14H3zM3 9h18M7 13l3 2-3 2M12 17h4',
  truck: 'M2 6h12v10H2zM14 10h4l4 4v2h-8zM6 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4M18 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 3',
  log: 'M4 5h16M4 10h16M4 15h9M4 20h9M17 14v6M14 17h6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 4-6 8-6s8 2 8 6',
} as const;

export type IconName = keyof typeof paths;

/** Its meaning is given by the text next to it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 24 24" fill="none" className="icon">
      <path d={paths[name]} />
    </svg>
  );
}
