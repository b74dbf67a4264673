/**
 * Which login a call gets: candidates from the cache, the vault and the browsers, the freshest chosen and the choice
 * explained, what the service rotated taken back cookie by cookie. It never merges two accounts, never adopts one
 * before knowing whose it is, and reads no browser and opens no connection itself: it is handed what does.
 */
export { askedFor } from "./asked-for.ts";
export type { Borrow, Found } from "./borrow.ts";
export type { Considered, CookieProvider } from "./candidate.ts";
export type { Auth, Check, Connection, OAuthAuth } from "./connection.ts";
export { connectionForm, type LoginWay } from "./connection-form.ts";
export { isProvisional } from "./provisional.ts";
export type { CookieLogin } from "./cookie-login.ts";
export { connectionScope } from "./evaluate-placement.ts";
export { foreignCheck, foreignHosts } from "./foreign-hosts.ts";
export { JarLoan } from "./jar-loan.ts";
export { keepSecret, type NewSecret } from "./keep-secret.ts";
export { createLender, type Lender, OPEN_WEB } from "./lender.ts";
export { placementFields } from "./placement-fields.ts";
export { loadConnection } from "./load-connection.ts";
export { isRefusal, type Loan, type SendOptions } from "./loan.ts";
export { loginCommand, sessionExpired, severalAccounts } from "./login-needed.ts";
export { createLoginStore, type LoginStore } from "./login-store.ts";
export { secretTexts } from "./secret-texts.ts";
export type { Identify } from "./resolver.ts";
export type { Supplier, SupplyQuestion } from "./supplier.ts";
export type { OAuthClient } from "./oauth/client-store.ts";
export type { SignedIn } from "./sign-in/signed-in.ts";
export { isTelling, signInWithCookies } from "./sign-in/with-cookies.ts";
export { signInWithKey } from "./sign-in/with-key.ts";
export { type OAuthStep, oauthNeeds, signInWithOAuth } from "./sign-in/with-oauth.ts";
