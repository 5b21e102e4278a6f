// A person changes their own password: requires the old one, signs out other browsers, and keeps programs unless the
// person ends them too.
import { hashPassword, passwordFaultKind } from '../passwords.ts';
import type { PagesOptions } from '../interaction.ts';
import { type PasswordPageFault, passwordPage } from '../pages/index.ts';
import { entryOf } from '../second-factor.ts';
import { fieldOf } from '../sign-in-forms.ts';
import { below, enter, formToken, isOwnForm, sendAccountPage, type SignedInVisit } from './visit.ts';

const purpose = 'password';

export async function askNewPassword(
  visit: SignedInVisit,
  fault: PasswordPageFault | null = null,
  status = 200,
): Promise<void> {
  const { language, home, user } = visit;
  const action = `${home}${below.password}`;
  const page = passwordPage({
    language,
    action,
    csrf: formToken(visit, purpose),
    login: user.login,
    fault,
    cancel: home,
  });
  await sendAccountPage(visit, status, page);
}

export async function takeNewPassword(options: PagesOptions, visit: SignedInVisit): Promise<void> {
  const { user, request, reply, session, home } = visit;
  if (!isOwnForm(visit, purpose)) return askNewPassword(visit, 'expired', 400);
  const [current, wanted] = [fieldOf(request, 'current'), fieldOf(request, 'password')];
  // First the faults that need no password check: finding them costs nothing.
  const fault = wanted === fieldOf(request, 'again') ? passwordFaultKind(wanted, user.login) : 'different';
  if (fault !== null) return askNewPassword(visit, fault, 400);
  if (wanted === current) return askNewPassword(visit, 'same', 400);
  const before = (await options.store.users.active(user.id))?.passwordHash ?? '';
  const ts = Math.floor(options.now() / 1000);
  const known = await options.knownBrowsers.recognise(request.headers.cookie);
  const outcome = await options.signIn.password({
    login: user.login,
    password: current,
    address: request.ip,
    browser: known?.isOf(user.login) === true ? known.id : null,
  });
  if (outcome.user === null) {
    if (outcome.fault === 'throttled') reply.header('retry-after', String(outcome.wait));
    return askNewPassword(visit, outcome.fault, outcome.fault === 'throttled' ? 429 : 400);
  }
  const endPrograms = fieldOf(request, 'programs') === 'end';
  const isChanged = await options.store.users.changeOwnPassword(user.id, {
    before,
    passwordHash: await hashPassword(wanted),
    endPrograms,
    now: ts * 1000,
    audit: entryOf('user.password', { user, address: request.ip }, { programs: endPrograms ? 'ended' : 'kept' }),
  });
  // Changed at the same moment in another window, or by the operator.
  if (!isChanged) return askNewPassword(visit, 'expired', 400);
  await enter(options, visit, { user, ts, amr: session.amr ?? [] });
  await reply.header('cache-control', 'no-store').redirect(`${home}?done=password`, 303);
}
