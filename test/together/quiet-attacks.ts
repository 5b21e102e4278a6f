// The attacks beside which nothing runs, in this process, which prepares their database once.
import { attackPlan } from '../../tools/test-plan.ts';

for (const file of attackPlan().alone) await import(`../../${file}`);
