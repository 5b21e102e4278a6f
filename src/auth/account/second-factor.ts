// A person's own second factor: setting it up, renewing recovery codes, removing it.
import type { PagesOptions } from '../interaction.ts';
import { type CodeFault, recoveryCodesPage, secondFactorPage, setUpPage } from '../pages/index.ts';
import { fieldOf } from '../sign-in-forms.ts';
import { newTotpSecret, totpAddress } from '../totp.ts';
import { below, enter, formToken, isOwnForm, sendAccountPage, type SignedInVisit } from './visit.ts';

export async function showSecondFactor(
  options: PagesOptions,
  visit: SignedInVisit,
  fault: CodeFault | null = null,
  status = 200,
): Promise<void> {
  const { user, language, home } = visit;
  if (!user.secondFactor) return askSetUp(options, visit, newTotpSecret(), fault, status);
  const page = secondFactorPage({
    language,
    action: `${home}${below.secondFactor}`,
    csrf: formToken(visit, 'second factor'),
    codesLeft: await options.secondFactor.recoveryCodesLeft(user),
    isOptional: options.secondFactor.isOptional(user),
    fault,
    cancel: home,
  });
  await sendAccountPage(visit, status, page);
}

export async function takeSecondFactor(options: PagesOptions, visit: SignedInVisit): Promise<void> {
  const { user, request } = visit;
  if (!user.secondFactor) return setUp(options, visit);
  if (!isOwnForm(visit, 'second factor')) return showSecondFactor(options, visit, 'expired', 400);
  const change = fieldOf(request, 'change');
  if (change === 'remove' && !options.secondFactor.isOptional(user)) return showSecondFactor(options, visit);
  const fault = await codeFault(options, visit);
  if (fault !== null) return showSecondFactor(options, visit, fault, fault === 'throttled' ? 429 : 400);
  const acting = { user, address: request.ip };
  if (change === 'remove') {
    await options.secondFactor.remove(acting);
    return goHome(visit, 'factor-removed');
  }
  const codes = await options.secondFactor.renewRecoveryCodes(acting);
  await (codes === null ? showSecondFactor(options, visit, 'expired', 400) : showCodes(visit, codes));
}

/** The person has to prove their presence: an open window is not enough to remove a factor. */
async function codeFault(options: PagesOptions, { user, request, reply }: SignedInVisit): Promise<CodeFault | null> {
  const known = await options.knownBrowsers.recognise(request.headers.cookie);
  const browser = known?.isOf(user.login) === true ? known.id : null;
  const outcome = await options.signIn.code({ login: user.login, address: request.ip, browser, codeOf: user.id }, () =>
    options.secondFactor.take({ user, address: request.ip }, fieldOf(request, 'code')),
  );
  if (outcome === 'right') return null;
  if (typeof outcome === 'string') return outcome;
  reply.header('retry-after', String(outcome.wait));
  return outcome.fault;
}

async function setUp(options: PagesOptions, visit: SignedInVisit): Promise<void> {
  const { user, request, reply, session } = visit;
  const secret = fieldOf(request, 'secret');
  if (!isOwnForm(visit, setUpPurpose(secret))) return showSecondFactor(options, visit, 'expired', 400);
  const known = await options.knownBrowsers.recognise(request.headers.cookie);
  // Somebody who finds an open window must not be able to lock its owner out.
  const outcome = await options.signIn.password({
    login: user.login,
    password: fieldOf(request, 'password'),
    address: request.ip,
    browser: known?.isOf(user.login) === true ? known.id : null,
  });
  if (outcome.user === null) {
    if (outcome.fault === 'throttled') reply.header('retry-after', String(outcome.wait));
    return askSetUp(options, visit, secret, outcome.fault, outcome.fault === 'throttled' ? 429 : 400);
  }
  const codes = await options.secondFactor.add({ user, address: request.ip }, secret, fieldOf(request, 'code'));
  if (codes === 'wrong') return askSetUp(options, visit, secret, 'wrong', 400);
  // Set up at the same moment in another window.
  if (codes === 'exists') return goHome(visit, null);
  const ts = session.loginTs ?? Math.floor(options.now() / 1000);
  await enter(options, visit, { user, ts, amr: [...(session.amr ?? []), 'otp'] });
  await showCodes(visit, codes);
}

async function askSetUp(
  { issuerName }: PagesOptions,
  visit: SignedInVisit,
  secret: string,
  fault: CodeFault | null,
  status: number,
): Promise<void> {
  const { user, language, home } = visit;
  const page = await setUpPage({
    language,
    action: `${home}${below.secondFactor}`,
    hidden: { secret, csrf: formToken(visit, setUpPurpose(secret)) },
    fault,
    cancel: home,
    secret,
    totpAddress: totpAddress({ issuer: issuerName, login: user.login, secret }),
    required: false,
    asksPassword: true,
  });
  await sendAccountPage(visit, status, page);
}

async function showCodes(visit: SignedInVisit, codes: readonly string[]): Promise<void> {
  const { language, home } = visit;
  await sendAccountPage(visit, 200, recoveryCodesPage({ language, codes, form: null, next: home }));
}

async function goHome({ reply, home }: SignedInVisit, done: string | null): Promise<void> {
  const address = done === null ? home : `${home}?done=${done}`;
  await reply.header('cache-control', 'no-store').redirect(address, 303);
}

function setUpPurpose(secret: string): string {
  return `set up ${secret}`;
}
