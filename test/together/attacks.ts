// The attacks that can run beside other tests, in this process, which prepares their database once.
import { attackPlan } from '../../tools/test-plan.ts';

for (const file of attackPlan().beside) await import(`../../${file}`);
