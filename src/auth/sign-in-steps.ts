// A sign-in from form to form: the password, then the second factor if there is one, or its setup if it is required.
// What was proved in one form is carried in the next, signed; nothing is stored in between.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Store } from '../store/store.ts';
import type { Csrf } from './csrf.ts';
import type { KnownBrowser, KnownBrowsers } from './known-browsers.ts';
import {
  type CodeFault,
  codePage,
  type Language,
  pageHeaders,
  recoveryCodesPage,
  setUpPage,
  signInPage,
  type SignInFacts,
} from './pages/index.ts';
import type { SecondFactor } from './second-factor.ts';
import { fieldOf, sendPage } from './sign-in-forms.ts';
import type { SignIn } from './sign-in.ts';
import { newTotpSecret, totpAddress } from './totp.ts';
import { findActiveUser, type User } from './users.ts';

export interface SignInStepsOptions {
  readonly store: Pick<Store, 'users'>;
  readonly signIn: SignIn;
  readonly secondFactor: SecondFactor;
  readonly knownBrowsers: KnownBrowsers;
  /** Name of this service in an authenticator app. */
  readonly issuerName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Where a sign-in takes place. */
export interface SignInPlace {
  readonly csrf: Csrf;
  /** What the browser's cookie identifies; forms are valid for it alone. */
  readonly binding: string;
  readonly language: Language;
  /** Where its forms are posted to. */
  readonly action: string;
  /** Name of the client that the person comes from; null: they opened their account page. */
  readonly clientName: string | null;
  /** Where the browser may be redirected after a form. */
  readonly formTargets: readonly string[];
  /** Target of the cancel link; '' for none. */
  readonly cancel: string;
  /** Identity providers for signing in instead; default: none. */
  readonly providers?: SignInFacts['providers'];
  /** A suggested login. */
  readonly hint: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A complete sign-in. */
export interface CompletedSignIn {
  readonly user: User;
  /**
   * When it began, seconds since 1970: before the password was checked, so that a user disabled meanwhile is signed
   * out.
   */
  readonly ts: number;
  /** The methods used (RFC 8176). */
  readonly amr: readonly string[];
  /** `Set-Cookie` that makes the browser known from now on. */
  readonly cookie: string;
}

/** Shows the first form. */
export async function askPassword(
  place: SignInPlace,
  login = '',
  fault: SignInFacts['fault'] = null,
  status = 200,
): Promise<void> {
  const { language, action, csrf, binding, clientName, cancel, hint, providers = [] } = place;
  const shown = login === '' ? hint.slice(0, 200) : login;
  const token = csrf.token(binding);
  const facts = { language, action, fault, csrf: token, clientName, login: shown, cancel, providers };
  await show(place, status, signInPage(facts));
}

/**
 * Handles a submitted form.
 * @returns the sign-in; null when another page was shown: the next one, or the same with the fault
 */
export async function takeStep(options: SignInStepsOptions, place: SignInPlace): Promise<CompletedSignIn | null> {
  const step = fieldOf(place.request, 'step');
  if (step === '') return takePassword(options, place);
  const passed = await passedIn(options, place, step);
  if (passed === null) {
    await askPassword(place, '', 'expired', 400);
    return null;
  }
  switch (step) {
    case 'code':
      return takeCode(options, place, passed);
    case 'set-up':
      return takeSetUp(options, place, passed);
    default:
      return complete(options, place, passed, withCode);
  }
}

/** Who has given the right password, and when. */
interface Passed {
  readonly user: User;
  readonly ts: number;
}

/** Seconds between the password and the end of the sign-in. */
const maxSeconds = 15 * 60;
const byPassword = ['pwd'];
const withCode = ['pwd', 'otp'];

async function takePassword(options: SignInStepsOptions, place: SignInPlace): Promise<CompletedSignIn | null> {
  const { csrf, binding, request, reply } = place;
  const login = fieldOf(request, 'login');
  if (!csrf.matches(fieldOf(request, 'csrf'), binding)) {
    await askPassword(place, login, 'expired', 400);
    return null;
  }
  const ts = Math.floor(options.now() / 1000);
  const known = await options.knownBrowsers.recognise(request.headers.cookie);
  const outcome = await options.signIn.password({
    login,
    password: fieldOf(request, 'password'),
    address: request.ip,
    browser: browserOf(known, login),
  });
  if (outcome.user === null) {
    if (outcome.fault === 'throttled') reply.header('retry-after', String(outcome.wait));
    await askPassword(place, login, outcome.fault, outcome.fault === 'throttled' ? 429 : 400);
    return null;
  }
  return continueSignIn(options, place, { user: outcome.user, ts });
}

/**
 * The step after the right password, or after an identity provider has identified the person.
 * @param amr the methods used
 */
export async function continueSignIn(
  options: SignInStepsOptions,
  place: SignInPlace,
  passed: Passed,
  amr: readonly string[] = byPassword,
): Promise<CompletedSignIn | null> {
  if (options.secondFactor.isPasswordEnough(passed.user) || amr.includes('otp'))
    return complete(options, place, passed, amr);
  await (passed.user.secondFactor
    ? askCode(place, passed, null, 200)
    : askSetUp(options, place, passed, newTotpSecret(), null, 200));
  return null;
}

async function takeCode(
  options: SignInStepsOptions,
  place: SignInPlace,
  passed: Passed,
): Promise<CompletedSignIn | null> {
  const { user } = passed;
  // The operator has removed the second factor meanwhile.
  if (!user.secondFactor) return continueSignIn(options, place, passed);
  const { request, reply } = place;
  const known = await options.knownBrowsers.recognise(request.headers.cookie);
  const attempt = { login: user.login, address: request.ip, browser: browserOf(known, user.login), codeOf: user.id };
  const outcome = await options.signIn.code(attempt, () =>
    options.secondFactor.take({ user, address: request.ip }, fieldOf(request, 'code')),
  );
  if (outcome === 'right') return complete(options, place, passed, withCode);
  if (typeof outcome === 'string') await askCode(place, passed, outcome, 400);
  else {
    reply.header('retry-after', String(outcome.wait));
    await askCode(place, passed, outcome.fault, 429);
  }
  return null;
}

async function takeSetUp(
  options: SignInStepsOptions,
  place: SignInPlace,
  passed: Passed,
): Promise<CompletedSignIn | null> {
  const { user } = passed;
  // Set up in another window, or by somebody else who knows the password: now they have to prove that they have it.
  if (user.secondFactor) return continueSignIn(options, place, passed);
  const { request } = place;
  const secret = fieldOf(request, 'secret');
  const codes = await options.secondFactor.add({ user, address: request.ip }, secret, fieldOf(request, 'code'));
  if (codes === 'exists') await askCode(place, passed, null, 200);
  else if (codes === 'wrong') await askSetUp(options, place, passed, secret, 'wrong', 400);
  else {
    const { action, language, cancel } = place;
    const form = { action, hidden: hiddenOf(place, 'saved', passed) };
    await show(place, 200, recoveryCodesPage({ language, codes, form, next: cancel }));
  }
  return null;
}

async function askCode(place: SignInPlace, passed: Passed, fault: CodeFault | null, status: number): Promise<void> {
  const { language, action, cancel } = place;
  await show(place, status, codePage({ language, action, fault, cancel, hidden: hiddenOf(place, 'code', passed) }));
}

async function askSetUp(
  { issuerName }: SignInStepsOptions,
  place: SignInPlace,
  passed: Passed,
  secret: string,
  fault: CodeFault | null,
  status: number,
): Promise<void> {
  const { language, action, cancel } = place;
  const page = await setUpPage({
    language,
    action,
    fault,
    cancel,
    hidden: { ...hiddenOf(place, 'set-up', passed, secret), secret },
    secret,
    totpAddress: totpAddress({ issuer: issuerName, login: passed.user.login, secret }),
    required: true,
    asksPassword: false,
  });
  await show(place, status, page);
}

async function complete(
  { knownBrowsers }: SignInStepsOptions,
  { request }: SignInPlace,
  { user, ts }: Passed,
  amr: readonly string[],
): Promise<CompletedSignIn> {
  const known = await knownBrowsers.recognise(request.headers.cookie);
  return { user, ts, amr, cookie: await knownBrowsers.cookieFor(user.login, known) };
}

/** The signed state of the earlier forms: only this service can make it, for this browser and this step. */
function hiddenOf(
  { csrf, binding }: SignInPlace,
  step: string,
  { user, ts }: Passed,
  secret = '',
): Readonly<Record<string, string>> {
  const since = String(ts);
  return { step, user: user.id, since, csrf: csrf.token(stepBinding(binding, { step, user: user.id, since, secret })) };
}

/** Who has given the password, according to signed form state; null: it is invalid or expired. */
async function passedIn(
  { store, now }: SignInStepsOptions,
  { csrf, binding, request }: SignInPlace,
  step: string,
): Promise<Passed | null> {
  const [userId, since, secret] = [fieldOf(request, 'user'), fieldOf(request, 'since'), fieldOf(request, 'secret')];
  const own = stepBinding(binding, { step, user: userId, since, secret });
  if (!csrf.matches(fieldOf(request, 'csrf'), own)) return null;
  const ts = Number(since);
  if (now() / 1000 - ts > maxSeconds) return null;
  const user = await findActiveUser(store, userId);
  if (user === null || (user.signedOutAt !== null && ts < Math.floor(user.signedOutAt / 1000))) return null;
  return { user, ts };
}

function stepBinding(
  binding: string,
  {
    step,
    user,
    since,
    secret,
  }: { readonly step: string; readonly user: string; readonly since: string; readonly secret: string },
): string {
  return ['sign-in step', binding, step, user, since, secret].join('\0');
}

function browserOf(known: KnownBrowser | null, login: string): string | null {
  return known?.isOf(login) === true ? known.id : null;
}

async function show({ reply, formTargets }: SignInPlace, status: number, page: string): Promise<void> {
  await sendPage(reply.code(status).headers(pageHeaders({ formTargets })), page);
}
