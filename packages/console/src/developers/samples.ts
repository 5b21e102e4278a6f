// The samples on the pages for developers, exactly as a test runs them.
import pageCs from '../../samples/page.cs?raw';
import pagePy from '../../samples/page.py?raw';
import pageSh from '../../samples/page.sh?raw';
import pageTs from '../../samples/page.ts?raw';
import retryCs from '../../samples/retry.cs?raw';
import retryPy from '../../samples/retry.py?raw';
import retrySh from '../../samples/retry.sh?raw';
import retryTs from '../../samples/retry.ts?raw';
import shipCs from '../../samples/ship.cs?raw';
import shipPy from '../../samples/ship.py?raw';
import shipSh from '../../samples/ship.sh?raw';
import shipTs from '../../samples/ship.ts?raw';
import signInPy from '../../samples/sign-in.py?raw';
import signInTs from '../../samples/sign-in.ts?raw';
import syncCs from '../../samples/sync.cs?raw';
import syncPy from '../../samples/sync.py?raw';
import syncSh from '../../samples/sync.sh?raw';
import syncTs from '../../samples/sync.ts?raw';
import tokenCs from '../../samples/token.cs?raw';
import tokenPy from '../../samples/token.py?raw';
import tokenSh from '../../samples/token.sh?raw';
import tokenTs from '../../samples/token.ts?raw';
import type { TaskName } from './tasks.ts';

export const languages = ['curl', 'TypeScript', 'Python', 'C#'] as const;

type SampleLanguage = (typeof languages)[number];

export const samples: Readonly<Record<TaskName, Readonly<Record<SampleLanguage, string>>>> = {
  token: { curl: tokenSh, TypeScript: tokenTs, Python: tokenPy, 'C#': tokenCs },
  page: { curl: pageSh, TypeScript: pageTs, Python: pagePy, 'C#': pageCs },
  sync: { curl: syncSh, TypeScript: syncTs, Python: syncPy, 'C#': syncCs },
  retry: { curl: retrySh, TypeScript: retryTs, Python: retryPy, 'C#': retryCs },
  ship: { curl: shipSh, TypeScript: shipTs, Python: shipPy, 'C#': shipCs },
};

/** How a person's program gets a token; a shell is no place for it. */
export const signInSamples: Readonly<Partial<Record<SampleLanguage, string>>> = {
  TypeScript: signInTs,
  Python: signInPy,
};
